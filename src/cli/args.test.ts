import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { GLOBAL_FLAGS, parseCommandLine, parseJsonArguments, parsePairs, UsageError } from './args.ts'

const FLAGS = {
  ...GLOBAL_FLAGS,
  arg: { value: 'K=V', repeatable: true, does: '' },
  approve: { does: '' },
} as const
const parse = (...argv: readonly string[]) =>
  parseCommandLine(argv, { flags: FLAGS, formats: ['text', 'json', 'sarif'] })

describe('a command line', () => {
  test('is operands and flags in any order', () => {
    const args = parse('--approve', 'tool', '--arg', 'a=1', '--config=x.yaml', '--arg=b=2', 'more')
    assert.deepEqual(args.operands, ['tool', 'more'])
    assert.deepEqual(args.values('arg'), ['a=1', 'b=2'])
    assert.equal(args.value('config'), 'x.yaml')
    assert.deepEqual([args.has('approve'), args.has('state'), args.value('state')], [true, false, undefined])
  })

  test('takes what follows a flag as its value, dash or not', () => {
    assert.deepEqual(parse('--arg', '--approve', '--arg', '-x=1', '--arg', '').values('arg'), ['--approve', '-x=1', ''])
    assert.equal(parse('--config=').value('config'), '')
  })

  test('leaves everything after -- alone', () => {
    assert.deepEqual(parse('--', '--approve', '-x').operands, ['--approve', '-x'])
  })

  test('names its format', () => {
    const formats = [parse(), parse('--json'), parse('--format', 'sarif'), parse('--format=json', '--json')]
    assert.deepEqual(
      formats.map(({ format }) => format),
      ['text', 'json', 'sarif', 'json'],
    )
  })

  for (const [argv, message] of [
    [['--aprove'], /--aprove \(did you mean "--approve"\?\)/],
    [['--toString'], /unknown flag --toString/],
    [['-x'], /unknown flag -x/],
    [['--approve=yes'], /--approve takes no value/],
    [['--no-approve'], /unknown flag --no-approve/],
    [['--config'], /--config needs a value: FILE/],
    [['--config', 'a', '--config', 'b'], /--config is given twice/],
    [['--format', 'jsn'], /expected text, json, sarif \(did you mean "json"\?\)/],
    [['--json', '--format', 'text'], /--json contradicts/],
  ] as const)
    test(`${argv.join(' ')} is refused`, () => {
      assert.throws(
        () => parse(...argv),
        (error: unknown) => error instanceof UsageError && message.test(error.message),
      )
    })
})

describe('--arg', () => {
  test('is split at the first =, the rest verbatim', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[^=]+$/), fc.string({ unit: 'binary' }), (name, value) => {
        assert.deepEqual(Object.entries(parsePairs([`${name}=${value}`])), [[name, value]])
      }),
    )
    assert.deepEqual(parsePairs(['a=', 'b==', 'c=x=y', 'd= 1 ']), { a: '', b: '=', c: 'x=y', d: ' 1 ' })
  })

  test('may be called like a property of every object', () => {
    assert.equal(JSON.stringify(parsePairs(['__proto__=1', 'constructor=2'])), '{"__proto__":"1","constructor":"2"}')
  })

  for (const pairs of [['a'], ['=1'], [''], ['a=1', 'a=2']])
    test(`${JSON.stringify(pairs)} is refused`, () => {
      assert.throws(() => parsePairs(pairs), UsageError)
    })
})

describe('--args', () => {
  test('is a JSON object', () => {
    assert.deepEqual(parseJsonArguments('{"a": [1, null]}', '--args'), { a: [1, null] })
  })

  for (const text of ['', '[1]', 'null', '"x"', '{a: 1}', '{"a": 1'])
    test(`${JSON.stringify(text)} is refused, saying where it came from`, () => {
      assert.throws(
        () => parseJsonArguments(text, '--args @file'),
        (error: unknown) =>
          error instanceof UsageError && error.message.startsWith('--args @file: expected a JSON object'),
      )
    })
})
