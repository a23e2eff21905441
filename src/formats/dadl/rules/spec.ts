// Which specification, and what the document asks of whoever loads it (DADL spec 15.3; rulings DADL 1 and 7).
import { FEATURES } from '../features.ts'
import { KNOWN_SPEC_URL, NEWEST, SPEC_URL, TOOLMESH_VERSION } from '../spec.ts'
import { satisfies } from '../toolmesh-range.ts'
import type { Rule } from './rule.ts'
import { suggesting } from './suggesting.ts'

export const spec: Rule = ({ document, profile, error, warn }) => {
  if (KNOWN_SPEC_URL.test(document.spec)) return
  const [, major = '0', minor = '0'] = SPEC_URL.exec(document.spec) ?? []
  if (Number(major) > NEWEST.major || Number(minor) > NEWEST.minor) {
    const report = profile === 'runtime' ? warn : error
    report('spec_newer', '/spec', `DADL v${major}.${minor} is newer than this version knows, which is v0.2`)
    return
  }
  error(
    'spec_unknown',
    '/spec',
    `expected the address of a DADL specification, such as https://dadl.ai/spec/dadl-spec-v0.2.md, found "${document.spec}"`,
  )
}

/**
 * Fail-closed where the document would be run. Whoever only judges it makes no claims about running (DADL spec 15.4): there it
 * is a warning, unless no specification defines what is asked for.
 */
export const requires: Rule = ({ document, profile, nearest, error, warn }) => {
  const { toolmesh, features = [] } = document.requires ?? {}
  const report = profile === 'runtime' ? error : warn
  if (toolmesh !== undefined) {
    const range = satisfies(toolmesh, TOOLMESH_VERSION)
    const at = '/requires/toolmesh'
    if (!range.ok) error('unknown_value', at, `requires.toolmesh: ${range.message}`)
    else if (!range.satisfied)
      report(
        'requires_unsatisfied',
        at,
        `the document requires ToolMesh ${toolmesh}; this version does what ${TOOLMESH_VERSION} does`,
      )
  }
  for (const [index, name] of features.entries()) {
    const feature = FEATURES.get(name)
    const at = `/requires/features/${index}`
    if (feature === undefined) {
      const meant = nearest(name, FEATURES.keys())
      error('requires_unsatisfied', at, suggesting(`no feature "${name}" is defined by DADL v0.2`, meant))
    } else if (!feature.implemented)
      report(
        'requires_unsatisfied',
        at,
        `the document requires the feature "${name}" (section ${feature.section}), which this version does not have yet`,
      )
  }
}
