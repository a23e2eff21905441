// Hints reach the model as part of a tool's description, so a hint that commands the model, sends it elsewhere or speaks in
// somebody's name is suspicious (DADL spec 4.2, ruling DADL 9). Hints also say "always call X first" and "you must set Y":
// only wording that no description of an API needs is flagged. This catches the clumsy; it does not make a file trustworthy.

export interface HintFinding {
  readonly kind: 'command' | 'url' | 'authority' | 'instruction'
  readonly message: string
}

/** What is suspicious in one value of a hint; one finding a row of the table. */
export function scanHint(value: string): readonly HintFinding[] {
  const hidden: readonly HintFinding[] = HIDDEN.test(value)
    ? [{ kind: 'instruction', message: 'characters that nobody sees' }]
    : []
  // Look-alikes of full width and letters parted by invisible characters are read as what they look like.
  const text = value
    .normalize('NFKC')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replaceAll(/\s+/g, ' ')
  return ROWS.reduce((found, { kind, reason, pattern }) => {
    const [match] = pattern.exec(text) ?? []
    return match === undefined ? found : [...found, { kind, message: `${reason}: "${shortened(match)}"` }]
  }, hidden)
}

function shortened(match: string): string {
  const characters = Array.from(match.trim())
  return characters.length > 60 ? `${characters.slice(0, 59).join('')}…` : characters.join('')
}

/** Zero-width, bidirectional and tag characters; U+FE0F and U+200D are part of emoji, U+00AD of words. */
const HIDDEN = /[\u200B\u200C\u2060-\u2064\u202A-\u202E\u2066-\u2069\uFEFF\u{E0000}-\u{E007F}]/u

interface Row {
  readonly kind: HintFinding['kind']
  readonly reason: string
  readonly pattern: RegExp
}

/** Programs whose name is no word of a description. */
const PROGRAM =
  '(?:curl|wget|bash|zsh|sudo|rm|chmod|chown|ncat|netcat|scp|pwsh|powershell(?:\\.exe)?|cmd\\.exe|certutil|python3?|perl|npx|npm|pip3?|mkfifo|crontab|apt-get|systemctl)'
const SHELL = '(?:(?:ba|z|da|k)?sh|python3?|perl|ruby|node|php|pwsh|powershell)'
const SPEAKER = '(?:system|administrators?|admins?|developers?|operators?|security team|management|openai|anthropic)'
const RULES = '(?:instruction|prompt|guideline|direction|directive|guardrail|restriction|rule)s?'
const SECRETS = '(?:credential|api key|password|token|secret|private key|environment variable)s?'

// Every gap between words is bounded, so that the time grows with the text only.
const ROWS: readonly Row[] = [
  row('command', 'a program is called with an option, a path or an address', [
    `\\b${PROGRAM} +(?:--?[a-z]|/|~/|https?:)`,
  ]),
  row('command', 'a program is called with the rights of root', [
    `\\bsudo +(?:-|(?:${PROGRAM}|apt|cat|su|tee|cp|mv)\\b)`,
  ]),
  row('command', 'a shell is given something to run', [`\\b${SHELL} +-[ce] `]),
  row('command', 'what comes before is run', [
    `\\| *(?:sudo +)?${SHELL} -`,
    `\\b(?:curl|wget|cat|echo|base64) [^|]{1,200}\\| *(?:sudo +)?${SHELL}\\b`,
  ]),
  row('command', 'a shell would run what is inside', ['\\$\\([a-z<]', '\\$\\{ifs\\}']),
  row('command', 'another command follows', [`(?:;|&&|\\|\\|?) ?${PROGRAM} +[^ =:]`]),
  row('command', 'a place where secrets are kept', [
    '/etc/(?:passwd|shadow|sudoers)',
    '/dev/tcp/',
    '~/\\.(?:ssh|aws|gnupg)',
    '\\bid_rsa\\b',
  ]),
  row('url', 'an address', ['(?:https?|\\bftp|\\bwss?)://[a-z0-9[][^ "\'<>]*', '\\bwww\\.[a-z0-9-]+\\.[a-z]+']),
  row('url', 'an address that is run', ['\\b(?:javascript|vbscript):[^ ]+', '\\bdata:[a-z]+/[a-z]+']),
  row('authority', 'the marks of another speaker', [
    '<\\|[a-z_]+\\|>',
    '\\[/?inst\\]',
    '<</?sys>>',
    '</?(?:important|system|instructions?|assistant)>',
  ]),
  row('authority', 'the words of another speaker', [
    '\\b(?:system|developer|assistant) (?:prompt|message|note|notice|override) ?: ',
    `\\bthis is (?:the |your )?${SPEAKER}(?:[.,:!]| speaking)`,
    `\\b(?:message|instructions?|notice) from (?:the |your )?${SPEAKER} ?[:.]`,
  ]),
  row('authority', 'somebody is said to have approved', [
    `\\b(?:it|this (?:tool|action|call|request|operation|instruction|hint|api)) (?:is|was|has been) (?:already |fully |pre-?)?(?:authori[sz]ed|approved|verified|endorsed|cleared) by (?:the |your )?${SPEAKER}\\b`,
    '\\bthe user (?:has )?(?:already |explicitly )?(?:approved|consented to|agreed to) (?:this|all|any|every)\\b',
  ]),
  row('authority', 'leave is given', [
    '\\byou are (?:hereby|fully|already|explicitly) (?:authori[sz]ed|permitted|cleared) to\\b',
    '\\byou have been (?:authori[sz]ed|cleared) to\\b',
    '\\bno (?:further|additional|user|human) (?:approval|confirmation|consent)\\b',
  ]),
  row('instruction', 'earlier instructions are set aside', [
    `\\b(?:ignore|disregard|forget|override|bypass)(?: [a-z]+){0,3} (?:previous|prior|above|earlier|preceding|your|system|safety)(?: [a-z]+){0,2} ${RULES}\\b`,
  ]),
  row('instruction', 'the user is kept in the dark', [
    "\\b(?:do not|don't|never|without) (?:tell|inform|mention|reveal|disclose)(?:ing)?(?: [a-z]+){0,4} (?:users?|humans?|anyone|anybody)\\b",
  ]),
  row('instruction', 'the model is given another part', [
    '\\byou are now (?:an? |the |in )',
    '\\bfrom now on,? (?:you|always|never|ignore)\\b',
    '\\bpretend (?:to be|that you|you)\\b',
    '\\byour (?:new|real|true|actual) (?:task|goal|instruction|role|purpose)s?\\b',
    '\\bnew instructions? ?:',
  ]),
  row('instruction', 'the model is asked about itself', [
    '\\b(?:reveal|print|repeat|output|leak|show)(?: [a-z]+){0,3} (?:system prompt|(?:your|hidden|initial) (?:instructions?|prompt))\\b',
  ]),
  row('instruction', 'secrets are sent away', [
    `\\b(?:send|forward|post|upload|exfiltrate|leak|transmit|e-?mail|copy)(?: [a-z]+){0,4} (?:all|every|user's)(?: [a-z]+){0,2} ${SECRETS}\\b`,
  ]),
]

function row(kind: Row['kind'], reason: string, patterns: readonly string[]): Row {
  return { kind, reason, pattern: new RegExp(patterns.join('|'), 'iu') }
}
