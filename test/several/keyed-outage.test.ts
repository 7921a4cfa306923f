// A keyed stream that ends during an outage of the database's server: its caller gets what one without a key gets, and a repeat gets the same.
import { describe, expect, test } from 'bun:test'
import { eventually } from '../support/eventually.ts'
import { answer, ask, payloadsOf, piece, streamPath } from '../support/native.ts'
import { hasPostgres } from '../support/postgres.ts'
import { stream } from '../support/upstream.ts'
import { world } from './world.ts'

/** A gateway starts from its source for it, while the machine is busy. */
const MAX_TEST_MS = 180_000
const KEYED = { 'idempotency-key': 'during-an-outage' }

describe.if(hasPostgres)('a keyed stream that ends during an outage', () => {
  test(
    'ends with the same error event as one without a key, and a repeat after the outage gets the same bytes',
    async () => {
      const { promise: rest, resolve: release } = Promise.withResolvers<void>()
      const script = () => stream({ event: piece('Hel') }, { wait: rest }, { event: answer('lo.') })
      await using w = await world({ gateways: 1, script, environment: [{ MAX_BUSY_WAIT_MS: 1_000 }] })
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
      const [row] = await w.db.rows<{ calls: number }>('SELECT count(*) AS calls FROM calls')
      expect([row?.calls, w.upstream.requests.length]).toEqual([2, 2])
    },
    MAX_TEST_MS,
  )
})
