// What DADL spec 12.4 says about the names a composite may use.

const NETWORK = 'all requests go through api'
const MODULES = 'composites load no modules'
const SYSTEM = 'there is no system beneath'
const TEXT = 'text is not run as code'
const GLOBAL = 'the global object is not to be reached'
const TIMERS = 'use the timeout field instead'

/** Names that are refused, and why. */
export const FORBIDDEN_GLOBALS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    [NETWORK]: 'fetch XMLHttpRequest WebSocket EventSource navigator',
    [MODULES]: 'require module exports importScripts',
    [SYSTEM]: 'process fs child_process os Deno Bun Worker',
    [TEXT]: 'eval Function WebAssembly',
    [GLOBAL]: 'globalThis global window self',
    [TIMERS]: 'setTimeout setInterval setImmediate',
  }).flatMap(([why, names]) => names.split(' ').map(name => [name, why] as const)),
)

/** Names that JavaScript itself gives, whatever it runs in (ECMA-262, 19, without those above). */
export const COMPOSITE_GLOBALS: ReadonlySet<string> = new Set(
  `Infinity NaN undefined isFinite isNaN parseFloat parseInt decodeURI decodeURIComponent encodeURI encodeURIComponent
  escape unescape AggregateError Array ArrayBuffer BigInt BigInt64Array BigUint64Array Boolean DataView Date Error EvalError
  FinalizationRegistry Float16Array Float32Array Float64Array Int8Array Int16Array Int32Array Iterator Map Number Object
  Promise Proxy RangeError ReferenceError RegExp Set SharedArrayBuffer String Symbol SyntaxError TypeError Uint8Array
  Uint8ClampedArray Uint16Array Uint32Array URIError WeakMap WeakRef WeakSet Atomics JSON Math Reflect Intl`.split(
    /\s+/,
  ),
)
