// A settlement that the ledger refuses: it is logged as an error, and no listener is notified of a charge.
import { expect, test } from 'bun:test'
import { createActivity } from '../../plugins/live-feed/activity.ts'
import type { Held } from '../../src/calls/life/call.ts'
import { createEvents } from '../../src/calls/life/events.ts'
import { Trace } from '../../src/calls/life/trace.ts'
import type { Delivered, Undelivered } from '../../src/calls/settling/end.ts'
import { type SettlementParts, settle } from '../../src/calls/settling/settlement.ts'
import { NO_USAGE } from '../../src/domain/usage.ts'
import type { Ledger, PostOutcome } from '../../src/money/ledger/operations.ts'
import { memoryLog } from '../support/memory-log.ts'

const heldCall = () =>
  ({
    origin: { request_id: 'req_1' },
    place: { left_at_ms: undefined },
    order: { model: { id: 'a-model' }, streams: false },
    hold_id: 1,
    caller: { account: { id: 7, name: 'alice' }, key: { prefix: 'tg_abcdefg' } },
    started_ms: 0,
    trace: new Trace(0, 0, String),
  }) as Held
const delivered: Delivered = {
  outcome: 'completed',
  charge: { cost_nanos: 5, snapshot: '' },
  usage: NO_USAGE,
  estimated: false,
}

/** Settles a call. Returns the notices to its listeners and the lines of its log. */
async function settleWith(outcome: PostOutcome, end: Delivered | Undelivered) {
  const { log, lines } = memoryLog()
  const events = createEvents(log)
  const activity = createActivity(events, log)
  const notices: string[] = []
  activity.listen(undefined, ({ type }) => notices.push(type))
  events.on('settled', () => notices.push('record'))
  const ledger: Pick<Ledger, 'submit' | 'failing'> = {
    failing: undefined,
    submit: async () => outcome as never,
  }
  const parts = { ledger, events, log, now: () => 9, probe: () => {} } as unknown as SettlementParts
  await settle(parts, heldCall(), end)
  return { notices, lines: lines().map(({ level, message, refusal }) => [level, message, refusal]) }
}

test.each<[string, Delivered | Undelivered]>([
  ['a charge', delivered],
  ['a void', { outcome: 'failed', status: 502 }],
])('%s that the ledger refuses is logged as an error, and nothing else happens', async (_, end) => {
  expect(await settleWith({ ok: false, refusal: 'already_resolved' }, end)).toEqual({
    notices: [],
    lines: [['error', 'hold already resolved; cost not charged', 'already_resolved']],
  })
})

test('an accepted charge is logged, and all listeners are notified', async () => {
  expect(await settleWith({ ok: true, charged_nanos: 5, unpaid_nanos: 0 }, delivered)).toEqual({
    notices: ['settled', 'record'],
    lines: [['info', 'call', undefined]],
  })
})
