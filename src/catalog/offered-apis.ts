import type { Api } from '../core/api.ts'
import type { Entry } from './entry.ts'
import { COMMAND_LINE } from './typegen/index.ts'

/** An API and those of its tools that somebody may see; for command-line tools, `COMMAND_LINE` and all of them. */
export interface OfferedApi<T = Pick<Entry, 'name' | 'hash' | 'tool'>> {
  readonly api: Api
  readonly tools: readonly T[]
}

/** Tools by the API they belong to, sorted by its name, the command line last. */
export function offeredApis<T extends Pick<Entry, 'tool' | 'api'>>(entries: readonly T[]): readonly OfferedApi<T>[] {
  const groups = Map.groupBy(entries, ({ tool }) => tool.backend)
  return [...groups]
    .map(([backend, tools]) => ({ api: backend === undefined ? COMMAND_LINE : apiOf(backend, tools), tools }))
    .toSorted(
      (a, b) => Number(a.api === COMMAND_LINE) - Number(b.api === COMMAND_LINE) || (a.api.name < b.api.name ? -1 : 1),
    )
}

/** One that no file describes is known by its tools alone. */
function apiOf(name: string, [first]: readonly Pick<Entry, 'api'>[]): Api {
  return first?.api ?? { name, description: '', types: {}, health: false, containsCode: false }
}
