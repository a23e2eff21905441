// Every JSONPath is of the dialect (DADL spec 9.4; ruling DADL 2).
import { compileJsonPath } from '../../../lib/json-path.ts'
import { toPointer } from '../../../lib/pointer.ts'
import { errorBlocksOf, paginationsOf, responsesOf } from '../effective.ts'
import type { Rule, RuleContext } from './rule.ts'

/** v0.1 did not fix the dialect, so there it is a warning, and a hyphen is part of a name. A path that masks must be readable. */
export const jsonPaths: Rule = ({ document, isFirst, error, warn }) => {
  for (const { at, key, source } of pathsOf(document)) {
    const compiled = compileJsonPath(source)
    if (compiled.ok) continue
    const report = isFirst && key !== 'redact' ? warn : error
    report('jsonpath_dialect', at, `${key} "${source}", character ${compiled.at + 1}: ${compiled.message}`)
  }
}

interface PathAt {
  readonly at: string
  readonly key: string
  readonly source: string
}

function pathsOf(document: RuleContext['document']): readonly PathAt[] {
  const { auth, health } = document.backend
  const extracted = auth.type === 'session' ? (auth.login.extract ?? {}) : {}
  return [
    ...responsesOf(document).flatMap(({ path, block }) => [
      ...pick(path, block, ['result_path', 'metadata_path']),
      ...(block.redact ?? []).map((source, index) => ({ at: `${path}/redact/${index}`, key: 'redact', source })),
    ]),
    ...errorBlocksOf(document).flatMap(({ path, block }) => pick(path, block, ['message_path', 'code_path'])),
    ...paginationsOf(document).flatMap(({ path, block }) =>
      pick(`${path}/response`, block.response ?? {}, ['next_cursor', 'has_more']),
    ),
    ...pick('/backend/health', health ?? {}, ['expect_path', 'auth_expires_path']),
    ...Object.entries(extracted).map(([name, source]) => ({
      at: `/backend/auth/login/extract${toPointer([name])}`,
      key: name,
      source,
    })),
  ]
}

function pick(path: string, block: object, keys: readonly string[]): readonly PathAt[] {
  return Object.entries(block).flatMap(([key, source]) =>
    keys.includes(key) && typeof source === 'string' ? [{ at: `${path}/${key}`, key, source }] : [],
  )
}
