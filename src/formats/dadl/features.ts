// Features a document may require (DADL spec 15.3), and which of them this version has. The one table that says so.

interface Feature {
  /** Of DADL v0.2. */
  readonly section: string
  readonly implemented: boolean
}

export const FEATURES: ReadonlyMap<string, Feature> = new Map([
  ['refresh_token', { section: '5.3', implemented: false }],
  ['jwt_bearer', { section: '5.3', implemented: false }],
  ['authorization_code', { section: '5.3', implemented: false }],
  ['health', { section: '4.6', implemented: false }],
  ['returns', { section: '6.5', implemented: true }],
  ['idempotency', { section: '6.6', implemented: false }],
  ['deprecation', { section: '6.7', implemented: true }],
  ['semantic_errors', { section: '8.2', implemented: true }],
  ['redact', { section: '9.3', implemented: false }],
  ['refresh_token_rotation', { section: '5.3', implemented: false }],
  ['composites', { section: '12', implemented: false }],
  ['file_url', { section: '6.2', implemented: false }],
])

interface Support {
  /** The profile of DADL spec 15.4 that is claimed. */
  readonly profile: 'Document Validator' | 'Core Runtime' | 'Full Runtime'
  readonly spec: string
  readonly features: readonly string[]
  /** What the specification defines and this version does not do. */
  readonly gaps: readonly string[]
}

/** What `version --json` says of DADL. Until redaction and retry safety are there, no profile of a runtime can be claimed. */
export function dadlSupport(): Support {
  return { profile: 'Document Validator', spec: '0.2', features: named(true), gaps: named(false) }
}

function named(implemented: boolean): readonly string[] {
  return [...FEATURES].flatMap(([name, feature]) => (feature.implemented === implemented ? [name] : []))
}
