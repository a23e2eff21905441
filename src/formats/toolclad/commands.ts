// What `[session.commands.*]` and `[browser.commands.*]` have in common: each is a tool of its own, with its own risk,
// approval and arguments (reference/toolclad.md 1.9, 1.10, 6.1).
import { RISK_TIERS } from '../../core/tool.ts'
import type { RiskTier } from '../../core/tool.ts'
import { readArguments } from './arguments.ts'
import type { Argument, ArgumentsContext } from './arguments.ts'
import { oneOf } from './choice.ts'
import type { Problems } from './problems.ts'
import { COMMAND_OF_MANY } from './schema.ts'
import { hasKey, pathOf, readBoolean, readSection, readString } from './section.ts'
import type { Section } from './section.ts'
import { COMMAND_NAME } from './spec.ts'
import type { ToolSettings } from './tool-section.ts'

/** A command of a session or browser. */
export interface Command {
  readonly name: string
  /** JSON Pointer of its table. */
  readonly path: string
  readonly description: string
  readonly riskTier: RiskTier
  readonly humanApproval: boolean
  readonly args: readonly Argument[]
}

export interface CommandsContext {
  readonly tool: ToolSettings
  /** How the arguments of every command are read. */
  readonly judged: Omit<ArgumentsContext, 'parent' | 'defaults' | 'hygieneOf'>
}

/** The tables of `[<mode>.commands]`, their names judged. */
export function readCommandSections(
  mode: Section,
  problems: Problems,
): readonly { readonly name: string; readonly section: Section<typeof COMMAND_OF_MANY> }[] {
  const commands = readSection(mode, 'commands', {})
  const names = Object.keys(commands.table)
  if (names.length === 0)
    problems.warning('missing_key', mode.path, `${mode.path.slice(1)} without commands offers no tool`)
  return names.map(name => {
    const section = readSection(commands, name, COMMAND_OF_MANY)
    if (!COMMAND_NAME.test(name))
      problems.error(
        'bad_name',
        section.path,
        `command name "${name}" must be at most 64 letters, digits, _ and -, beginning with a letter`,
      )
    return { name, section }
  })
}

/** All of a command but what is special to its mode. */
export function readCommandOf(
  name: string,
  section: Section<typeof COMMAND_OF_MANY>,
  { tool, judged }: CommandsContext,
  hygieneOf?: ArgumentsContext['hygieneOf'],
): Command {
  const written = readString(section, 'risk_tier')
  const choice = {
    code: 'bad_risk_tier',
    key: 'risk_tier',
    path: pathOf(section, 'risk_tier'),
    problems: judged.problems,
  } as const
  return {
    name,
    path: section.path,
    description: readString(section, 'description') ?? tool.description,
    // What a command does not say of itself, the tool says for all of them.
    riskTier: written === undefined ? tool.riskTier : (oneOf(RISK_TIERS, written, choice) ?? 'critical'),
    humanApproval: readBoolean(section, 'human_approval') || tool.humanApproval,
    args: readArguments({
      parent: section,
      defaults: new Map(),
      ...judged,
      ...(hygieneOf === undefined ? {} : { hygieneOf }),
    }),
  }
}

/** The arguments of a session or browser are those of its commands. */
export function warnOfSharedArguments(manifest: Section, problems: Problems): void {
  if (hasKey(manifest, 'args'))
    problems.warning('unused_key', '/args', 'the arguments of a session or browser stand in its commands')
}

/** Whole numbers from 1 to a maximum, where they are written. */
export function checkBounds<R extends Section['rows']>(
  section: Section<R>,
  maxima: Readonly<Record<string, bigint>>,
  problems: Problems,
): void {
  for (const [key, max] of Object.entries(maxima)) {
    const value = section.table[key]
    if (typeof value !== 'bigint' || (value > 0n && value <= max)) continue
    const zero = value === 0n && key.endsWith('_timeout_seconds')
    const message = zero ? `${key} = 0 is refused: every wait needs an end` : `${key} must be 1 to ${max}, not ${value}`
    problems.error(zero ? 'zero_timeout' : 'bad_bounds', pathOf(section, key), message)
  }
}
