// The one file of cases that do not pass. Whoever runs cases asks it by their ids and tells which of them there are.
import { load as loadYaml } from 'js-yaml'
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'

const list = z.array(z.strictObject({ case: z.string(), reason: z.string().min(1) })).nullable()

export interface Exceptions {
  /** A listed case has to fail: once it passes, its line is stale. */
  readonly run: (id: string, check: () => void | Promise<void>) => Promise<void>
  /** Ids of listed cases that were not run. */
  readonly unused: () => readonly string[]
}

/** Those whose id `isOurs`. */
export function readExceptions(isOurs: (id: string) => boolean): Exceptions {
  const text = readFileSync(join(import.meta.dirname, '../conformance/exceptions.yaml'), 'utf8')
  const reasons = new Map((list.parse(loadYaml(text)) ?? []).map(exception => [exception.case, exception.reason]))
  const seen = new Set<string>()
  return {
    run: async (id, check) => {
      assert.ok(!seen.has(id), `two cases are called ${id}`)
      seen.add(id)
      const reason = reasons.get(id)
      const stale = `${id} passes now: remove it from exceptions.yaml (it said: ${reason})`
      if (reason === undefined) await check()
      else await assert.rejects(async () => check(), Error, stale)
    },
    unused: () => [...reasons.keys()].filter(id => isOurs(id) && !seen.has(id)),
  }
}
