import type { Format } from '../format.ts'
import { load } from './load.ts'

/** `.dadl`: REST APIs, one tool per endpoint (DADL v0.2). */
export const dadl: Format = {
  kind: 'dadl',
  describes: 'api',
  extension: '.dadl',
  defaultGlobs: ['apis/**/*.dadl'],
  load,
}
