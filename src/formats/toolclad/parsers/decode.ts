/** Bytes as text for people: what is no UTF-8 becomes U+FFFD. */
export function decodeLossy(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
}

/** Bytes as text for machines (ruling 26): strict UTF-8 without NUL, a byte order mark dropped; `undefined` for anything else. */
export function decodeStrict(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined // what fatal is for
  }
}
