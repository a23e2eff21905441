// What the ToolClad specification and our rulings fix: names, sentences, defaults, character classes. No other file of this
// folder holds such a constant.

// ToolClad spec, Dispatch Modes, Tool-Level Hardening Keys
export const DISPATCHES = ['exec', 'callback'] as const
export const MODES = ['oneshot', 'session', 'browser'] as const
export const BACKENDS = ['command', 'http', 'mcp', 'session', 'browser'] as const
/** Seconds; the most a timer of the platform can wait. */
export const MAX_TIMEOUT = 2_147_483n
/** The keys of `[tool.limits]`: 1 to this; what a JSON number holds exactly. */
export const MAX_LIMIT = 9_007_199_254_740_991n
/** Bytes; what is captured must still fit one string. */
export const MAX_CAPTURE = 268_435_456n
export const TOOL_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/
/** Names that start with `_` belong to mappings, conditionals and injected values (ruling 6). */
export const ARGUMENT_NAME = /^[A-Za-z][A-Za-z0-9_]{0,63}$/
export const HASHES = ['sha256'] as const
/** Variables of `[tool.evidence] output_dir`. */
export const OUTPUT_DIR_VARIABLES = ['evidence_dir', 'scan_id'] as const

// ToolClad spec, Type System
export const TYPE_NAMES = [
  'string',
  'integer',
  'number',
  'port',
  'boolean',
  'enum',
  'scope_target',
  'url',
  'path',
  'ip_address',
  'cidr',
  'msf_options',
  'credential_file',
  'duration',
  'regex_match',
] as const
/** Types that name a host or a range (ToolClad spec, Tool-Level Hardening Keys, network_egress). */
export const NETWORK_TYPES: readonly string[] = ['scope_target', 'url', 'ip_address', 'cidr']
/** Keys that judge hosts and ranges (ruling 2). */
export const NETWORK_KEYS = ['block_internal', 'scope_check'] as const
/** Types whose value is a path below the root (ruling 19). */
export const PATH_TYPES: readonly string[] = ['path', 'credential_file']
export const MIN_INT64 = -(2n ** 63n)
export const MAX_INT64 = 2n ** 63n - 1n

// ToolClad spec, Value Hygiene, in its order; ruling 12 puts surrogates and bidirectional controls with the control
// characters and shell metacharacters last.
export const NUL = '\0'
/** U+0000 to U+001F and U+007F: the control characters without C1. */
export const CONTROL = /[^\P{Cc}\u0080-\u009F]/u
/** C0, DEL and C1. */
export const ANY_CONTROL = /\p{Cc}/u
/** Whatever could end a line or steer a terminal (ruling 20). */
export const LINE_CONTROL = /[\p{Cc}\u2028\u2029]/u
export const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/
export const QUOTE = /['"\\]/
export const WHITESPACE = /\p{White_Space}/u
export const LEADING_DASH = /^[-+]/
export const METACHARACTER = /[;|&$`(){}[\]<>!]/
/** `;` parts the pairs of `msf_options`. */
export const METACHARACTER_BUT_SEPARATOR = /[|&$`(){}[\]<>!]/

// Values of the types (ToolClad spec, Core Types; rulings 14 and 19)
export const INTEGER = /^[+-]?\d+$/
export const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/
export const PORT = /^\d+$/
export const MAX_PORT = 65_535
export const DURATION = /^(?:\d+|(?=\d)(?:\d+h)?(?:\d+m)?(?:\d+s)?(?:\d+ms)?)$/
/** A host name without its dot at the end: labels of letters, digits and inner hyphens (reference/toolclad.md 2.5). */
export const HOST_NAME =
  /^(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)*[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/
export const MAX_HOST_LENGTH = 253
export const MAX_LABEL_LENGTH = 63
/** A last label that would make a name an address in some program (ruling 15). */
export const NUMERIC_LABEL = /(?:^|\.)(?:\d+|0[xX][^.]*)$/
/** RFC 3986, 3.1 */
export const SCHEME = /^[a-z][a-z0-9+.-]*$/
export const DEFAULT_SCHEMES: readonly string[] = ['http', 'https']
/** Refused even when listed (ruling 16). */
export const DANGEROUS_SCHEMES: ReadonlySet<string> = new Set(
  `javascript data file vbscript blob about jar gopher dict ldap ldaps tftp smb netdoc view-source`.split(' '),
)
/** Ruling 29 */
export const MSF_OPTION = /^set [A-Za-z_][A-Za-z0-9_:]* [^\s;]+$/
export const MSF_SEPARATOR = /; */
export const BOOLEAN = /^(?:true|false)$/i
export const ABSOLUTE_PATH = /^(?:[/\\]|[A-Za-z]:)/

// ToolClad spec, Command Construction; ruling 6
export const PLACEHOLDER = /^\{([A-Za-z_][A-Za-z0-9_]*)\}$/
export const EMBEDDED_PLACEHOLDER = /\{[A-Za-z_][A-Za-z0-9_]*\}/
export const QUOTED_PLACEHOLDER = /^(['"])\{[A-Za-z_][A-Za-z0-9_]*\}\1$/
export const SECRET_PLACEHOLDER = /\{_secret:[^{}]*\}/
export const INJECTED = ['_scan_id', '_output_file', '_evidence_dir'] as const
/** What they stand for. */
export const INJECTED_TOKENS = ['scan_id', 'output_file', 'evidence_dir'] as const
/** Before the upper-case name of each argument of an executor (reference 3.8). */
export const ARGUMENT_VARIABLE = 'TOOLCLAD_ARG_'
export const END_OF_OPTIONS = '--'
/** What published manifests call the mapping of the scan type (ruling 6). */
export const SCAN_FLAGS = '_scan_flags'
/** What a `when` is made of (ruling 8): texts in quotes, operators, words and numbers. */
export const WHEN_TOKEN = /'[^']*'|"[^"]*"|==|!=|[+-]?[\w.]+(?:[eE][+-]?\d+)?/g

// ToolClad spec, HTTP hardening; rulings 23 and 27; reference/toolclad.md 1.7 and 5.1
export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const
/** An argument, an injected value or a secret, anywhere in the text; every other brace is itself. */
export const HTTP_PLACEHOLDER = /\{(?:_secret:(?<secret>[^{}]*)|(?<name>[A-Za-z_][A-Za-z0-9_]*))\}/g
export const SECRET_NAME = /^[A-Za-z0-9_]+$/
/** What a URL repairs or drops instead of sending it. */
export const NOT_IN_URL = /[\p{Cc}\p{White_Space}\\]/u
export const URL_PARTS =
  /^(?<scheme>[^:/?#]*):\/\/(?<authority>[^/?#]*)(?<path>[^?#]*)(?<query>\?[^#]*)?(?<fragment>#.*)?$/su
/** What a listed value may be where it stands in the authority. */
export const AUTHORITY_TEXT = /^[A-Za-z0-9._-]+(?::\d{1,5})?$/
export const STATUS_CODES = { min: 100n, max: 599n } as const

// Session and browser modes (reference/toolclad.md 1.9, 1.10, 6; ruling 20)
/** Of a session or browser command; its tool is called `<tool>_<command>`. */
export const COMMAND_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/
/** The text of a session command. */
export const COMMAND_TEXT = 'command'
export const MAX_INTERACTIONS = 10_000n
/** Bytes a session command may answer. */
export const MAX_SESSION_OUTPUT = 4_194_304n
export const TARGET_GROUP = /\(\?P?<target>/
export const BROWSER_ENGINES = ['cdp', 'cdp-direct', 'playwright'] as const
export const BROWSER_CONNECTS = ['launch', 'live'] as const
export const EXTRACT_MODES = ['accessibility_tree', 'html', 'text'] as const
export const BROWSER_COMMANDS = [
  'navigate',
  'snapshot',
  'click',
  'type_text',
  'scroll',
  'wait_for',
  'extract',
  'extract_html',
  'screenshot',
  'submit_form',
  'execute_js',
  'go_back',
  'list_tabs',
  'network_timing',
  'login',
] as const
/** It runs what it is given, so it needs a person whatever the manifest says. */
export const EXECUTE_JS = 'execute_js'
/** Arguments of any command, or of the one before the dot, that travel as JSON. */
export const JSON_TEXTS: readonly string[] = ['selector', 'type_text.text', 'execute_js.expression']
export const PAGE_STATES = [
  'url',
  'title',
  'domain',
  'has_forms',
  'is_authenticated',
  'page_loaded',
  'tab_count',
] as const
export const MFA_HANDLERS = ['totp', 'sms', 'manual'] as const

// ToolClad spec, Scope Enforcement
/** An exact host, or everything below one. */
export const SCOPE_DOMAIN = /^(?:\*\.)?(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?$/

// ToolClad spec, Output Handling
export const FORMATS = ['text', 'json', 'xml', 'csv', 'jsonl'] as const
export const PARSER_PREFIX = 'builtin:'
/** Levels of a parsed JSON or XML output (ruling 26). */
export const MAX_OUTPUT_DEPTH = 256
/** Of a parsed CSV output, absent ones included; as many as the default `max_bytes` can hold in full rows. */
export const MAX_CSV_CELLS = 4_194_304
/** What XML may declare itself to be; everything is read as UTF-8. */
export const TEXT_ENCODINGS: readonly string[] = ['utf-8', 'utf8', 'us-ascii', 'ascii']
/** Parsers whose value is an array (ruling 26). */
export const ARRAY_PARSERS: readonly string[] = ['csv', 'jsonl']
/** Schema keywords without effect (ruling 25). */
export const IGNORED_KEYWORDS: ReadonlySet<string> = new Set([
  'title',
  'description',
  'default',
  'examples',
  'format',
  'deprecated',
  '$comment',
])
/** Of the ignored ones: those another validator would enforce, so they are not shown. */
export const HIDDEN_KEYWORDS: ReadonlySet<string> = new Set(['format', '$comment'])

// ToolClad spec, Evidence Envelope
export const STATUSES = [
  'success',
  'error',
  'timeout',
  'schema_error',
  'client_error',
  'server_error',
  'redirect_blocked',
  'delegation_preview',
] as const
export type Status = (typeof STATUSES)[number]

/** Programs that reach the network (ruling 3). */
export const EGRESS_BINARIES: ReadonlySet<string> = new Set(
  `curl wget aria2c http https xh nmap masscan zmap nc ncat netcat socat ssh scp sftp rsync ftp lftp telnet nikto sqlmap
  hydra medusa ffuf gobuster feroxbuster wfuzz nuclei httpx whatweb amass smbclient rpcclient enum4linux snmpwalk openssl
  git mosh lynx w3m wpscan dirb sslscan ldapsearch psql mysql redis-cli nc.openbsd nc.traditional`.split(/\s+/),
)

/** Shells, script interpreters and programs that start others (ruling 3). */
export const INTERPRETERS: ReadonlySet<string> = new Set(
  `sh bash dash zsh ksh csh tcsh fish busybox python pypy node nodejs deno bun perl ruby php lua tclsh pwsh powershell
  rscript env xargs sudo doas su nohup timeout time nice stdbuf setsid script watch parallel awk gawk mawk nawk ash mksh
  sed ed ex vi vim emacs expect m4 make gdb strace ionice chrt taskset flock chroot unshare nsenter setpriv runuser pkexec
  systemd-run sshpass proxychains npx uvx java julia`.split(/\s+/),
)

// Sentences the specification or its documentation quotes; ours contain them.
export const SENTENCES = {
  customParser: 'custom output parsers are not supported by the reference runtimes',
  noScopeFile: 'scope_check is enabled but no scope/scope.toml was found (set TOOLCLAD_SCOPE_FILE)',
  noBackend:
    'manifest must define at least one execution backend: [command] template/executor, [http], [mcp], [session], or [browser] (or set tool.dispatch = "callback" for validator-only manifests)',
  noOutput: 'manifest is missing [output] block (or set tool.dispatch = "callback" for validator-only manifests)',
} as const
