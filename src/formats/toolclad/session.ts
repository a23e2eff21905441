// `[session]`: a program that is talked to line by line (reference/toolclad.md 1.9, 6; rulings 3, 4 and 20). This version
// judges all of it and runs none of it.
import { compileUnanchored, compileWhole } from '../../lib/regex.ts'
import { splitWords } from '../../lib/words.ts'
import { readArgument } from './arguments.ts'
import type { Argument } from './arguments.ts'
import { wrongProgram } from './command.ts'
import { checkBounds, readCommandOf, readCommandSections } from './commands.ts'
import type { Command, CommandsContext } from './commands.ts'
import type { Problems } from './problems.ts'
import { ARGUMENT, SESSION } from './schema.ts'
import { hasKey, pathOf, readBoolean, readSection, readString } from './section.ts'
import type { Section } from './section.ts'
import {
  COMMAND_TEXT,
  MAX_INTERACTIONS,
  MAX_SESSION_OUTPUT,
  MAX_TIMEOUT,
  SECRET_PLACEHOLDER,
  TARGET_GROUP,
} from './spec.ts'
import { judgeSessionText } from './types/hygiene.ts'

const SESSION_COMMAND = SESSION.commands.each.rows

export function readSession(manifest: Section, context: CommandsContext): readonly Command[] {
  const session = readSection(manifest, 'session', SESSION)
  const { problems } = context.judged
  checkStartup(session, problems)
  checkSettings(session, problems)
  return readCommandSections(session, problems).map(({ name, section }) => {
    const command = readCommandOf(name, section, context)
    const text = readText({ ...section, rows: SESSION_COMMAND }, context)
    return { ...command, args: [...text, ...command.args] }
  })
}

/** The first word of `startup_command`, which is the program of a session (ruling 3). */
export function startupProgram(manifest: Section): { readonly name: string; readonly path: string } | undefined {
  const session = readSection(manifest, 'session', SESSION)
  const split = splitWords(readString(session, 'startup_command') ?? '')
  const first = split.ok ? split.words[0] : undefined
  return first === undefined ? undefined : { name: first.text, path: pathOf(session, 'startup_command') }
}

function checkStartup(session: Section<typeof SESSION>, problems: Problems): void {
  for (const key of ['startup_command', 'ready_pattern'] as const)
    if (!hasKey(session, key)) problems.error('missing_key', session.path, `[session] needs a "${key}"`)
  const written = readString(session, 'startup_command')
  if (written !== undefined) {
    const at = pathOf(session, 'startup_command')
    const split = splitWords(written)
    if (!split.ok) problems.error('fragment_syntax', at, `it cannot be split into entries: ${split.message}`)
    else {
      const wrong = wrongProgram(split.words[0]?.text, 'startup_command')
      if (wrong !== undefined) problems.error('bad_argv0', at, wrong)
    }
    if (SECRET_PLACEHOLDER.test(written))
      problems.error('secret_in_command', at, 'every user of the machine can read the words of a running program')
  }
  const ready = readString(session, 'ready_pattern')
  if (ready === undefined) return
  const compiled = compileWhole(ready)
  const wrong = compiled.ok
    ? compiled.test('') && 'it matches the empty text, so nothing would ever be waited for'
    : compiled.message
  if (wrong !== false)
    problems.error('pattern_invalid', pathOf(session, 'ready_pattern'), `the pattern is not valid: ${wrong}`)
}

function checkSettings(session: Section<typeof SESSION>, problems: Problems): void {
  const { interaction, events, child_detection: detection } = SESSION
  checkBounds(
    session,
    {
      startup_timeout_seconds: MAX_TIMEOUT,
      idle_timeout_seconds: MAX_TIMEOUT,
      session_timeout_seconds: MAX_TIMEOUT,
      max_interactions: MAX_INTERACTIONS,
    },
    problems,
  )
  checkBounds(
    readSection(session, 'interaction', interaction.rows),
    { output_max_bytes: MAX_SESSION_OUTPUT, output_wait_ms: MAX_TIMEOUT * 1000n },
    problems,
  )
  checkBounds(
    readSection(session, 'events', events.rows),
    { max_queue_depth: MAX_INTERACTIONS, poll_interval_ms: MAX_TIMEOUT * 1000n, ttl_seconds: MAX_TIMEOUT },
    problems,
  )
  const child = readSection(session, 'child_detection', detection.rows)
  const pattern = readString(child, 'pattern')
  const compiled = pattern === undefined ? undefined : compileUnanchored(pattern)
  if (compiled?.ok === false)
    problems.error('pattern_invalid', pathOf(child, 'pattern'), `the pattern is not valid: ${compiled.message}`)
}

/** What the caller says to the program: the command's pattern decides, over the whole of it (ruling 20). */
function readText(section: Section<typeof SESSION_COMMAND>, { judged }: CommandsContext): readonly Argument[] {
  const { problems } = judged
  const args = readSection(section, 'args', {})
  if (Object.hasOwn(args.table, COMMAND_TEXT))
    problems.error(
      'bad_name',
      `${args.path}/${COMMAND_TEXT}`,
      `"${COMMAND_TEXT}" is the text of the command itself and cannot be declared`,
    )
  if (!hasKey(section, 'pattern')) {
    problems.error('pattern_missing', section.path, 'a session command needs a "pattern" for its whole text')
    return []
  }
  const pattern = readString(section, 'pattern')
  if (pattern === undefined) return [] // of the wrong kind, which is reported
  if (readBoolean(section, 'extract_target') && !TARGET_GROUP.test(pattern))
    problems.warning(
      'unused_key',
      pathOf(section, 'extract_target'),
      'the pattern has no group (?P<target>…) to take the target from',
    )
  const description = `What is said to the program; as a whole it matches ${pattern}`
  const argument = { rows: ARGUMENT, table: { required: true, pattern, description }, path: section.path }
  return readArgument(COMMAND_TEXT, argument, { defaults: new Map(), ...judged, hygieneOf: () => judgeSessionText })
}
