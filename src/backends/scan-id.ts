import type { Clock, Ids } from '../core/ports.ts'

/** One id per run: Unix seconds, a hyphen and twelve hex digits (ruling ToolClad 23). */
export function makeScanId({ clock, ids }: { readonly clock: Clock; readonly ids: Ids }): string {
  return `${Math.floor(clock.now() / 1000)}-${ids.hex(6)}`
}
