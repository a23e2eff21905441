import { GatewayError } from '../core/errors.ts'
import type { JsonObject } from '../core/json.ts'

export interface BindingReader<T> {
  /** @throws GatewayError `internal` for what no format made for this backend */
  readonly parse: (data: JsonObject) => T
}

/**
 * Reads the bindings of one kind. The compiler holds our formats to the type, so that only what was made for another backend
 * is told apart here, by its keys; a schema would take longer to load than everything a run does.
 */
export function bindingReader<T extends JsonObject>(
  kind: string,
  keys: readonly (keyof T & string)[],
): BindingReader<T> {
  const isOfKind = (data: JsonObject): data is T => keys.every(key => Object.hasOwn(data, key))
  return {
    parse: data => {
      if (isOfKind(data)) return data
      const missing = keys.filter(key => !Object.hasOwn(data, key))
      throw new GatewayError('internal', `a ${kind} binding without ${missing.join(', ')}`)
    },
  }
}
