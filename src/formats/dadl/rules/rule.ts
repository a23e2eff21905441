import type { Profile } from '../../format.ts'
import type { Nearest } from '../few-nearest.ts'
import type { Report } from '../problems.ts'
import type { Names } from '../read-document.ts'
import type { Document } from '../schema/document.ts'

/** One constraint that a schema cannot express (DADL spec 15.2). Pure; it reports and changes nothing. */
export type Rule = (context: RuleContext) => void

export interface RuleContext {
  readonly document: Document
  readonly names: Names
  readonly profile: Profile
  /** It declares v0.1, where what v0.2 pinned down is a warning. */
  readonly isFirst: boolean
  /** The deployment says where the API is, whatever the document does. */
  readonly hasUrl: boolean
  readonly nearest: Nearest
  readonly error: Report
  readonly warn: Report
}
