// Texts that are durations and sizes (DADL spec 4.6, 6, 6.3, 8, 12.4; rulings DADL 28 and 30).
import { errorBlocksOf, responsesOf } from '../effective.ts'
import { COMPOSITE_TIMEOUT, SIZE } from '../spec.ts'
import { parseDuration } from '../duration.ts'
import type { Document } from '../schema/document.ts'
import { compositeAt, toolAt } from './places.ts'
import type { Rule } from './rule.ts'

export const durations: Rule = ({ document, error }) => {
  for (const [at, value] of durationsOf(document))
    if (value !== undefined && parseDuration(value) === undefined)
      error('unknown_value', at, `expected a duration such as 30s or 1h30m, found "${value}"`)
}

function durationsOf(document: Document): readonly (readonly [string, string | undefined])[] {
  const { auth, health } = document.backend
  return [
    ['/backend/health/timeout', health?.timeout],
    ['/backend/auth/refresh_before_expiry', auth.type === 'oauth2' ? auth.refresh_before_expiry : undefined],
    ...responsesOf(document).flatMap(({ path, block }) => [
      [`${path}/ttl`, block.ttl] as const,
      [`${path}/max_duration`, block.max_duration] as const,
    ]),
    ...errorBlocksOf(document).map(
      ({ path, block }) => [`${path}/retry_strategy/initial_delay`, block.retry_strategy?.initial_delay] as const,
    ),
  ]
}

export const sizes: Rule = ({ document, error }) => {
  for (const [name, { max_body_size: size }] of Object.entries(document.backend.tools))
    if (size !== undefined && !SIZE.test(size))
      error('unknown_value', `${toolAt(name)}/max_body_size`, `expected a size such as 50MB or 1GiB, found "${size}"`)
}

export const compositeTimeouts: Rule = ({ document, error }) => {
  for (const [name, { timeout }] of Object.entries(document.backend.composites ?? {})) {
    const most = COMPOSITE_TIMEOUT.most
    const milliseconds = timeout === undefined ? 0 : parseDuration(timeout)
    if (milliseconds === undefined || milliseconds > most * 1000)
      error(
        'composite_timeout',
        `${compositeAt(name)}/timeout`,
        `expected a duration of at most ${most}s, found "${timeout}"`,
      )
  }
}
