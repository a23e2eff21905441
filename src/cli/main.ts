#!/usr/bin/env node
// The entry: everything an older Node could not even read is loaded after the check.
import * as modules from 'node:module' // by name it could not be linked where the function is missing

const [major = 0] = process.versions.node.split('.').map(Number)
if (major < 24) {
  process.stderr.write(
    `Sallyport needs Node 24 or newer: found ${process.version}. Install it from https://nodejs.org and try again.\n`,
  )
  process.exit(1)
}
modules.enableCompileCache()
const { start } = await import('./start.ts')
await start()
