import { styleText } from 'node:util'

type Look = 'bold' | 'dim' | 'red' | 'yellow' | 'green' | 'blue'

/** Gives a text its colour, or leaves it as it is. */
export type Style = (look: Look, text: string) => string

export const plain: Style = (_look, text) => text

/** Colours only where a person looks at a terminal and did not ask for none (https://no-color.org). */
export function styleFor(stream: { readonly isTTY?: boolean }, noColor: boolean): Style {
  if (stream.isTTY !== true || noColor) return plain
  return (look, text) => styleText(look, text, { validateStream: false })
}
