import { EXIT_INTERRUPTED } from './exit.ts'
import { wantsNoColor } from '../config/env.ts'
import { openPrinter } from './print.ts'
import { runCli } from './run-cli.ts'

/** Runs the command line of this process and ends it. */
export async function start(): Promise<void> {
  const { stdin, stdout, stderr, argv } = process
  const print = openPrinter({ stdout, stderr, noColor: wantsNoColor() })
  const signal = interruption()
  const code = await runCli(argv.slice(2), { cwd: process.cwd(), print, stdin, stdout, signal })
  const written = await print.flush()
  if (!written) print.note('sallyport: the result could not be written')
  process.exit(code === 0 && !written ? EXIT_NOT_WRITTEN : code)
}

const EXIT_NOT_WRITTEN = 3

/** npm passes a Ctrl-C on that the terminal has already sent: the same signal twice within this time is one. */
const ECHO_MS = 500

/** The first signal asks everything to end; the second does not wait for it. */
function interruption(): AbortSignal {
  const controller = new AbortController()
  let impatient = false
  const interrupt = (): void => {
    if (impatient) process.exit(EXIT_INTERRUPTED)
    controller.abort()
    setTimeout(() => (impatient = true), ECHO_MS).unref()
  }
  process.on('SIGINT', interrupt)
  process.on('SIGTERM', interrupt)
  return controller.signal
}
