import type { Backend } from './backend.ts'

/** A backend that is loaded with its first tool: most gateways have tools of one kind, and start without the others. */
export function lazyBackend<K extends string>(kind: K, load: () => Promise<Backend>): Backend & { readonly kind: K } {
  let loading: Promise<Backend> | undefined
  return {
    kind,
    prepare: async tool => {
      const backend = await (loading ??= load())
      return backend.prepare(tool)
    },
    close: async () => {
      await (await loading)?.close()
    },
  }
}
