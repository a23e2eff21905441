import { styleFor } from './style.ts'
import type { Style } from './style.ts'
import { visibleJson, visibleLine } from './visible.ts'

/** The one writer of stdout and stderr. Whoever closed a stream gets nothing more, and nothing breaks. */
export interface Printer {
  /** Colours for what goes to stdout. */
  readonly style: Style
  /** Colours for what goes to stderr. */
  readonly noteStyle: Style
  /** A person watches stderr. */
  readonly interactive: boolean
  /** Of the terminal behind stdout. */
  readonly width: number | undefined
  /** A result for people, on stdout. */
  readonly text: (text: string) => void
  /** A result for programs, on stdout. */
  readonly json: (value: unknown) => void
  /** One line of many; resolves when there is room for the next. False: nobody reads any more. */
  readonly jsonLine: (value: unknown) => Promise<boolean>
  /** Everything else, on stderr. */
  readonly note: (text: string) => void
  /** A line of the log, already made safe. */
  readonly log: (line: string) => void
  /** Says on stderr what is going on, once it takes longer than a second. */
  readonly progress: (label: string) => ShownProgress
  /** Resolves when all is written, or nobody reads it; false where a result was lost otherwise (a full disk). */
  readonly flush: () => Promise<boolean>
}

export interface ShownProgress {
  readonly update: (label: string) => void
  readonly stop: () => void
}

export interface Output extends NodeJS.WritableStream {
  readonly isTTY?: boolean
  readonly columns?: number
}

export interface PrinterOptions {
  readonly stdout: Output
  readonly stderr: Output
  readonly noColor: boolean
}

const CLEAR_LINE = '\r\u001b[K'
const PROGRESS_AFTER_MS = 1000
const PROGRESS_EVERY_MS = 200

export function openPrinter({ stdout, stderr, noColor }: PrinterOptions): Printer {
  const out = openStream(stdout)
  const err = openStream(stderr)
  let shown: string | undefined

  /** The line of the progress gives way to what is printed and comes back at its next tick. */
  const note = (text: string): void => {
    if (shown !== undefined) err.write(CLEAR_LINE)
    shown = undefined
    err.write(text)
  }
  const result = (text: string): void => {
    if (shown !== undefined) note('')
    out.write(text)
  }
  const draw = (line: string): void => {
    shown = line
    err.write(`${CLEAR_LINE}${line}`)
  }

  return {
    style: styleFor(stdout, noColor),
    noteStyle: styleFor(stderr, noColor),
    interactive: stderr.isTTY === true,
    width: widthOf(stdout),
    text: text => result(`${text}\n`),
    json: value => result(`${visibleJson(value, 2)}\n`),
    jsonLine: async value => {
      if (!out.write(`${visibleJson(value)}\n`)) await out.drained()
      return out.isOpen()
    },
    note: text => note(`${text}\n`),
    log: note,
    progress: label => openProgress(label, { note, draw, live: stderr.isTTY === true }),
    flush: async () => {
      await Promise.all([out.flush(), err.flush()])
      return !out.isBroken()
    },
  }
}

/** Some terminals do not know their width, and say 0. */
function widthOf({ isTTY, columns }: Output): number | undefined {
  return isTTY === true && columns !== 0 ? columns : undefined
}

interface ProgressOutput {
  readonly note: (text: string) => void
  readonly draw: (line: string) => void
  readonly live: boolean
}

function openProgress(first: string, { note, draw, live }: ProgressOutput): ShownProgress {
  let label = first
  let ticks = 0
  const tick = (): void => {
    ticks++
    if (live) draw(`${visibleLine(label)} … ${Math.round((PROGRESS_AFTER_MS + ticks * PROGRESS_EVERY_MS) / 1000)} s`)
    else if (ticks === 1) note(`${visibleLine(label)} …\n`)
  }
  let repeating: NodeJS.Timeout | undefined
  const waiting = setTimeout(() => {
    tick()
    if (live) repeating = setInterval(tick, PROGRESS_EVERY_MS)
  }, PROGRESS_AFTER_MS)
  return {
    update: next => {
      label = next
    },
    stop: () => {
      clearTimeout(waiting)
      clearInterval(repeating)
      note('')
    },
  }
}

interface SafeStream {
  /** False: wait for `drained` before the next. */
  readonly write: (text: string) => boolean
  readonly drained: () => Promise<void>
  readonly flush: () => Promise<void>
  readonly isOpen: () => boolean
  /** Closed by anything but a reader that left. */
  readonly isBroken: () => boolean
}

/** A reader that left (`| head`) is no fault: what is written after that is dropped. */
function openStream(stream: Output): SafeStream {
  let open = true
  let broken = false
  const waiting = new Set<() => void>()
  const wake = (): void => {
    for (const resolve of waiting) resolve()
    waiting.clear()
  }
  stream.on('drain', wake)
  stream.on('error', (error: NodeJS.ErrnoException) => {
    open = false
    broken ||= error.code !== 'EPIPE'
    wake()
  })
  return {
    write: text => {
      if (!open || text === '') return true
      return stream.write(text)
    },
    drained: () => (open ? new Promise(resolve => waiting.add(resolve)) : Promise.resolve()),
    flush: () =>
      new Promise(resolve => {
        if (!open) return resolve()
        waiting.add(resolve)
        stream.write('', () => resolve())
      }),
    isOpen: () => open,
    isBroken: () => broken,
  }
}
