// A settlement that the ledger refuses: nobody is told that the call was charged.
import { expect, test } from 'bun:test'
import { NO_USAGE } from '../../src/domain/usage.ts'
import type { HeldCall } from '../../src/exchange/life/held-call.ts'
import { Trace } from '../../src/exchange/life/trace.ts'
import { createActivity } from '../../src/exchange/settling/activity.ts'
import type { Delivered } from '../../src/exchange/settling/end.ts'
import { openSettlement, type SettlementParts } from '../../src/exchange/settling/settlement.ts'
import type { Ledger, PostOutcome } from '../../src/ledger/operations.ts'
import { memoryLog } from '../support/memory-log.ts'

const held = {
  request_id: 'req_1',
  hold_id: 1,
  caller: { account: { id: 7, name: 'alice' }, key: { prefix: 'tg_abcdefg' } },
  started_ms: 0,
} as HeldCall
const delivered: Delivered = {
  outcome: 'completed',
  charge: { cost_nanos: 5, snapshot: '' },
  usage: NO_USAGE,
  estimated: false,
}

/** Settles a call, and gives what its log and its listeners were told. */
async function toldOf(outcome: PostOutcome, settle: 'post' | 'voidHold') {
  const { log, lines } = memoryLog()
  const activity = createActivity(log)
  const told: string[] = []
  activity.listenToAll(({ type }) => told.push(type))
  activity.listenToSettled(() => told.push('record'))
  const ledger: Pick<Ledger, 'submit' | 'failing'> = {
    failing: undefined,
    submit: async () => outcome as never,
  }
  const parts = { ledger, activity, log, now: () => 9, probe: () => {} } as unknown as SettlementParts
  const settlement = openSettlement(parts, held, new Trace(0, 0, String))
  if (settle === 'post') await settlement.post(delivered)
  else await settlement.voidHold({ outcome: 'failed', status: 502 })
  return { told, lines: lines().map(({ level, message, refusal }) => [level, message, refusal]) }
}

test.each(['post', 'voidHold'] as const)(
  '%s: its line in the log says so, and there is no other',
  async (settle) => {
    expect(await toldOf({ ok: false, refusal: 'already_resolved' }, settle)).toEqual({
      told: ['held'],
      lines: [['error', 'hold already resolved; cost not charged', 'already_resolved']],
    })
  },
)

test('one that it takes is told to all', async () => {
  expect(await toldOf({ ok: true, charged_nanos: 5, unpaid_nanos: 0 }, 'post')).toEqual({
    told: ['held', 'record', 'settled'],
    lines: [['info', 'call', undefined]],
  })
})
