/** RFC 3986: unreserved characters stay, everything else is percent-encoded, `/ * ! ' ( )` too. */
export function encodeComponent(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, c => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
}
