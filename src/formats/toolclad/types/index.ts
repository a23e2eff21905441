import { boolean } from './boolean.ts'
import { cidr } from './cidr.ts'
import { credentialFile } from './credential-file.ts'
import { duration } from './duration.ts'
import { enumeration } from './enum.ts'
import { integer } from './integer.ts'
import { ipAddress } from './ip-address.ts'
import { msfOptions } from './msf-options.ts'
import { number } from './number.ts'
import { path } from './path.ts'
import { port } from './port.ts'
import { regexMatch } from './regex-match.ts'
import { scopeTarget } from './scope-target.ts'
import { string } from './string.ts'
import { url } from './url.ts'
import type { ArgumentType } from './type.ts'

/** The specification's types, by name. */
export const TYPES: ReadonlyMap<string, ArgumentType> = new Map(
  [
    string,
    integer,
    number,
    port,
    boolean,
    enumeration,
    scopeTarget,
    url,
    path,
    ipAddress,
    cidr,
    credentialFile,
    msfOptions,
    duration,
    regexMatch,
  ].map(type => [type.name, type]),
)
