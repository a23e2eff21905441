/** Shorter ones are used but not looked for: they would be found everywhere (ruling ToolClad 23). */
const SHORTEST = 8
const SHOWN = '[secret]'

/** An answer without the secrets that were sent with its request, however the server spells them back. */
export function scrub(body: Uint8Array, secrets: readonly string[]): Uint8Array {
  const forms = secrets.filter(secret => secret.length >= SHORTEST).flatMap(formsOf)
  if (forms.length === 0) return body
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const hit = forms.some(form => bytes.includes(form))
  if (!hit && !bytes.includes('\\')) return body
  const text = bytes.toString('utf8')
  const clean = hit ? without(text, forms) : text
  // JSON may escape any character: "\u0073k" is "sk". Looked at with the fewest escapes it can have.
  const plain = clean.includes('\\') ? unescaped(clean) : clean
  if (forms.some(form => plain.includes(form))) return Buffer.from(without(plain, forms))
  return hit ? Buffer.from(clean) : body
}

function without(text: string, forms: readonly string[]): string {
  return forms.reduce((rest, form) => rest.replaceAll(form, SHOWN), text)
}

/** A surrogate pair is one character. */
const ESCAPE = /\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|\\u[0-9a-f]{4}|\\[^]/gi

/** The same JSON text with only those escapes that JSON itself would write. */
function unescaped(text: string): string {
  return text.replaceAll(ESCAPE, escape => {
    if (escape.length === 2) return escape === '\\/' ? '/' : escape
    const units = escape.split('\\u').slice(1)
    return JSON.stringify(String.fromCharCode(...units.map(unit => Number.parseInt(unit, 16)))).slice(1, -1)
  })
}

function formsOf(secret: string): readonly string[] {
  const base64 = Buffer.from(secret).toString('base64')
  const json = JSON.stringify(secret).slice(1, -1)
  const percent = encodeURIComponent(secret)
  const strict = percent.replaceAll(/[!'()*]/g, c => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
  const forms = [
    secret,
    json,
    json.replaceAll('/', '\\/'),
    ...[percent, strict].flatMap(form => [form, form.replaceAll('%20', '+'), form.replaceAll(/%../g, lower)]),
    base64,
    base64.replace(/=+$/, ''),
    Buffer.from(secret).toString('base64url'),
  ]
  return [...new Set(forms)].filter(form => form.length >= SHORTEST).toSorted((a, b) => b.length - a.length)
}

function lower(text: string): string {
  return text.toLowerCase()
}
