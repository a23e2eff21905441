// The spec reporter, and three failures node:test does not count: a run in which nothing was tested, a test that went on
// after its end, and a run that never says it is complete.
import { once } from 'node:events'
import { spec } from 'node:test/reporters'
import type { TestEvent } from 'node:test/reporters'

export default async function* report(source: AsyncIterable<TestEvent>): AsyncGenerator {
  const inner = new spec()
  const problems: string[] = []
  let ran = 0
  const feed = (async () => {
    for await (const event of source) {
      if (event.type === 'test:pass' && event.data.details.type !== 'suite' && event.data.skip === undefined) ran += 1
      if (
        event.type === 'test:diagnostic' &&
        /generated asynchronous activity|A resource generated/.test(event.data.message)
      )
        problems.push(event.data.message)
      if (!inner.write(event)) await once(inner, 'drain')
    }
    inner.end()
  })()
  yield* inner
  await feed
  if (ran === 0) problems.push('No test ran.')
  if (problems.length === 0) return
  process.exitCode = 1
  yield `\n✖ ${problems.join('\n✖ ')}\n`
}
