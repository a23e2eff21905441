// Children of a killed process live on. One shell, started once and told each process group on a pipe as it starts and
// ends, kills what is left when the pipe closes, which is the one thing even `kill -9` of this process brings about.
import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import type { Logger } from '../core/ports.ts'

export interface Reaper {
  /** Starts the shell, if it does not run. */
  readonly start: () => void
  readonly watch: (group: number) => void
  readonly forget: (group: number) => void
  /** Idempotent; groups still watched are killed. */
  readonly close: () => Promise<void>
}

/** POSIX sh, built-ins only. Terminal signals are for the gateway to act on, not for its reaper. */
const SCRIPT = `
trap '' HUP INT QUIT TERM
groups=' '
while read -r what group; do
  case $what in
    +) groups="$groups$group " ;;
    -) case $groups in
         *" $group "*) groups="\${groups%%" $group "*} \${groups#*" $group "}" ;;
       esac ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
`

/** A reaper that keeps dying is given up after this many starts, with a warning. */
const MAX_STARTS = 5

export function openReaper({ logger }: { readonly logger: Logger }): Reaper {
  const groups = new Set<number>()
  let shell: ChildProcess | undefined
  let starts = 0
  let closed = false

  function start(): void {
    if (shell !== undefined || closed || starts >= MAX_STARTS) return
    starts++
    const started = startShell()
    shell = started
    for (const group of groups) tell('+', group)
    const ended = (): void => {
      if (shell !== started) return
      shell = undefined
      if (closed) return
      if (starts >= MAX_STARTS)
        logger.warn('The reaper keeps ending; programs started by a gateway that is killed will run on.')
      else if (groups.size > 0) start()
    }
    started.once('exit', ended)
    started.once('error', ended)
  }

  function tell(what: '+' | '-', group: number): void {
    shell?.stdin?.write(`${what} ${group}\n`)
  }

  return {
    start,
    watch: group => {
      groups.add(group)
      tell('+', group)
    },
    forget: group => {
      if (groups.delete(group)) tell('-', group)
    },
    close: async () => {
      closed = true
      const last = shell
      if (last === undefined) return
      last.ref()
      last.stdin?.end()
      if (last.exitCode === null && last.signalCode === null)
        await new Promise(resolve => {
          last.once('exit', resolve)
          last.once('error', resolve)
        })
    },
  }
}

function startShell(): ChildProcess {
  const shell = spawn('/bin/sh', ['-c', SCRIPT], {
    argv0: 'sallyport-reaper',
    cwd: '/',
    env: {},
    detached: true, // a session of its own: Ctrl-C at the terminal does not reach it
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  shell.unref()
  shell.stdin.on('error', () => undefined) // it died: `exit` follows and starts another
  return shell
}
