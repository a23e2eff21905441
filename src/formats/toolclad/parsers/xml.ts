import type { OutputParser } from './parser.ts'

export const xml: OutputParser = xmlParser(false)

/** Where the deployment allows it: one DOCTYPE before the root that names it and declares nothing. */
export const xmlWithBareDoctype: OutputParser = xmlParser(true)

function xmlParser(allowBareDoctype: boolean): OutputParser {
  return {
    name: 'xml',
    extension: 'xml',
    parse: async (output, schema) => {
      const { readXml } = await import('./read-xml.ts')
      return readXml(output, { schema, allowBareDoctype })
    },
  }
}
