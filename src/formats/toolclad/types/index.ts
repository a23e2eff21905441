import { boolean } from './boolean.ts'
import { enumeration } from './enum.ts'
import { integer } from './integer.ts'
import { path } from './path.ts'
import { string } from './string.ts'
import type { ArgumentType } from './type.ts'

/** The types this version runs. The specification's others load to `unsupported` until they stand here. */
export const TYPES: ReadonlyMap<string, ArgumentType> = new Map(
  [string, integer, boolean, enumeration, path].map(type => [type.name, type]),
)
