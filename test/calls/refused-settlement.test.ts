// A settlement that the ledger refuses: nobody is told that the call was charged.
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

/** Settles a call, and gives what its log and its listeners were told. */
async function toldOf(outcome: PostOutcome, end: Delivered | Undelivered) {
  const { log, lines } = memoryLog()
  const events = createEvents(log)
  const activity = createActivity(events, log)
  const told: string[] = []
  activity.listen(undefined, ({ type }) => told.push(type))
  events.on('settled', () => told.push('record'))
  const ledger: Pick<Ledger, 'submit' | 'failing'> = {
    failing: undefined,
    submit: async () => outcome as never,
  }
  const parts = { ledger, events, log, now: () => 9, probe: () => {} } as unknown as SettlementParts
  await settle(parts, heldCall(), end)
  return { told, lines: lines().map(({ level, message, refusal }) => [level, message, refusal]) }
}

test.each<[string, Delivered | Undelivered]>([
  ['a charge', delivered],
  ['a void', { outcome: 'failed', status: 502 }],
])('%s: its line in the log says so, and there is no other', async (_, end) => {
  expect(await toldOf({ ok: false, refusal: 'already_resolved' }, end)).toEqual({
    told: [],
    lines: [['error', 'hold already resolved; cost not charged', 'already_resolved']],
  })
})

test('one that it takes is told to all', async () => {
  expect(await toldOf({ ok: true, charged_nanos: 5, unpaid_nanos: 0 }, delivered)).toEqual({
    told: ['settled', 'record'],
    lines: [['info', 'call', undefined]],
  })
})
