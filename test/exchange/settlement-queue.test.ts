// Settlements that the ledger could not write: "a settlement is retried until it is written; it is never dropped while the process lives".
import { describe, expect, test } from 'bun:test'
import { overloaded } from '../../src/domain/errors.ts'
import { createSettlementQueue, type QueuedSettlement } from '../../src/exchange/settlement-queue.ts'
import type { Ledger, Outcome, PostOperation } from '../../src/ledger/operations.ts'
import { memoryLog } from '../support/memory-log.ts'

const POSTED: Outcome = { ok: true, charged_nanos: 5, unpaid_nanos: 0 }
const REFUSED: Outcome = { ok: false, refusal: 'already_resolved' }

/** A ledger that cannot commit at first, and then answers. */
function ledgerFailing(times: number, outcome: Outcome = POSTED) {
  const submitted: number[] = []
  let failures = times
  const submit = async (operation: { hold_id?: number }) => {
    submitted.push(operation.hold_id ?? 0)
    if (failures-- > 0) throw overloaded('The gateway cannot record calls at the moment.')
    return outcome
  }
  return { ledger: { submit: submit as Ledger['submit'] }, submitted }
}

const settlementOf = (hold_id: number, written: (outcome: Outcome) => void): QueuedSettlement => ({
  operation: { op: 'post', hold_id, cost_nanos: 5, now_ms: 0 } as PostOperation,
  fields: { request_id: `req_${hold_id}`, hold_id, cost_usd: '0.000000005' },
  written,
})

function queueOver(ledger: Pick<Ledger, 'submit'>) {
  const memory = memoryLog()
  return { queue: createSettlementQueue({ ledger, log: memory.log, first_pause_ms: 1 }), memory }
}

describe('a settlement that failed', () => {
  test.each([0, 1, 3])('is written after %i more failures, once, and is told', async (failures) => {
    const { ledger, submitted } = ledgerFailing(failures)
    const { queue, memory } = queueOver(ledger)
    const { promise, resolve } = Promise.withResolvers<Outcome>()
    queue.add(settlementOf(7, resolve))
    expect([queue.size, queue.has(7), queue.has(8)]).toEqual([1, true, false])
    expect(await promise).toEqual(POSTED)
    expect(submitted).toEqual(Array(failures + 1).fill(7))
    expect([queue.size, queue.has(7)]).toEqual([0, false])
    const lines = memory.lines().map(({ level, message, request_id, hold_id, cost_usd }) => ({
      ...{ level, message, request_id, hold_id, cost_usd },
    }))
    const about = { request_id: 'req_7', hold_id: 7, cost_usd: '0.000000005' }
    expect(lines).toEqual([
      ...Array(failures).fill({ level: 'warn', message: 'a settlement failed again', ...about }),
      { level: 'info', message: 'a settlement was written after all', ...about },
    ])
    await queue.close()
  })

  test('whose hold was resolved meanwhile is not tried again', async () => {
    const { ledger, submitted } = ledgerFailing(0, REFUSED)
    const { queue, memory } = queueOver(ledger)
    const { promise, resolve } = Promise.withResolvers<Outcome>()
    queue.add(settlementOf(7, resolve))
    expect(await promise).toEqual(REFUSED)
    // Nor is it said to have been written.
    expect([queue.size, submitted, memory.lines()]).toEqual([0, [7], []])
    await queue.close()
  })

  test('waits with others, and all are written', async () => {
    const { ledger } = ledgerFailing(4)
    const { queue } = queueOver(ledger)
    const holds = [1, 2, 3]
    await Promise.all(
      holds.map((hold_id) => new Promise((resolve) => queue.add(settlementOf(hold_id, resolve)))),
    )
    expect(queue.size).toBe(0)
    await queue.close()
  })
})

describe('the stop of the process', () => {
  test('tries one last time', async () => {
    const { ledger } = ledgerFailing(0)
    const { queue } = queueOver(ledger)
    const written: Outcome[] = []
    queue.add(settlementOf(7, (outcome) => written.push(outcome)))
    await queue.close()
    expect(written).toEqual([POSTED])
  })

  test('tells of what could not be written', async () => {
    const { ledger } = ledgerFailing(Number.POSITIVE_INFINITY)
    const { queue, memory } = queueOver(ledger)
    queue.add(settlementOf(7, () => {}))
    await queue.close()
    expect(memory.lines().at(-1)).toMatchObject({
      level: 'error',
      hold_id: 7,
      message: 'the process stops before a settlement was written: its hold expires at the next start',
    })
  })
})
