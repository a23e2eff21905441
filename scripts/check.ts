// Everything that judges the sources without running them, side by side: types, lint, format, unused code.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const bin = join(import.meta.dirname, '..', 'node_modules', '.bin')
const steps: readonly (readonly string[])[] = [
  ['tsc', '-p', 'tsconfig.json'],
  ['oxlint', '--type-aware', '--deny-warnings'],
  ['oxfmt', '--check'],
  ['knip'],
]

const results = await Promise.all(steps.map(step => run(step)))
for (const { step, ok, output } of results) {
  if (ok) continue
  console.error(`✖ ${step.join(' ')}\n${output}`)
  process.exitCode = 1
}
if (process.exitCode !== 1) console.error('✔ types, lint, format, unused code')

interface Result {
  readonly step: readonly string[]
  readonly ok: boolean
  readonly output: string
}

/** npm on Node 18 leaves the native part of some tools out; that is said, and the rest is checked. */
function run(step: readonly string[]): Promise<Result> {
  const [name = '', ...args] = step
  return new Promise(resolve => {
    if (!existsSync(join(bin, name))) {
      console.error(`! ${name} is not installed on this platform: left out`)
      resolve({ step, ok: true, output: '' })
      return
    }
    const child = spawn(process.execPath, [join(bin, name), ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.once('error', error => resolve({ step, ok: false, output: error.message }))
    child.once('close', code => {
      const missingPart = output.includes('Cannot find native binding')
      if (missingPart) console.error(`! ${name} has no native part for this Node: left out`)
      resolve({ step, ok: code === 0 || missingPart, output })
    })
  })
}
