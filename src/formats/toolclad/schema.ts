// Every key a manifest may hold (ruling 1), by section. Anything else is refused at load (ToolClad spec, Tool-Level Hardening
// Keys; reference/toolclad.md section 1).
import { RISK_TIERS } from '../../core/tool.ts'

/** A leaf: what its value must be. `strings` and `integers` are arrays; `scalar` is a string, number or boolean. */
export type Kind = 'string' | 'boolean' | 'integer' | 'number' | 'scalar' | 'strings' | 'integers' | 'value'

export type Row =
  | { readonly kind: Kind; readonly default?: string | bigint | boolean }
  /** A section with keys of its own. */
  | { readonly rows: Rows }
  /** A map whose names the author chooses. */
  | { readonly each: Row }

export interface Rows {
  readonly [key: string]: Row
}

const text = { kind: 'string' } as const
const flag = { kind: 'boolean' } as const
const integer = { kind: 'integer' } as const
const strings = { kind: 'strings' } as const
const texts = { each: text } as const

/** 1.5 */
export const ARGUMENT = {
  type: { kind: 'string', default: 'string' },
  position: integer,
  required: flag,
  description: text,
  default: { kind: 'scalar' },
  allowed: strings,
  pattern: text,
  sanitize: strings,
  min: integer,
  max: integer,
  min_float: { kind: 'number' },
  max_float: { kind: 'number' },
  clamp: flag,
  schemes: strings,
  allow_whitespace: flag,
  allow_leading_dash: flag,
  block_internal: flag,
  scope_check: flag,
} as const satisfies Rows

/** 1.14; the last two only to be refused with a reason (ruling 2). */
export const CUSTOM_TYPE = {
  base: text,
  allowed: strings,
  pattern: text,
  min: integer,
  max: integer,
  min_float: { kind: 'number' },
  max_float: { kind: 'number' },
  block_internal: flag,
  scope_check: flag,
} as const satisfies Rows

export const CUSTOM_TYPES = { types: { each: { rows: CUSTOM_TYPE } } } as const satisfies Rows

/** 1.13 */
export const SCOPE = {
  allowed_domains: strings,
  allowed_cidrs: strings,
  blocked_domains: strings,
  blocked_cidrs: strings,
} as const satisfies Rows

export const SCOPE_FILE = { scope: { rows: SCOPE } } as const satisfies Rows

/** 1.3 */
export const EVIDENCE = {
  output_dir: text,
  capture: { kind: 'boolean', default: true },
  hash: { kind: 'string', default: 'sha256' },
  screenshots: flag,
} as const satisfies Rows

/** 1.4 */
export const LIMITS = {
  nproc: integer,
  nofile: integer,
  fsize_bytes: integer,
  address_space_bytes: integer,
  cpu_seconds: integer,
} as const satisfies Rows

/** 1.1, 1.2 */
export const TOOL = {
  name: text,
  version: text,
  binary: text,
  description: text,
  mode: text,
  dispatch: { kind: 'string', default: 'exec' },
  timeout_seconds: { kind: 'integer', default: 60n },
  risk_tier: { kind: 'string', default: RISK_TIERS[1] },
  human_approval: flag,
  network_egress: flag,
  allow_interpreter: flag,
  cedar: { rows: { resource: text, action: text } },
  evidence: { rows: EVIDENCE },
  limits: { rows: LIMITS },
} as const satisfies Rows

/** 1.6 */
export const COMMAND = {
  exec: strings,
  template: text,
  end_of_options: text,
  executor: text,
  defaults: { each: { kind: 'scalar' } },
  mappings: { each: texts },
  conditionals: { each: { rows: { when: text, template: text } } },
} as const satisfies Rows

/** 1.7 */
export const HTTP = {
  method: { kind: 'string', default: 'GET' },
  url: text,
  headers: texts,
  body_template: text,
  success_status: { kind: 'integers' },
  error_status: { kind: 'integers' },
} as const satisfies Rows

/** 1.8 */
export const MCP = { server: text, tool: text, field_map: texts } as const satisfies Rows

/** What a command of a session or browser has; each becomes a tool of its own. */
export const COMMAND_OF_MANY = {
  description: text,
  risk_tier: text,
  human_approval: flag,
  args: { each: { rows: ARGUMENT } },
} as const satisfies Rows

/** 1.9 */
export const SESSION = {
  startup_command: text,
  ready_pattern: text,
  startup_timeout_seconds: { kind: 'integer', default: 30n },
  idle_timeout_seconds: { kind: 'integer', default: 300n },
  session_timeout_seconds: { kind: 'integer', default: 1800n },
  max_interactions: { kind: 'integer', default: 100n },
  interaction: {
    rows: {
      input_sanitize: strings,
      output_max_bytes: { kind: 'integer', default: 1_048_576n },
      output_wait_ms: { kind: 'integer', default: 2000n },
    },
  },
  commands: { each: { rows: { ...COMMAND_OF_MANY, pattern: text, extract_target: flag } } },
  child_detection: { rows: { pattern: text, type: text, manifest: text } },
  events: {
    rows: {
      enabled: flag,
      max_queue_depth: { kind: 'integer', default: 100n },
      poll_interval_ms: { kind: 'integer', default: 500n },
      event_types: strings,
      ttl_seconds: { kind: 'integer', default: 300n },
    },
  },
} as const satisfies Rows

/** 6.9 */
export const AUTH_FLOW = {
  login_url: text,
  username_selector: text,
  password_selector: text,
  submit_selector: text,
  success_indicator: text,
  secret_ref: text,
  mfa_handler: text,
  mfa_selector: text,
  mfa_secret_ref: text,
} as const satisfies Rows

/** 1.10 */
export const BROWSER = {
  engine: { kind: 'string', default: 'cdp' },
  connect: { kind: 'string', default: 'launch' },
  headless: { kind: 'boolean', default: true },
  extract_mode: { kind: 'string', default: 'accessibility_tree' },
  defaults: { rows: { extract_mode: text } },
  startup_timeout_seconds: { kind: 'integer', default: 30n },
  session_timeout_seconds: { kind: 'integer', default: 1800n },
  idle_timeout_seconds: { kind: 'integer', default: 300n },
  max_interactions: { kind: 'integer', default: 100n },
  scope: { rows: { allowed_domains: strings, blocked_domains: strings, allow_external: flag } },
  commands: { each: { rows: COMMAND_OF_MANY } },
  state: { rows: { fields: strings } },
  auth_flows: { each: { rows: AUTH_FLOW } },
} as const satisfies Rows

/** 1.11 */
export const OUTPUT = {
  format: { kind: 'string', default: 'text' },
  parser: text,
  envelope: { kind: 'boolean', default: true },
  max_bytes: { kind: 'integer', default: 8_388_608n },
  schema: { kind: 'value' },
} as const satisfies Rows

export const MANIFEST = {
  tool: { rows: TOOL },
  args: { each: { rows: ARGUMENT } },
  command: { rows: COMMAND },
  http: { rows: HTTP },
  mcp: { rows: MCP },
  session: { rows: SESSION },
  browser: { rows: BROWSER },
  output: { rows: OUTPUT },
} as const satisfies Rows
