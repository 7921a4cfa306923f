// A stream has no time limit as long as it progresses: however long it takes, its hold stays until the call is charged.
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { openLedger } from '../../src/money/ledger/ledger.ts'
import type { TestGateway } from '../support/gateway.ts'
import { ANSWER_NANOS, answer, ask, piece, streamPath } from '../support/native.ts'
import { scene } from '../support/scene.ts'
import { stream } from '../support/upstream.ts'

/** The lifetime of a hold: the provider's call_timeout_ms, and the time that a caller may take to read. */
const HOLD_LIFETIME_MS = 1_001

/** Makes a hold that no call will resolve, and whose time is over. @returns its request id */
async function leaveHoldBehind({ data_folder, rows }: TestGateway, now_ms: number): Promise<string> {
  const request_id = 'left-behind'
  const [key] = rows().keys
  if (!key) throw new Error('there is no key')
  const ledger = openLedger({ path: join(data_folder, 'tollgate.db') })
  const amounts = { amount_nanos: 1_000, minimum_nanos: 1_000 }
  const owner = { account_id: key.account_id, key_id: key.id, request_id }
  const outcome = await ledger.submit({ op: 'hold', ...owner, ...amounts, now_ms, expires_at_ms: now_ms })
  await ledger.close()
  expect(outcome.ok).toBe(true)
  return request_id
}

test('a stream that outlasts the time of its hold is charged: sweeps pass over the hold', async () => {
  let clock_ms = Date.now()
  const rest = Promise.withResolvers<void>()
  await using s = await scene({
    server: 'drain_timeout_ms = 0\nstalled_reader_timeout_ms = 1000',
    provider: 'call_timeout_ms = 1',
    script: stream({ event: piece('Long ') }, { wait: rest.promise }, { event: answer('ago.') }),
    now: () => clock_ms,
    sweep_every_ms: 10,
  })
  const response = await s.call(streamPath(), ask())
  // Another process makes no holds beside a gateway: their ids would be the same.
  await s.gateway.written()
  clock_ms += HOLD_LIFETIME_MS
  const left_behind = await leaveHoldBehind(s.gateway, clock_ms)
  await s.gateway.log.waitForLine(
    ({ request_ids }) => JSON.stringify(request_ids) === JSON.stringify([left_behind]),
  )
  expect(s.gateway.rows().holds.map(({ state }) => state)).toEqual(['pending', 'expired'])
  rest.resolve()
  expect(await response.text()).toContain('ago.')
  await s.gateway.rest()
  expect(s.gateway.onlyCall()).toMatchObject({ outcome: 'completed', cost_nanos: ANSWER_NANOS })
})
