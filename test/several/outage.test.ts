// An outage of the server of the database under two gateways: neither then considers the other one dead, and a keyed stream that ended meanwhile is repeated.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { eventually } from '../support/eventually.ts'
import { answer, answering, ask, payloadsOf, piece, streamPath, wholePath } from '../support/native.ts'
import { hasPostgres } from '../support/postgres.ts'
import { heldBack, stream } from '../support/upstream.ts'
import { TIMES, type World, world } from './world.ts'

/** Gateways start from their source outside the suite, while the machine is busy. */
const MAX_TEST_MS = 180_000
const KEYED = { 'idempotency-key': 'during-an-outage' }

describe.if(hasPostgres)('an outage', () => {
  let w: World
  beforeAll(async () => {
    w = await world({ gateways: 2, environment: [1, 2].map(() => ({ MAX_BUSY_WAIT_MS: 1_000 })) })
  }, MAX_TEST_MS)
  afterAll(() => w[Symbol.asyncDispose]())
  beforeEach(() => {
    w.upstream.requests.length = 0
  })

  test('longer than a gateway may be silent expires no hold of a call under way, and frees no key of one', async () => {
    const { script, release } = heldBack(answering)
    w.upstream.answer(script)
    const key = await w.caller('100')
    const calls = [0, 1].map((member) =>
      w.call(member, wholePath(), ask(), key, { 'idempotency-key': `key-${member}` }),
    )
    await w.upstream.waitForRequest(2)
    w.cutOff(true)
    await Bun.sleep(TIMES.SILENT_AFTER_MS + 1_000)
    w.cutOff(false)
    await eventually('all have reported that they are alive', async () => {
      const [row] = await w.db.rows<{ alive: number }>(
        'SELECT count(*) AS alive FROM gateways WHERE seen_at_ms > now_ms() - 500',
      )
      return row?.alive === 2
    })
    // Until each of them has swept.
    await Bun.sleep(TIMES.SWEEP_EVERY_MS * 2)
    const [row] = await w.db.rows<{ pending: number }>(
      "SELECT count(*) AS pending FROM holds WHERE state = 'pending'",
    )
    expect(row?.pending).toBe(2)
    for (const [member] of calls.entries()) {
      const again = await w.call(member + 1, wholePath(), ask(), key, { 'idempotency-key': `key-${member}` })
      expect(again.status).toBe(409)
    }
    release()
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200])
    await w.rest()
    const logs = await Promise.all(w.members.map((member) => member.log()))
    expect(logs.join('')).not.toContain('dead')
    expect(w.upstream.requests.length).toBe(2)
  })

  test('in which a keyed stream ends gives it the same error event as one without a key, and a repeat afterwards gets the same bytes', async () => {
    const { promise: rest, resolve: release } = Promise.withResolvers<void>()
    w.upstream.answer(() => stream({ event: piece('Hel') }, { wait: rest }, { event: answer('lo.') }))
    const key = await w.caller('100')
    const call = (headers = {}) => w.call(0, streamPath(), ask(), key, headers)
    const answers = await Promise.all([call(KEYED), call()])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    await w.upstream.waitForRequest(2)
    // Both callers have received bytes, so that their calls are charged.
    await Promise.all(answers.map((each) => each.clone().body?.getReader().read()))
    w.cutOff(true)
    release()
    const [keyed = '', plain = ''] = await Promise.all(answers.map((each) => each.text()))
    expect(payloadsOf(keyed)).toEqual(payloadsOf(plain))
    expect(payloadsOf(keyed).at(-1)).toMatchObject({ error: { status: expect.any(String) } })
    w.cutOff(false)
    let repeat = ''
    await eventually('the repeat is no longer refused', async () => {
      const again = await call(KEYED)
      repeat = await again.text()
      // It is under way, or cannot be recorded yet. A lost answer would stay refused.
      if (again.status !== 200)
        expect(repeat).toMatch(/still in progress|cannot record calls|does not answer/)
      return again.status === 200
    })
    expect(repeat).toBe(keyed)
    await w.rest()
    const [row] = await w.db.rows<{ calls: number }>(
      'SELECT count(*) AS calls FROM calls WHERE account_id = (SELECT max(id) FROM accounts)',
    )
    expect([row?.calls, w.upstream.requests.length]).toEqual([2, 2])
  })
})
