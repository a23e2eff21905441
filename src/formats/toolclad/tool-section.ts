import { RISK_TIERS } from '../../core/tool.ts'
import type { RiskTier } from '../../core/tool.ts'
import { isTomlTable } from '../../lib/toml.ts'
import { oneOf } from './choice.ts'
import type { Problems } from './problems.ts'
import { EVIDENCE, LIMITS, TOOL } from './schema.ts'
import { hasKey, pathOf, readBoolean, readInteger, readSection, readString } from './section.ts'
import type { Section } from './section.ts'
import { DISPATCHES, HASHES, MAX_LIMIT, MAX_TIMEOUT, MODES, OUTPUT_DIR_VARIABLES, TOOL_NAME } from './spec.ts'

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
  const choice = <K extends 'mode' | 'dispatch' | 'risk_tier'>(key: K) =>
    ({ code: `bad_${key}`, key, path: pathOf(tool, key), problems }) as const
  const mode = readString(tool, 'mode')
  if (mode !== undefined) oneOf(MODES, mode, choice('mode'))
  return {
    name: readName(tool, problems),
    version: readString(tool, 'version'),
    description: readString(tool, 'description') ?? '',
    callback: oneOf(DISPATCHES, readString(tool, 'dispatch'), choice('dispatch')) === 'callback',
    timeoutMs: readTimeout(tool, problems),
    riskTier: oneOf(RISK_TIERS, readString(tool, 'risk_tier'), choice('risk_tier')) ?? 'critical',
    humanApproval: readBoolean(tool, 'human_approval'),
    allowInterpreter: readBoolean(tool, 'allow_interpreter'),
    limits: readLimits(tool, problems),
    evidence: readEvidence(tool, manifest, problems),
  }
}

/** Only the name is required; the specification's examples have the others, except for callbacks (ruling 1). */
function checkPresence(tool: Section<typeof TOOL>, manifest: Section, problems: Problems): void {
  const wrong = hasKey(manifest, 'tool') && !isTomlTable(manifest.table['tool'])
  if (wrong) return
  if (!hasKey(tool, 'name')) problems.error('missing_key', tool.path, '[tool] needs a "name"')
  if (tool.table['dispatch'] === 'callback') return
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

function readEvidence(tool: Section<typeof TOOL>, manifest: Section, problems: Problems): ToolSettings['evidence'] {
  const evidence = readSection(tool, 'evidence', EVIDENCE)
  const hash = readString(evidence, 'hash')
  if (!HASHES.some(known => known === hash))
    problems.error('wrong_type', pathOf(evidence, 'hash'), `hash must be one of: ${HASHES.join(', ')}`)
  if (readBoolean(evidence, 'screenshots') && !hasKey(manifest, 'browser'))
    problems.warning('unused_key', pathOf(evidence, 'screenshots'), 'only a [browser] tool takes screenshots')
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
