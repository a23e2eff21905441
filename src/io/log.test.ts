import assert from 'node:assert/strict'
import * as fc from 'fast-check'
import { describe, test } from 'node:test'
import { createLogger } from './log.ts'
import type { LoggerOptions } from './log.ts'

function record(options: Partial<LoggerOptions> = {}) {
  const lines: string[] = []
  const write = (line: string) => lines.push(line)
  return { lines, logger: createLogger({ write, level: 'debug', clock: { now: () => 0 }, ...options }) }
}

test('a record is one line of JSON, its head first', () => {
  const { lines, logger } = record()
  logger.warn('Something', { file: 'a b', count: 2, ok: false, gone: undefined })
  assert.deepEqual(lines, [
    '{"time":"1970-01-01T00:00:00.000Z","level":"warn","message":"Something","file":"a b","count":2,"ok":false}\n',
  ])
})

test('a field cannot stand in for the head', () => {
  const { lines, logger } = record()
  logger.info('True', { message: 'false', level: 'error', time: 'never' })
  assert.deepEqual(lines, ['{"time":"1970-01-01T00:00:00.000Z","level":"info","message":"True"}\n'])
})

test('quieter records are left out', () => {
  const { lines, logger } = record({ level: 'warn' })
  logger.debug('no')
  logger.info('no')
  logger.warn('yes')
  logger.error('yes')
  assert.equal(lines.length, 2)
})

test('a person gets a short line', () => {
  const { lines, logger } = record({ pretty: true })
  logger.info('Listening', { url: 'http://127.0.0.1:7411/mcp', name: 'two words', empty: '' })
  assert.deepEqual(lines, [
    '00:00:00 info  Listening url="http://127.0.0.1:7411/mcp" name="two words" empty=""\n'.replace(
      '="http://127.0.0.1:7411/mcp"',
      '=http://127.0.0.1:7411/mcp',
    ),
  ])
})

describe('no value forges a line or drives a terminal', () => {
  for (const pretty of [false, true])
    test(pretty ? 'pretty' : 'json', () => {
      const hostile = fc.string({
        unit: fc.constantFrom('\n', '\r', '\u001b', '\u009b', '\u007f', '\u2028', '\u202e', '"', '\\', 'a', '💥'),
      })
      fc.assert(
        fc.property(hostile, hostile, hostile, (message, key, value) => {
          const { lines, logger } = record({ pretty })
          logger.info(message, { [key]: value })
          assert.equal(lines.length, 1)
          assert.match(lines[0] ?? '', /^[^\p{Cc}\u2028\u202e]*\n$/u)
          if (!pretty && !['time', 'level', 'message'].includes(key))
            assert.equal(JSON.parse(lines[0] ?? '')[key], value)
        }),
      )
    })
})
