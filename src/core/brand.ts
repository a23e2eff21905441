declare const brand: unique symbol

/** A string (or other value) that was checked: only the module that checks it casts to the brand. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name }
