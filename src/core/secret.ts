const SHOWN = '[secret]'

/** A value nobody may see by accident: it prints, serialises and inspects as `[secret]`. `reveal()` is for the last line that needs it. */
export class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  reveal(): string {
    return this.#value
  }

  toString(): string {
    return SHOWN
  }

  toJSON(): string {
    return SHOWN
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return SHOWN
  }
}
