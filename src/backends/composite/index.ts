// Composites of API documents (DADL spec 12): listed, described and judged like any tool. A call is denied, because this
// version has no sandbox for their code.
import type { Backend } from '../backend.ts'

export const composite = {
  kind: 'composite',
  open: (): Backend => ({
    kind: 'composite',
    prepare: async () => ({
      diagnostics: [],
      callable: { resolve: async () => ({ status: 'denied', ...WHY, preview: { kind: 'composite' } }) },
    }),
    close: () => Promise.resolve(), // nothing was started
  }),
} as const

const WHY = { code: 'unsupported', reason: 'This version of Sallyport does not do composites yet.' }
