import { RISK_TIERS } from '../../core/tool.ts'
import type { RiskTier } from '../../core/tool.ts'
import { didYouMean, nearest } from '../../lib/nearest.ts'
import { isTomlTable } from '../../lib/toml.ts'
import type { Problems } from './problems.ts'
import { EVIDENCE, LIMITS, TOOL } from './schema.ts'
import { hasKey, pathOf, readBoolean, readInteger, readSection, readString } from './section.ts'
import type { Section } from './section.ts'
import { DISPATCHES, HASHES, MAX_LIMIT, MAX_TIMEOUT, MODES, OUTPUT_DIR_VARIABLES, TOOL_NAME } from './spec.ts'
import { sentence } from './unsupported.ts'

/** `[tool]`, read and judged (reference 1.1 to 1.3). */
export interface ToolSettings {
  readonly name: string
  readonly version: string | undefined
  readonly description: string
  readonly callback: boolean
  readonly timeoutMs: number
  readonly riskTier: RiskTier
  readonly humanApproval: boolean
  readonly allowInterpreter: boolean
  readonly limits: Limits
  readonly evidence: { readonly capture: boolean; readonly outputDir?: string }
}

/** `[tool.limits]` (reference 1.4); what is not named is not limited. */
export type Limits = Readonly<Partial<Record<keyof typeof LIMITS, number>>>

export function readTool(manifest: Section, problems: Problems): ToolSettings {
  const tool = readSection(manifest, 'tool', TOOL)
  checkPresence(tool, manifest, problems)
  const mode = readString(tool, 'mode')
  if (mode !== undefined) oneOf(MODES, mode, { code: 'bad_mode', key: 'mode', tool, problems })
  const dispatch = readString(tool, 'dispatch')
  if (dispatch === 'callback')
    problems.error('unsupported', pathOf(tool, 'dispatch'), sentence('dispatch = "callback"'))
  return {
    name: readName(tool, problems),
    version: readString(tool, 'version'),
    description: readString(tool, 'description') ?? '',
    callback: oneOf(DISPATCHES, dispatch, { code: 'bad_dispatch', key: 'dispatch', tool, problems }) === 'callback',
    timeoutMs: readTimeout(tool, problems),
    riskTier:
      oneOf(RISK_TIERS, readString(tool, 'risk_tier'), { code: 'bad_risk_tier', key: 'risk_tier', tool, problems }) ??
      'critical',
    humanApproval: readBoolean(tool, 'human_approval'),
    allowInterpreter: readBoolean(tool, 'allow_interpreter'),
    limits: readLimits(tool, problems),
    evidence: readEvidence(tool, problems),
  }
}

/** Only the name is required; the specification's examples have the others (ruling 1). */
function checkPresence(tool: Section<typeof TOOL>, manifest: Section, problems: Problems): void {
  const wrong = hasKey(manifest, 'tool') && !isTomlTable(manifest.table['tool'])
  if (wrong) return
  if (!hasKey(tool, 'name')) problems.error('missing_key', tool.path, '[tool] needs a "name"')
  const advised = hasKey(manifest, 'command')
    ? (['version', 'description', 'binary'] as const)
    : (['version', 'description'] as const)
  for (const key of advised)
    if (!hasKey(tool, key)) problems.warning('missing_key', tool.path, `[tool] should have a "${key}"`)
}

function readName(tool: Section<typeof TOOL>, problems: Problems): string {
  const name = readString(tool, 'name') ?? ''
  if (hasKey(tool, 'name') && typeof tool.table['name'] === 'string' && !TOOL_NAME.test(name))
    problems.error(
      'bad_name',
      pathOf(tool, 'name'),
      `tool name "${name}" must be at most 64 letters, digits, _ and -, beginning with a letter`,
    )
  return name
}

interface Choice {
  readonly code: 'bad_mode' | 'bad_dispatch' | 'bad_risk_tier'
  readonly key: 'mode' | 'dispatch' | 'risk_tier'
  readonly tool: Section<typeof TOOL>
  readonly problems: Problems
}

function oneOf<T extends string>(list: readonly T[], written: string, choice: Choice): T | undefined {
  const found = list.find(entry => entry === written)
  if (found !== undefined) return found
  const { code, key, tool, problems } = choice
  const near = nearest(written, list)
  const message = `invalid ${key} '${written}', must be one of: ${list.join(', ')}`
  problems.error(code, pathOf(tool, key), message + didYouMean(near), near)
  return undefined
}

function readTimeout(tool: Section<typeof TOOL>, problems: Problems): number {
  const seconds = readInteger(tool, 'timeout_seconds')
  const path = pathOf(tool, 'timeout_seconds')
  if (seconds === 0n) problems.error('zero_timeout', path, 'timeout_seconds = 0 is refused: every call needs an end')
  else if (seconds < 0n || seconds > MAX_TIMEOUT)
    problems.error('bad_bounds', path, `timeout_seconds must be 1 to ${MAX_TIMEOUT}, not ${seconds}`)
  return Number(seconds) * 1000
}

const LIMIT_KEYS = ['nproc', 'nofile', 'fsize_bytes', 'address_space_bytes', 'cpu_seconds'] as const

function readLimits(tool: Section<typeof TOOL>, problems: Problems): Limits {
  const section = readSection(tool, 'limits', LIMITS)
  const limits: Partial<Record<keyof typeof LIMITS, number>> = {}
  for (const key of LIMIT_KEYS) {
    const value = readInteger(section, key)
    if (value === undefined) continue
    if (value < 1n || value > MAX_LIMIT)
      problems.error('bad_bounds', pathOf(section, key), `${key} must be 1 to ${MAX_LIMIT}, not ${value}`)
    limits[key] = Number(value)
  }
  return limits
}

function readEvidence(tool: Section<typeof TOOL>, problems: Problems): ToolSettings['evidence'] {
  const evidence = readSection(tool, 'evidence', EVIDENCE)
  const hash = readString(evidence, 'hash')
  if (!HASHES.some(known => known === hash))
    problems.error('wrong_type', pathOf(evidence, 'hash'), `hash must be one of: ${HASHES.join(', ')}`)
  if (readBoolean(evidence, 'screenshots'))
    problems.error('unsupported', pathOf(evidence, 'screenshots'), sentence('screenshots = true'))
  const outputDir = readString(evidence, 'output_dir')
  if (outputDir !== undefined) checkOutputDir(outputDir, pathOf(evidence, 'output_dir'), problems)
  return { capture: readBoolean(evidence, 'capture'), ...(outputDir === undefined ? {} : { outputDir }) }
}

/** It must stay inside the evidence root (ruling 22). */
function checkOutputDir(written: string, path: string, problems: Problems): void {
  const unknown = [...written.matchAll(/\{([^{}]*)\}/g)].find(([, name]) => !OUTPUT_DIR_VARIABLES.some(v => v === name))
  if (unknown !== undefined)
    problems.error(
      'placeholder_unknown',
      path,
      `${unknown[0]} is not known here; output_dir may hold {${OUTPUT_DIR_VARIABLES.join('} and {')}}`,
    )
  const inside = written.replace(/^\{evidence_dir\}(?:\/|$)/, '')
  const climbs = inside.split('/').includes('..') || inside.startsWith('/') || inside.includes('{evidence_dir}')
  if (climbs || inside.includes('\\') || inside.includes('\0'))
    problems.error('output_dir_outside', path, `output_dir must stay inside {evidence_dir}, but is "${written}"`)
}
