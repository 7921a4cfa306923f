// silent.md, "Streams whose caller left", for whole answers: nothing is delivered before all of it is, so a caller who leaves
// costs nothing under `cancel`, and what the vendor then reports under `drain`.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { PROVIDER_KEYS } from '../support/catalogue.ts'
import type { Leaving } from '../support/raw-client.ts'
import { RESET, refusal, whole } from '../support/upstream.ts'
import { callRaw, expectSettledOnce, FREE, openScene, priceOf, type Scene, until } from './scene.ts'

setDefaultTimeout(60_000)

const WAYS: Leaving[] = ['close', 'reset', 'half-close']
const ANSWER = {
  candidates: [{ content: { parts: [{ text: 'Once upon a time, the end.' }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 9 },
}
const { usageMetadata: _, ...WITHOUT_USAGE } = ANSWER
const LEFT = { outcome: 'cancelled', status: 499, streamed: 0 } as const

let cancelling: Scene
let draining: Scene
beforeAll(async () => {
  cancelling = await openScene({ api_keys: PROVIDER_KEYS })
  draining = await openScene({ server: 'on_disconnect = "drain"', api_keys: PROVIDER_KEYS })
})
afterAll(async () => {
  await cancelling[Symbol.asyncDispose]()
  await draining[Symbol.asyncDispose]()
})

/** A caller who leaves while the vendor works; the vendor answers once the gateway has noticed. */
async function leaveBefore(scene: Scene, answer: Parameters<Scene['upstream']['answer']>[0], way: Leaving) {
  const noticed = Promise.withResolvers<void>()
  scene.upstream.answer(async (seen, index) => {
    await noticed.promise
    return typeof answer === 'function' ? answer(seen, index) : answer
  })
  const calls = scene.upstream.seen.length
  const left = scene.left()
  const { key, client } = await callRaw(scene, false)
  await until(() => scene.upstream.seen.length > calls)
  const seen = scene.upstream.last()
  client.leave(way)
  await until(() => scene.left() > left)
  if (scene === draining) noticed.resolve()
  await seen.over
  noticed.resolve()
  return { key, seen, attempts: () => scene.upstream.seen.length - calls }
}

describe.each(WAYS)('the caller of a whole answer leaves before it, by %s', (way) => {
  test('cancel: the upstream is aborted, nothing is charged', async () => {
    const { key, seen } = await leaveBefore(cancelling, whole(ANSWER), way)
    expect(seen.aborted).toBe(true)
    await expectSettledOnce(cancelling, key, { ...FREE, ...LEFT })
  })

  test('drain: the answer is awaited, and charged as reported', async () => {
    const { key, seen } = await leaveBefore(draining, whole(ANSWER), way)
    expect(seen.aborted).toBe(false)
    await expectSettledOnce(draining, key, { ...priceOf(4, true), ...LEFT })
  })

  test('drain, no usage: charged by an estimate of the answer', async () => {
    const { key } = await leaveBefore(draining, whole(WITHOUT_USAGE), way)
    await expectSettledOnce(draining, key, { ...priceOf(4, false), ...LEFT })
  })

  test.each([
    ['is reset', RESET],
    ['is refused', refusal(503)],
  ])('drain, and the attempt %s: nothing is charged, and no other route is tried', async (_what, answer) => {
    const { key, attempts } = await leaveBefore(draining, answer, way)
    await until(() => draining.gateway.rows().holds.every(({ state }) => state !== 'pending'))
    expect(attempts()).toBe(1)
    await expectSettledOnce(draining, key, { ...FREE, ...LEFT })
  })
})

describe('nothing is left of a caller who goes', () => {
  test('before his body has come: no hold, no call', async () => {
    const { calls, holds } = cancelling.gateway.rows()
    const left = cancelling.left()
    const { client } = await callRaw(cancelling, false, 'close', 10)
    client.leave('close')
    await until(() => cancelling.left() > left)
    const after = await cancelling.gateway.atRest()
    expect(after.calls).toHaveLength(calls.length)
    expect(after.holds).toHaveLength(holds.length)
  })
})

describe('the time to drain is limited', () => {
  test('after it the upstream is aborted, and nothing is charged', async () => {
    await using scene = await openScene({ server: 'on_disconnect = "drain"\ndrain_timeout_ms = 100' })
    scene.upstream.answer({ steps: ['hang'] })
    const { key, client } = await callRaw(scene, false)
    await until(() => scene.upstream.seen.length > 0)
    const seen = scene.upstream.last()
    client.leave('close')
    await seen.over
    expect(seen.aborted).toBe(true)
    await expectSettledOnce(scene, key, { ...FREE, ...LEFT })
  })
})
