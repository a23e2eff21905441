import { dadl } from './dadl/index.ts'
import type { Format } from './format.ts'
import { toolclad } from './toolclad/index.ts'

/** Every format, by kind. */
export const FORMATS = { toolclad, dadl } as const satisfies Readonly<Record<string, Format>>
