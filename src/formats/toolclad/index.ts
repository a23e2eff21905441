import type { Format } from '../format.ts'
import { load } from './load.ts'

/** `.clad.toml`: tools with typed arguments and a fixed way to run them (ToolClad spec). */
export const toolclad = {
  kind: 'toolclad',
  describes: 'tool',
  extension: '.clad.toml',
  defaultGlobs: ['tools/**/*.clad.toml'],
  load,
} as const satisfies Format
