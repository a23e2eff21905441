import type { Format } from '../format.ts'

/** `.dadl`: REST APIs, one tool per endpoint (DADL v0.2). */
export const dadl = {
  kind: 'dadl',
  describes: 'api',
  extension: '.dadl',
  defaultGlobs: ['apis/**/*.dadl'],
  load: async (text, context) => (await import('./load.ts')).load(text, context),
} as const satisfies Format
