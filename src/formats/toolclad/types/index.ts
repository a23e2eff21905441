import { boolean } from './boolean.ts'
import { credentialFile } from './credential-file.ts'
import { duration } from './duration.ts'
import { enumeration } from './enum.ts'
import { integer } from './integer.ts'
import { msfOptions } from './msf-options.ts'
import { number } from './number.ts'
import { path } from './path.ts'
import { port } from './port.ts'
import { regexMatch } from './regex-match.ts'
import { string } from './string.ts'
import type { ArgumentType } from './type.ts'

/** The types this version runs. The specification's others load to `unsupported` until they stand here. */
export const TYPES: ReadonlyMap<string, ArgumentType> = new Map(
  [string, integer, number, port, boolean, enumeration, path, credentialFile, msfOptions, duration, regexMatch].map(
    type => [type.name, type],
  ),
)
