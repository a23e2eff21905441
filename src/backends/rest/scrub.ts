/** Shorter ones are used but not looked for: they would be found everywhere (ruling ToolClad 23). */
const SHORTEST = 8
const SHOWN = '[secret]'

/** An answer without the secrets that were sent with its request, however the server spells them back. */
export function scrub(body: Uint8Array, secrets: readonly string[]): Uint8Array {
  const forms = secrets.filter(secret => secret.length >= SHORTEST).flatMap(formsOf)
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  if (!forms.some(form => bytes.includes(form))) return body
  return Buffer.from(forms.reduce((text, form) => text.replaceAll(form, SHOWN), bytes.toString('utf8')))
}

function formsOf(secret: string): readonly string[] {
  const base64 = Buffer.from(secret).toString('base64')
  const json = JSON.stringify(secret).slice(1, -1)
  const forms = [
    secret,
    json,
    json.replaceAll('/', '\\/'),
    encodeURIComponent(secret),
    base64,
    base64.replace(/=+$/, ''),
  ]
  return [...new Set(forms)].filter(form => form.length >= SHORTEST).toSorted((a, b) => b.length - a.length)
}
