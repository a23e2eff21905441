// What was sent as a secret does not come back in an answer, however the server spells it (ruling ToolClad 23). Answers are
// read byte for byte, as Latin-1: nothing but the secret changes in them, whatever their encoding is.

/** Shorter ones are used but not looked for: they would be found everywhere (ruling ToolClad 23). */
const SHORTEST = 8
/** The beginning of a secret that a cut left at the end; a shorter one is anybody's. */
const SHORTEST_BEGINNING = 4
const SHOWN = '[secret]'

export interface Scrubber {
  /** The very same bytes where there is nothing to hide. `cut`: they end where a cap fell, maybe in the middle of a secret. */
  readonly bytes: (body: Uint8Array, options?: { readonly cut?: boolean }) => Uint8Array
  readonly text: (text: string) => string
}

/** Looks for the secrets raw, percent-encoded, JSON- and HTML-escaped and in base64, also inside longer base64. */
export function openScrubber(secrets: readonly string[]): Scrubber {
  const forms = [...new Set(secrets.filter(secret => secret.length >= SHORTEST).flatMap(formsOf))]
    .filter(form => form.length >= SHORTEST)
    .toSorted((a, b) => b.length - a.length)
  const bytes: Scrubber['bytes'] = (body, { cut = false } = {}) => {
    if (forms.length === 0) return body
    const buffer = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
    if (!cut && !buffer.includes('\\') && !forms.some(form => buffer.includes(form, 0, 'latin1'))) return body
    const text = buffer.toString('latin1')
    const whole = without(text, forms)
    const clean = cut ? withoutBeginning(whole, forms) : whole
    return clean === text ? body : Buffer.from(clean, 'latin1')
  }
  return {
    bytes,
    text: text => {
      if (forms.length === 0 || text.length < SHORTEST) return text
      const given = Buffer.from(text)
      const clean = bytes(given)
      return clean === given ? text : Buffer.from(clean).toString()
    },
  }
}

function without(text: string, forms: readonly string[]): string {
  const clean = replaceAll(text, forms)
  // JSON may escape any character: "\u0073k" is "sk". Looked at with the fewest escapes it can have.
  const plain = clean.includes('\\') ? unescaped(clean) : clean
  return forms.some(form => plain.includes(form)) ? replaceAll(plain, forms) : clean
}

function replaceAll(text: string, forms: readonly string[]): string {
  return forms.reduce((rest, form) => rest.replaceAll(form, SHOWN), text)
}

function withoutBeginning(text: string, forms: readonly string[]): string {
  // A cut may have fallen in the middle of an escape, too.
  const whole = text.replace(/\\(?:u[0-9a-f]{0,3})?$/i, '')
  for (const candidate of [text, unescaped(whole)]) {
    const longest = Math.max(...forms.map(form => beginningAt(candidate, form)))
    if (longest >= SHORTEST_BEGINNING) return candidate.slice(0, -longest) + SHOWN
  }
  return text
}

/** How much of the form the text ends with. */
function beginningAt(text: string, form: string): number {
  for (let length = Math.min(form.length, text.length); length >= SHORTEST_BEGINNING; length--)
    if (text.endsWith(form.slice(0, length))) return length
  return 0
}

/** A surrogate pair is one character. */
const ESCAPE = /\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|\\u[0-9a-f]{4}|\\[^]/gi

/** The same JSON text with only those escapes that JSON itself would write. */
function unescaped(text: string): string {
  return text.replaceAll(ESCAPE, escape => {
    if (escape.length === 2) return escape === '\\/' ? '/' : escape
    const units = escape.split('\\u').slice(1)
    return asBytes(jsonEscaped(String.fromCharCode(...units.map(unit => Number.parseInt(unit, 16)))))
  })
}

/** Each as the bytes that would be sent for it. */
function formsOf(secret: string): readonly string[] {
  const json = jsonEscaped(secret)
  const percent = encodeURIComponent(secret)
  const strict = percent.replaceAll(/[!'()*]/g, c => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
  const html = secret.replaceAll(/[&<>"]/g, c => HTML[c] ?? c)
  const forms = [
    secret,
    secret.trim(), // as a header loses it
    json,
    json.replaceAll('/', '\\/'),
    jsonEscaped(json),
    html,
    ...['&#39;', '&#x27;', '&#039;', '&apos;'].map(quote => html.replaceAll("'", quote)),
    ...[percent, strict].flatMap(form => [form, form.replaceAll('%20', '+'), form.replaceAll(/%../g, lower)]),
    ...base64Of(Buffer.from(secret)),
  ].map(asBytes)
  // Headers are sent in Latin-1.
  return /^[\u0000-\u00ff]*$/.test(secret) ? [...forms, secret, secret.trim()] : forms
}

const HTML: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Alone, and what it always is inside longer base64 at each of its three places (`Basic` of a user and a password). */
function base64Of(secret: Buffer): readonly string[] {
  const alone = secret.toString('base64')
  const inside = [0, 1, 2].map(offset => {
    const text = Buffer.concat([Buffer.alloc(offset), secret]).toString('base64')
    return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + secret.length) * 8) / 6))
  })
  return [alone, alone.replace(/=+$/, ''), ...inside].flatMap(form => [
    form,
    form.replaceAll('+', '-').replaceAll('/', '_'),
  ])
}

function jsonEscaped(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

function asBytes(text: string): string {
  return Buffer.from(text).toString('latin1')
}

function lower(text: string): string {
  return text.toLowerCase()
}
