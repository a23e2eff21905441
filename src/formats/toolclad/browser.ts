// `[browser]`: commands for a web page (reference/toolclad.md 1.10, 6.5; ruling 20). This version judges all of it and runs none
// of it.
import { didYouMean, nearest } from '../../lib/nearest.ts'
import { toPointer } from '../../lib/pointer.ts'
import { oneOf } from './choice.ts'
import { checkBounds, readCommandOf, readCommandSections } from './commands.ts'
import type { Command, CommandsContext } from './commands.ts'
import type { Problems } from './problems.ts'
import { AUTH_FLOW, BROWSER } from './schema.ts'
import { readDomains } from './scope.ts'
import { pathOf, readSection, readString, readStrings } from './section.ts'
import type { Section } from './section.ts'
import {
  BROWSER_COMMANDS,
  BROWSER_CONNECTS,
  BROWSER_ENGINES,
  EXECUTE_JS,
  EXTRACT_MODES,
  JSON_TEXTS,
  MAX_INTERACTIONS,
  MAX_TIMEOUT,
  MFA_HANDLERS,
  PAGE_STATES,
} from './spec.ts'
import { judgeBrowserText } from './types/hygiene.ts'

export function readBrowser(manifest: Section, context: CommandsContext): readonly Command[] {
  const browser = readSection(manifest, 'browser', BROWSER)
  const { problems } = context.judged
  checkSettings(browser, problems)
  return readCommandSections(browser, problems).map(({ name, section }) => {
    const near = nearest(name, BROWSER_COMMANDS)
    if (!BROWSER_COMMANDS.some(known => known === name))
      problems.error(
        'bad_name',
        section.path,
        `"${name}" is no command of a browser: ${BROWSER_COMMANDS.join(', ')}${didYouMean(near)}`,
        near,
      )
    const isText = (argument: string): boolean => JSON_TEXTS.some(t => t === argument || t === `${name}.${argument}`)
    const command = readCommandOf(name, section, context, argument => (isText(argument) ? judgeBrowserText : undefined))
    return name === EXECUTE_JS ? { ...command, humanApproval: true } : command
  })
}

function checkSettings(browser: Section<typeof BROWSER>, problems: Problems): void {
  const defaults = readSection(browser, 'defaults', BROWSER.defaults.rows)
  const choice = (section: Section<typeof BROWSER>, key: 'engine' | 'connect' | 'extract_mode') =>
    ({ code: 'bad_mode', key, path: pathOf(section, key), problems }) as const
  oneOf(BROWSER_ENGINES, readString(browser, 'engine'), choice(browser, 'engine'))
  oneOf(BROWSER_CONNECTS, readString(browser, 'connect'), choice(browser, 'connect'))
  oneOf(EXTRACT_MODES, readString(browser, 'extract_mode'), choice(browser, 'extract_mode'))
  const mode = readString(defaults, 'extract_mode')
  if (mode !== undefined)
    oneOf(EXTRACT_MODES, mode, {
      code: 'bad_mode',
      key: 'extract_mode',
      path: pathOf(defaults, 'extract_mode'),
      problems,
    })
  checkBounds(
    browser,
    {
      startup_timeout_seconds: MAX_TIMEOUT,
      idle_timeout_seconds: MAX_TIMEOUT,
      session_timeout_seconds: MAX_TIMEOUT,
      max_interactions: MAX_INTERACTIONS,
    },
    problems,
  )
  const scope = readSection(browser, 'scope', BROWSER.scope.rows)
  for (const key of ['allowed_domains', 'blocked_domains'] as const)
    readDomains(readStrings(scope, key), pathOf(scope, key), problems)
  checkStates(readSection(browser, 'state', BROWSER.state.rows), problems)
  checkFlows(readSection(browser, 'auth_flows', {}), problems)
}

function checkStates(state: Section<typeof BROWSER.state.rows>, problems: Problems): void {
  for (const [index, field] of (readStrings(state, 'fields') ?? []).entries())
    oneOf(PAGE_STATES, field, {
      code: 'bad_mode',
      key: 'field',
      path: pathOf(state, 'fields') + toPointer([index]),
      problems,
    })
}

function checkFlows(flows: Section, problems: Problems): void {
  for (const name of Object.keys(flows.table)) {
    const flow = readSection(flows, name, AUTH_FLOW)
    const handler = readString(flow, 'mfa_handler')
    if (handler !== undefined)
      oneOf(MFA_HANDLERS, handler, {
        code: 'bad_mode',
        key: 'mfa_handler',
        path: pathOf(flow, 'mfa_handler'),
        problems,
      })
  }
}
