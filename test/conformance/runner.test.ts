// Conformance cases are data: every YAML file below `<spec>/<kind>/` holds a list of them, and each kind has one pure
// function from the case's input to what is compared.
import { load as loadYaml } from 'js-yaml'
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import * as z from 'zod'
import { readExceptions } from '../helpers/exceptions.ts'
import { DADL_KINDS } from './dadl/kinds.ts'
import { checkTypes } from './dadl/types.ts'
import { checkHttp } from './toolclad/http.ts'
import { TOOLCLAD_KINDS } from './toolclad/kinds.ts'

const here = import.meta.dirname

const exceptions = readExceptions(id => !id.startsWith('corpus/'))

type Check = (input: unknown) => void | Promise<void>

const SPECS: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  dadl: { ...DADL_KINDS, types: checkTypes },
  toolclad: { ...TOOLCLAD_KINDS, http: checkHttp },
}
const named = z.looseObject({ note: z.string().min(1), spec: z.string().min(1) })

for (const [spec, kinds] of Object.entries(SPECS))
  for (const [kind, check] of Object.entries(kinds))
    describe(`conformance ${spec} ${kind}`, () => {
      const files = globSync(`${spec}/${kind}/*.yaml`, { cwd: here }).toSorted()
      it('has cases', () => assert.ok(files.length > 0))
      for (const file of files)
        for (const { note, spec: section, ...input } of z.array(named).parse(readYaml(file))) {
          const id = `${file}: ${note}`
          it(`${note} (${section})`, () => exceptions.run(id, () => check(input)))
        }
    })

describe('conformance exceptions', () => {
  it('name cases that exist', () => {
    assert.deepEqual(exceptions.unused(), [])
  })
})

function readYaml(file: string): unknown {
  return loadYaml(readFileSync(join(here, file), 'utf8'))
}
