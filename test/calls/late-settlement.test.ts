// Settlements while another process holds the database's write lock, over a real socket.
import { beforeEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { MODEL } from '../support/catalogue.ts'
import { eventually } from '../support/eventually.ts'
import { ANSWER_NANOS, answer, ask, piece, streamPath, usage, wholePath } from '../support/native.ts'
import { fileScene } from '../support/scene.ts'
import { events, heldBack, type Step, stream, whole } from '../support/upstream.ts'
import { MAX_BUSY_WAIT_MS, takeWriteLock } from '../support/write-lock.ts'

const { gateway, upstream, key } = await fileScene({ max_busy_wait_ms: MAX_BUSY_WAIT_MS })
/** Lines of the log before the test. */
let logged_before: number
beforeEach(() => {
  logged_before = gateway.log.lines().length
})

/** Locks the database as soon as the holds of the running calls have their rows. */
async function lockDatabase() {
  await gateway.written()
  return takeWriteLock(join(gateway.data_folder, 'tollgate.db'))
}

const MAX_WAIT_MS = 20_000

async function waitForLog(message: string): Promise<Record<string, unknown>> {
  const deadline = performance.now() + MAX_WAIT_MS
  for (;;) {
    const found = gateway.log
      .lines()
      .slice(logged_before)
      .find((line) => line.message === message)
    if (found) return found
    if (performance.now() > deadline) throw new Error(`the log never said "${message}"`)
    await Bun.sleep(5)
  }
}

test('a charge that fails after a disconnect is logged, tried again, and written once the lock is free', async () => {
  const { promise: end, resolve } = Promise.withResolvers<Step>()
  upstream.answer(
    stream({ event: piece('Once upon a time', { usageMetadata: usage(10, 4) }) }, { wait: end }),
  )
  const caller = new AbortController()
  const response = await gateway.call(streamPath(MODEL), ask(), { key, signal: caller.signal })
  const first = await response.body?.getReader().read()
  expect(Buffer.from(first?.value ?? []).toString()).toContain('Once upon a time')

  const unlock = await lockDatabase()
  caller.abort()
  const request_id = response.headers.get('x-request-id') ?? ''
  expect(await waitForLog('a settlement failed')).toMatchObject({
    level: 'error',
    request_id,
    hold_id: 1,
    cost_usd: '0.000026',
  })
  expect(gateway.rows().holds).toMatchObject([{ state: 'pending' }])

  await unlock()
  await waitForLog('a delayed settlement was written')
  resolve('hang')
  const { holds, calls } = await gateway.atRest()
  expect(holds).toMatchObject([{ state: 'posted' }])
  expect(calls).toMatchObject([{ request_id, outcome: 'cancelled', cost_nanos: 26_000 }])
}, 60_000)

test('a whole answer that cannot be recorded is not delivered, and its hold is voided once the lock is free', async () => {
  const arrived = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  upstream.answer(async () => {
    arrived.resolve()
    await locked.promise
    return whole(answer())
  })
  const answering = gateway.call(wholePath(MODEL), ask(), { key })
  await arrived.promise
  const unlock = await lockDatabase()
  locked.resolve()
  const failed = await waitForLog('a settlement failed')
  await unlock()
  const response = await answering
  expect(response.status).toBe(503)
  expect(await response.json()).toMatchObject({ error: { status: 'UNAVAILABLE' } })
  expect(failed).toMatchObject({ level: 'error', hold_id: 2 })
  const { calls } = await gateway.atRest()
  expect(calls.at(-1)).toMatchObject({ outcome: 'failed', cost_nanos: 0 })
}, 60_000)

/** The rest of a stream, as text. */
const restOf = async (
  reader: Pick<ReadableStreamDefaultReader<Uint8Array>, 'read'> | undefined,
): Promise<string> => {
  let text = ''
  for (;;) {
    const { value, done } = (await reader?.read()) ?? { value: undefined, done: true }
    if (done) return text
    text += Buffer.from(value ?? []).toString()
  }
}

test('a stream that cannot be recorded is not charged if nothing of it was delivered', async () => {
  const held_back = heldBack(events([answer('All of it in one event.')]))
  upstream.answer(held_back.script)
  const answering = gateway.call(streamPath(MODEL), ask(), { key })
  await held_back.received
  const unlock = await lockDatabase()
  held_back.release()
  await waitForLog('a settlement failed')
  await unlock()
  const response = await answering
  const text = await response.text()
  expect(text).toContain('Nothing was charged')
  expect(text).not.toContain('All of it')
  const { calls, holds } = await gateway.atRest()
  expect(calls.at(-1)).toMatchObject({ outcome: 'broken', status: 200, cost_nanos: 0, output_tokens: 0 })
  expect(holds.at(-1)).toMatchObject({ state: 'voided' })
}, 60_000)

test('a stream whose end cannot be recorded is charged as broken, and a repeated request gets the same answer', async () => {
  const end = Promise.withResolvers<void>()
  upstream.answer(
    stream({ event: piece('The beginning,') }, { wait: end.promise }, { event: answer(' its last words.') }),
  )
  const once = { key, headers: { 'idempotency-key': 'withheld' } }
  const response = await gateway.call(streamPath(MODEL), ask(), once)
  const reader = response.body?.getReader()
  const beginning = Buffer.from((await reader?.read())?.value ?? []).toString()
  expect(beginning).toContain('The beginning,')

  const unlock = await lockDatabase()
  end.resolve()
  await waitForLog('a settlement failed')
  await unlock()
  await waitForLog('a delayed settlement was written')
  const rest = await restOf(reader)
  expect(rest).toContain('The answer will be charged.')
  expect(rest).not.toContain('last words')
  const { calls } = await gateway.atRest()
  expect(calls.at(-1)).toMatchObject({ outcome: 'broken', status: 200, cost_nanos: ANSWER_NANOS })

  let again: Response | undefined
  // The first request is under way until the gateway checks its end again.
  await eventually('the answer was kept', async () => {
    again = await gateway.call(streamPath(MODEL), ask(), once)
    return again.status !== 409
  })
  expect([again?.status, await again?.text()]).toEqual([200, beginning + rest])
  expect((await gateway.atRest()).calls).toHaveLength(calls.length)
}, 60_000)
