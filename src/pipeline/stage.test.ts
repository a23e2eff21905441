import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Stage } from './stage.ts'

const request = { tool: 'x', args: {} }
declare function needsAuthorized(stage: Stage<'authorized'>): void
declare function needsReceived(stage: Stage<'received'>): void
declare function needsValidated(stage: Stage<'validated'>): void

// Never called: it is the compiler that is tested. An unused `@ts-expect-error` fails `npm run check`.
export function onlyTheOrderCompiles(authorized: Stage<'authorized'>, scoped: Stage<'scoped'>): void {
  needsAuthorized(authorized)
  needsReceived(Stage.receive(request))

  // @ts-expect-error the wrong stage
  needsValidated(authorized)
  // @ts-expect-error a later stage in place of an earlier one
  needsValidated(scoped)
  // @ts-expect-error a forged literal
  needsReceived({ name: 'received', value: { request } })
  // @ts-expect-error a spread of a real stage
  needsAuthorized({ ...authorized })
  // @ts-expect-error a stage cannot be constructed
  needsReceived(new Stage('received', { request }))
  // @ts-expect-error a skipped stage: approved is not reached from authorized
  Stage.advance(authorized, 'approved', { ...scoped.value })
  // @ts-expect-error reordered: authorized is not reached from scoped
  Stage.advance(scoped, 'authorized', scoped.value)
  // @ts-expect-error what a stage must know is missing
  Stage.advance(authorized, 'validated', authorized.value)
  // @ts-expect-error only a scoped call re-enters
  Stage.reenter(authorized, {})
  // @ts-expect-error the name alone does not make a stage
  needsAuthorized(Stage.receive(request))
}

test('a stage carries its value and cannot be forged at run time either', () => {
  const stage = Stage.receive(request)
  assert.equal(stage.name, 'received')
  assert.equal(stage.value.request, request)
  assert.throws(() => Reflect.get(Stage.prototype, 'name', { ...stage }), TypeError)
})
