/** One place of a value and what shall stand there; undefined takes the key away. */
export interface Edit {
  readonly path: readonly (string | number)[]
  readonly by: unknown
}

/** A copy with all edits done, in one pass; of edits inside one another the outer one counts. */
export function edited(value: unknown, edits: readonly Edit[]): unknown {
  const root: Plan = { inner: new Map() }
  for (const { path, by } of edits) {
    let plan = root
    for (const step of path) {
      const next = plan.inner.get(String(step)) ?? { inner: new Map() }
      plan.inner.set(String(step), next)
      plan = next
    }
    plan.by ??= { value: by }
  }
  return apply(value, root)
}

interface Plan {
  readonly inner: Map<string, Plan>
  by?: { readonly value: unknown }
}

function apply(value: unknown, { inner, by }: Plan): unknown {
  if (by !== undefined) return by.value
  if (Array.isArray(value)) return value.map((item: unknown, index) => applyAt(item, inner.get(String(index))))
  if (typeof value !== 'object' || value === null) return value
  const added = [...inner.keys()]
    .filter(key => !Object.hasOwn(value, key))
    .map((key): [string, unknown] => [key, undefined])
  const entries: readonly (readonly [string, unknown])[] = [...Object.entries(value), ...added]
  return Object.fromEntries(
    entries.flatMap(([key, member]) => {
      const kept = applyAt(member, inner.get(key))
      return kept === undefined ? [] : [[key, kept]]
    }),
  )
}

function applyAt(value: unknown, plan: Plan | undefined): unknown {
  return plan === undefined ? value : apply(value, plan)
}
