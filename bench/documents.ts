// B5: API documents from text to tools, beside reading the same text as YAML alone.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { load as loadDocument } from '../src/formats/dadl/load.ts'
import { parseYaml } from '../src/lib/yaml.ts'
import type { Row } from './row.ts'

const folder = join(
  process.env['SALLYPORT_SHARED'] ?? join(import.meta.dirname, '../../shared'),
  'corpus/dadl-registry',
)

/** Nothing where the corpus is not here. */
export function benchDocuments(): readonly Row[] {
  if (!existsSync(folder)) return []
  const texts = globSync('*.dadl', { cwd: folder }).map(file => readFileSync(join(folder, file), 'utf8'))
  const lines = texts.reduce((sum, text) => sum + text.split('\n').length, 0)
  const load = (): void => texts.forEach(text => void loadDocument(text, { root: '/' }))
  const parse = (): void => texts.forEach(text => void parseYaml(text))
  const what = `load of ${texts.length} API documents, ${lines} lines`
  return [
    { id: 'B5', what: `${what}, cold`, ours: timeOf(load), unit: 'ms' },
    { id: 'B5', what: `${what}, best of five`, ours: best(load), floor: best(parse), unit: 'ms' },
  ]
}

function best(work: () => void): number {
  return Math.min(...Array.from({ length: 5 }, () => timeOf(work)))
}

function timeOf(work: () => void): number {
  const began = performance.now()
  work()
  return performance.now() - began
}
