import type { Outcome } from '../core/outcome.ts'

/** The command line was wrong. */
export const EXIT_USAGE = 64
/** A signal ended it. */
export const EXIT_INTERRUPTED = 130

const EXIT_ARGUMENTS = 1
const EXIT_NO_TOOL = 2
const EXIT_BACKEND = 3
const EXIT_DENIED = 5

const UNCONSTRUCTED: ReadonlySet<string> = new Set(['interpreter', 'callback'])

/** Exit code of a call made with `run` (ruling ToolClad 24) or `call`, where 2 is kept for an unknown tool. */
export function exitOf(outcome: Outcome, command: 'run' | 'call'): number {
  switch (outcome.status) {
    case 'ok':
      return 0
    case 'pending':
      return EXIT_DENIED
    case 'failed':
      return command === 'call' && outcome.exit === EXIT_NO_TOOL ? EXIT_BACKEND : outcome.exit
    case 'denied':
      if (outcome.by === 'authorization') return EXIT_NO_TOOL
      if (outcome.by === 'argument' || outcome.by === 'scope') return EXIT_ARGUMENTS
      if (outcome.by !== 'backend') return EXIT_DENIED
      // A program that became an interpreter cannot be constructed any more, a callback never (ruling ToolClad 5).
      return command === 'run' && UNCONSTRUCTED.has(outcome.code) ? EXIT_NO_TOOL : EXIT_BACKEND
  }
}
