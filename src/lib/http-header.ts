// What may stand in a header that somebody else wrote (RFC 9110, 5.1 and 5.5).

/** They belong to the connection; `host` would also change the name the certificate is checked against. */
const CONNECTION_HEADER =
  /^(host|connection|keep-alive|content-length|transfer-encoding|te|trailer|upgrade|expect|proxy-.*)$/i
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** Latin-1 without control characters, of which a line break would begin the next header. */
const NOT_IN_VALUE = /[^\t\u0020-\u007e\u0080-\u00ff]/u

export function isConnectionHeader(name: string): boolean {
  return CONNECTION_HEADER.test(name)
}

export function isHeaderName(name: string): boolean {
  return NAME.test(name)
}

/** The first character that cannot stand in a header's value. */
export function badHeaderCharacter(value: string): string | undefined {
  return NOT_IN_VALUE.exec(value)?.[0]
}
