// Hints reach the model, so they are looked at (DADL spec 4.2; ruling DADL 9).
import { toPointer } from '../../../lib/pointer.ts'
import { scanHint } from '../hint-scan.ts'
import type { Rule } from './rule.ts'

/** A registry refuses most of it, which `publishProblems` says; the rest is a warning everywhere. */
export const suspiciousHints: Rule = ({ document, profile, warn }) => {
  for (const [tool, hints] of Object.entries(document.backend.hints ?? {}))
    for (const [topic, hint] of Object.entries(hints))
      for (const { kind, message } of typeof hint === 'string' ? scanHint(hint) : [])
        if (profile !== 'publish' || kind === 'instruction')
          warn(
            'hint_suspicious',
            `/backend/hints${toPointer([tool, topic])}`,
            `the hint "${topic}" of "${tool}" holds ${message}`,
          )
}
