// A strict splitter of `scheme://authority…`. The WHATWG parser repairs what it is given (numeric hosts, backslashes, tabs,
// missing slashes); what is judged here is exactly what is written.

export interface SplitUrl {
  /** As written. */
  readonly scheme: string
  /** User information, where there is an `@`. */
  readonly user?: string
  readonly host: string
  /** The digits after the colon, where there is one; they may be none. */
  readonly port?: string
}

/** `undefined` where the text is no URL with an authority. */
export function splitUrl(text: string): SplitUrl | undefined {
  const [, scheme, authority] = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([^/?#]*)/.exec(text) ?? []
  if (scheme === undefined || authority === undefined) return undefined
  const at = authority.lastIndexOf('@')
  const place = authority.slice(at + 1)
  const colon = place.indexOf(':')
  return {
    scheme,
    ...(at === -1 ? {} : { user: authority.slice(0, at) }),
    host: colon === -1 ? place : place.slice(0, colon),
    ...(colon === -1 ? {} : { port: place.slice(colon + 1) }),
  }
}
