import { path } from './path.ts'
import type { ArgumentType } from './type.ts'

/** A path to a file that must be there when the call runs (ToolClad spec, Core Types); that is looked up after approval. */
export const credentialFile: ArgumentType = { ...path, name: 'credential_file' }
