// Children of a killed process live on. One shell, started once and told each process group on a pipe as it starts and
// ends, kills what is left when the pipe closes, which is the one thing even `kill -9` of this process brings about.
import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import type { Logger } from '../core/ports.ts'

export interface Reaper {
  /** Starts the shell, if it does not run. */
  readonly start: () => void
  /**
   * A program is about to be started in a folder that is its alone. Until `watch` or `failed` follows in the same turn, what
   * runs there is taken for it: this process may be killed before it learns the group.
   */
  readonly expect: (folder: string) => void
  readonly failed: () => void
  readonly watch: (group: number) => void
  readonly forget: (group: number) => void
  /** Idempotent; groups still watched are killed. */
  readonly close: () => Promise<void>
}

/** POSIX sh, built-ins only (`-ef` is in every sh with a /proc). Terminal signals are for the gateway to act on, not for its reaper. */
const SCRIPT = `
trap '' HUP INT QUIT TERM
groups=' '
folder=
while read -r what value; do
  case $what in
    '?') folder=$value ;;
    '!') folder= ;;
    +) folder= groups="$groups$value " ;;
    -) case $groups in
         *" $value "*) groups="\${groups%%" $value "*} \${groups#*" $value "}" ;;
       esac ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
[ -n "$folder" ] || exit 0
for look in 1 2 3 4 5; do
  for process in /proc/[0-9]*; do
    [ "$process/cwd" -ef "$folder" ] || continue
    kill -s KILL -- "-\${process#/proc/}" "\${process#/proc/}" 2>/dev/null
  done
  /bin/sleep 0.1
done
`

/** How often a shell that died is replaced at once; after that, when the next program is started. */
const MAX_RESTARTS = 2

export function openReaper({ logger }: { readonly logger: Logger }): Reaper {
  const groups = new Set<number>()
  let shell: ChildProcess | undefined
  let restarts = 0
  let warned = false
  let closed = false

  function launch(): void {
    const launched = startShell()
    shell = launched
    for (const group of groups) tell('+', group)
    const onEnd = (): void => {
      if (shell === launched) shell = undefined
      if (closed || shell !== undefined || groups.size === 0) return
      if (restarts++ < MAX_RESTARTS) launch()
      else warn()
    }
    launched.once('exit', onEnd)
    launched.once('error', onEnd)
  }

  function warn(): void {
    if (!warned) logger.warn('The reaper keeps ending: programs of a gateway that is killed would run on.')
    warned = true
  }

  function tell(what: '+' | '-' | '?' | '!', value: number | string = ''): void {
    shell?.stdin?.write(`${what} ${value}\n`)
  }

  return {
    start: () => {
      restarts = 0
      if (shell === undefined && !closed) launch()
    },
    expect: folder => {
      if (!/[\n\\]|\s$/.test(folder)) tell('?', folder)
    },
    failed: () => tell('!'),
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
  const shell = spawn('/bin/sh', ['-c', SCRIPT, 'sallyport-reaper'], {
    cwd: '/',
    env: {},
    detached: true, // a session of its own: Ctrl-C at the terminal does not reach it
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  shell.unref()
  shell.stdin.on('error', () => undefined) // it died: `exit` follows and starts another
  return shell
}
