/** The version of the package; a test holds it equal to `package.json`, which is elsewhere once published. */
export const VERSION = '0.1.0'
