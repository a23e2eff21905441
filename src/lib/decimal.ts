/** The shortest decimal that is this number, without an exponent: `1e21` is `1000000000000000000000`, `-0` is `0`. */
export function toDecimal(value: number): string {
  const text = String(value === 0 ? 0 : value)
  if (!text.includes('e')) return text
  const [mantissa = '0', exponent = '0'] = text.split('e')
  const [whole = '0', fraction = ''] = mantissa.replace('-', '').split('.')
  const digits = whole + fraction
  const point = whole.length + Number(exponent)
  return `${mantissa.startsWith('-') ? '-' : ''}${place(digits, point)}`
}

function place(digits: string, point: number): string {
  if (point <= 0) return `0.${'0'.repeat(-point)}${digits}`
  const whole = digits.padEnd(point, '0').slice(0, point)
  return digits.length > point ? `${whole}.${digits.slice(point)}` : whole
}
