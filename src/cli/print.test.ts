import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { openPrinter } from './print.ts'
import { plain, styleFor } from './style.ts'
import { table } from './table.ts'
import { visible, visibleJson, visibleLine } from './visible.ts'

/** A stream that keeps what it is given, or fails. */
class Kept extends Writable {
  text = ''
  readonly isTTY: boolean
  readonly failure: string | undefined
  constructor(options: { readonly isTTY?: boolean; readonly failure?: string } = {}) {
    super()
    this.isTTY = options.isTTY ?? false
    this.failure = options.failure
  }
  override _write(chunk: Buffer, _encoding: string, done: (error?: Error) => void): void {
    if (this.failure === undefined) this.text += chunk.toString()
    done(this.failure === undefined ? undefined : Object.assign(new Error(this.failure), { code: this.failure }))
  }
}

function open(out: Kept = new Kept(), err: Kept = new Kept()) {
  return { out, err, print: openPrinter({ stdout: out, stderr: err, noColor: false }) }
}

describe('the printer', () => {
  test('knows the width of a terminal that knows it', () => {
    const widthOf = (isTTY: boolean, columns: number): number | undefined =>
      open(Object.assign(new Kept({ isTTY }), { columns })).print.width
    assert.deepEqual([widthOf(true, 100), widthOf(true, 0), widthOf(false, 100)], [100, undefined, undefined])
  })

  test('puts results on stdout and the rest on stderr', async () => {
    const { out, err, print } = open()
    print.text('a result')
    print.json({ b: [1] })
    print.note('a note')
    print.log('{"level":"info"}\n')
    assert.equal(await print.jsonLine({ c: 2 }), true)
    assert.equal(await print.flush(), true)
    assert.equal(out.text, 'a result\n{\n  "b": [\n    1\n  ]\n}\n{"c":2}\n')
    assert.equal(err.text, 'a note\n{"level":"info"}\n')
  })

  test('goes on quietly when the reader has left', async () => {
    const { err, print } = open(new Kept({ failure: 'EPIPE' }))
    print.text('one')
    await print.flush()
    print.text('two')
    assert.equal(await print.jsonLine({}), false)
    print.note('still heard')
    assert.equal(await print.flush(), true)
    assert.equal(err.text, 'still heard\n')
  })

  test('says that a result was lost to a full disk', async () => {
    const { print } = open(new Kept({ failure: 'ENOSPC' }))
    print.json({})
    assert.equal(await print.flush(), false)
  })

  test('waits for a slow reader', async () => {
    const waiting: (() => void)[] = []
    const slow = new Writable({ highWaterMark: 1, write: (_chunk, _encoding, done) => void waiting.push(done) })
    const print = openPrinter({ stdout: slow, stderr: new Kept(), noColor: true })
    let ready = false
    const line = print.jsonLine('more than one byte').then(() => (ready = true))
    await new Promise(resolve => setImmediate(resolve))
    assert.equal(ready, false)
    waiting.shift()?.()
    await line
    assert.equal(ready, true)
  })
})

describe('progress', () => {
  test('shows nothing for what is done at once', async () => {
    const { err, print } = open(new Kept(), new Kept({ isTTY: true }))
    print.progress('Working').stop()
    await print.flush()
    assert.equal(err.text, '')
  })

  test('is one line in a log', async t => {
    t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
    const { err, print } = open()
    const shown = print.progress('Working')
    t.mock.timers.tick(999)
    assert.equal(err.text, '')
    t.mock.timers.tick(10_000)
    shown.stop()
    assert.equal(err.text, 'Working …\n')
  })

  test('is a line that changes at a terminal, gives way to notes, and goes', async t => {
    t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
    const { err, print } = open(new Kept(), new Kept({ isTTY: true }))
    const shown = print.progress('Working')
    t.mock.timers.tick(1000)
    shown.update('Still\u001b[2J')
    t.mock.timers.tick(200)
    print.note('a note')
    shown.stop()
    t.mock.timers.tick(10_000)
    assert.equal(err.text, '\r\u001b[KWorking … 1 s\r\u001b[KStill\\u001b[2J … 1 s\r\u001b[Ka note\n')
  })
})

function styled(isTTY: boolean, noColor: boolean): string {
  return styleFor({ isTTY }, noColor)('red', 'x')
}

test('colours are for a terminal whose owner wants them', () => {
  assert.notEqual(styled(true, false), 'x')
  assert.deepEqual([styled(true, true), styled(false, false), styled(false, true)], ['x', 'x', 'x'])
})

describe('what a person sees', () => {
  test('drives no terminal and reorders no line', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        assert.doesNotMatch(visible(text), /(?![\n\t])[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u)
        assert.doesNotMatch(visibleLine(text), /\p{Cc}/u)
        assert.equal(JSON.parse(visibleJson(text)), text)
      }),
    )
    assert.equal(visible('a\u001b[31m\u009b\u202e\nb'), 'a\\u001b[31m\\u009b\\u202e\nb')
  })

  test('leaves ordinary text alone', () => {
    const text = 'naïve 日本語 👩‍💻 "quoted" \\ ü'
    assert.deepEqual([visible(text), visibleLine(text)], [text, text])
  })

  test('comes in columns, the last one cut to the terminal', () => {
    const rows = [
      ['NAME', 'WHAT'],
      ['a', 'first'],
      ['longer', 'second\nline'],
    ]
    assert.equal(table(rows, { style: plain }), 'NAME    WHAT\na       first\nlonger  second\\nline')
    assert.equal(table(rows, { style: plain, width: 10 }), 'NAME    W…\na       f…\nlonger  s…')
    assert.equal(table([], { style: plain }), '')
  })
})
