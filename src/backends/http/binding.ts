import { bindingReader } from '../binding.ts'

/** What a format tells this backend: one request, and what to do with the answer. Plain data. */
export type HttpBinding = {
  readonly method: string
  /** `METHOD url-as-written`, all that is ever shown of the URL. */
  readonly command: string
  readonly url: UrlTemplate
  /** Names in lower case. */
  readonly headers: readonly { readonly name: string; readonly value: Template }[]
  readonly body?: Template
  /** Cap on the decoded body of the answer. */
  readonly maxBytes: number
  readonly evidence: { readonly capture: boolean; readonly outputDir?: string }
  /** Of the evidence file. */
  readonly extension: string
}

export type UrlTemplate = {
  /** Scheme and authority. Of arguments it holds listed values, ports, and the one of `host`. */
  readonly origin: Template
  readonly path: Template
  /** With its `?`. */
  readonly query: Template
  /** The argument that is the whole host; absent: the host is the author's. */
  readonly host?: string
}

export type Template = readonly Part[]

/** A piece of a template. */
export type Part =
  | { readonly literal: string }
  /** The argument's value, nothing where it is absent. */
  | { readonly value: string }
  | { readonly secret: string }
  | { readonly injected: 'scan_id' }

export const httpBinding = bindingReader<HttpBinding>('http', ['method', 'command', 'url', 'headers', 'evidence'])
