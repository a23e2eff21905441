import type { Values } from '../../core/tool.ts'
import type { Preview } from '../backend.ts'
import { makeScanId } from '../scan-id.ts'
import { httpBinding } from './binding.ts'
import type { HttpBinding } from './binding.ts'
import { buildRequest } from './request.ts'
import type { Filling } from './request.ts'

/** One request; a secret as the author wrote it. */
export type HttpPreview = {
  readonly kind: 'http'
  readonly request: {
    readonly method: string
    readonly url: string
    readonly headers: Readonly<Record<string, string>>
    readonly body?: string
  }
}

export const preview: Preview<HttpPreview> = (tool, values, deps) =>
  toPreview(httpBinding.parse(tool.binding.data), shown(values, makeScanId(deps)))

/** Everything but the secrets. */
export function shown(values: Values, scanId: string): Filling {
  return { values, scanId, secret: name => `{_secret:${name}}` }
}

export function toPreview(binding: HttpBinding, filling: Filling): HttpPreview {
  const { headers, ...request } = buildRequest(binding, filling)
  return { kind: 'http', request: { ...request, headers: { ...headers } } }
}
