import type { OutputParser } from './parser.ts'

export const csv: OutputParser = {
  name: 'csv',
  extension: 'csv',
  parse: async output => {
    const { readCsv } = await import('./read-csv.ts')
    return readCsv(output)
  },
}
