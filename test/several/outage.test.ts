// An outage of the server of the database under several gateways: once it is back, none of them considers another one dead.
import { describe, expect, test } from 'bun:test'
import { eventually } from '../support/eventually.ts'
import { answering, ask, wholePath } from '../support/native.ts'
import { hasPostgres } from '../support/postgres.ts'
import { heldBack } from '../support/upstream.ts'
import { TIMES, world } from './world.ts'

describe.if(hasPostgres)('an outage longer than a gateway may be silent', () => {
  test('expires no hold of a call under way, and frees no key of one', async () => {
    const { script, release } = heldBack(answering)
    await using w = await world({ script })
    const key = await w.caller('100')
    const calls = [0, 1, 2].map((member) =>
      w.call(member, wholePath(), ask(), key, { 'idempotency-key': `key-${member}` }),
    )
    await w.upstream.waitForRequest(3)
    w.cutOff(true)
    await Bun.sleep(TIMES.SILENT_AFTER_MS + 1_000)
    w.cutOff(false)
    await eventually('all have reported that they are alive', async () => {
      const [row] = await w.db.rows<{ alive: number }>(
        'SELECT count(*) AS alive FROM gateways WHERE seen_at_ms > now_ms() - 500',
      )
      return row?.alive === 3
    })
    // Until each of them has swept.
    await Bun.sleep(TIMES.SWEEP_EVERY_MS * 2)
    const [row] = await w.db.rows<{ pending: number }>(
      "SELECT count(*) AS pending FROM holds WHERE state = 'pending'",
    )
    expect(row?.pending).toBe(3)
    for (const [member] of calls.entries()) {
      const again = await w.call(member + 1, wholePath(), ask(), key, { 'idempotency-key': `key-${member}` })
      expect(again.status).toBe(409)
    }
    release()
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200, 200])
    await w.rest()
    const logs = await Promise.all(w.members.map((member) => member.log()))
    expect(logs.join('')).not.toContain('dead')
    expect(w.upstream.requests.length).toBe(3)
  })
})
