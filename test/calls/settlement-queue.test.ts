// Settlements that the ledger could not write: "a settlement is retried until it is written; it is never dropped while the process lives".
import { describe, expect, spyOn, test } from 'bun:test'
import {
  MAX_UNWRITTEN_NANOS,
  MAX_UNWRITTEN_SETTLEMENTS,
  type QueuedSettlement,
  SettlementQueue,
  type UnwrittenSettlement,
} from '../../src/calls/settling/queue.ts'
import { internal, overloaded } from '../../src/domain/errors.ts'
import type { Ledger, Outcome, PostOperation } from '../../src/money/ledger/operations.ts'
import { eventually } from '../support/eventually.ts'
import { memoryLog } from '../support/memory-log.ts'

const POSTED: Outcome = { ok: true, charged_nanos: 5, unpaid_nanos: 0 }
const REFUSED: Outcome = { ok: false, refusal: 'already_resolved' }

const ALL_DONE = 'all delayed settlements are done'

/** A ledger that cannot commit at first, and then answers. */
function ledgerFailing(times: number, outcome: Outcome = POSTED) {
  const submitted: number[] = []
  let failures = times
  const submit = async (operation: { hold_id?: number }) => {
    submitted.push(operation.hold_id ?? 0)
    if (failures-- > 0) throw overloaded('The gateway cannot record calls at the moment.')
    return outcome
  }
  return { ledger: { failing: undefined, submit: submit as Ledger['submit'] }, submitted }
}

const settlementOf = (hold_id: number, written: (outcome: Outcome) => void): QueuedSettlement => ({
  operation: { op: 'post', hold_id, cost_nanos: 5, now_ms: 0 } as PostOperation,
  fields: { request_id: `req_${hold_id}`, hold_id, cost_usd: '0.000000005' },
  written,
})

function queueOver(ledger: Pick<Ledger, 'submit' | 'failing'>, disk: { full?: boolean } = {}) {
  const memory = memoryLog()
  const kept: UnwrittenSettlement[] = []
  const journal = (settlements: readonly UnwrittenSettlement[]) => {
    if (disk.full) throw new Error('no space')
    kept.push(...settlements)
  }
  return {
    queue: new SettlementQueue({ ledger, log: memory.log, journal, first_pause_ms: 1 }),
    memory,
    kept,
  }
}

describe('a settlement that failed', () => {
  test.each([0, 1, 3])('is written after %i more failures, once, and logged', async (failures) => {
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
      { level: 'info', message: 'a delayed settlement was written', ...about },
      { level: 'info', message: ALL_DONE },
    ])
    queue.close()
  })

  test('logs, as the last of several, how many were kept and written, and for how long', async () => {
    let failing: string | undefined = 'the disk is full'
    const { ledger } = ledgerFailing(0)
    const { queue, memory } = queueOver({
      submit: ledger.submit,
      get failing() {
        return failing
      },
    })
    const all = [7, 8, 9].map((hold_id) => {
      const { promise, resolve } = Promise.withResolvers<Outcome>()
      queue.add(settlementOf(hold_id, resolve))
      return promise
    })
    expect(memory.lines()).toEqual([])
    failing = undefined
    await Promise.all(all)
    const line = await memory.waitForLine(({ message }) => message === ALL_DONE)
    expect(line).toMatchObject({ level: 'info', kept: 3, written: 3, lasted_ms: expect.any(Number) })
    expect(memory.lines().filter(({ message }) => message === ALL_DONE)).toHaveLength(1)
    queue.close()
  })

  test('whose hold was resolved meanwhile is not tried again', async () => {
    const { ledger, submitted } = ledgerFailing(0, REFUSED)
    const { queue, memory } = queueOver(ledger)
    const { promise, resolve } = Promise.withResolvers<Outcome>()
    queue.add(settlementOf(7, resolve))
    expect(await promise).toEqual(REFUSED)
    // The log does not count it as written either.
    expect([queue.size, submitted]).toEqual([0, [7]])
    expect(memory.lines()).toMatchObject([{ level: 'info', message: ALL_DONE, kept: 1, written: 0 }])
    queue.close()
  })

  test('leaves the timer running while others wait', async () => {
    const later = Promise.withResolvers<Outcome>()
    const submit = async ({ hold_id }: { hold_id?: number }) => (hold_id === 1 ? POSTED : later.promise)
    const { queue } = queueOver({ failing: undefined, submit: submit as Ledger['submit'] })
    using stopped = spyOn(globalThis, 'clearInterval')
    const [first, second] = [1, 2].map(
      (hold_id) => new Promise((resolve) => queue.add(settlementOf(hold_id, resolve))),
    )
    await first
    expect([queue.size, stopped.mock.calls.length]).toEqual([1, 0])
    later.resolve(POSTED)
    await second
    expect([queue.size, stopped.mock.calls.length]).toEqual([0, 1])
    queue.close()
  })

  test('waits with others, and all are written', async () => {
    const { ledger } = ledgerFailing(4)
    const { queue } = queueOver(ledger)
    const holds = [1, 2, 3]
    await Promise.all(
      holds.map((hold_id) => new Promise((resolve) => queue.add(settlementOf(hold_id, resolve)))),
    )
    expect(queue.size).toBe(0)
    queue.close()
  })
})

describe('a settlement that can never be written', () => {
  /** Refuses hold 1 for its content, whatever happens; writes the others. */
  function ledgerRefusingOne() {
    const tries: number[] = []
    const submit = async ({ hold_id }: { hold_id: number }) => {
      tries.push(hold_id)
      if (hold_id === 1) throw internal('The gateway failed to record this call.')
      return POSTED
    }
    return { ledger: { failing: undefined, submit: submit as Ledger['submit'] }, tries }
  }

  test('does not slow the others, and is tried ever less often', async () => {
    const { ledger, tries } = ledgerRefusingOne()
    const { queue } = queueOver(ledger)
    queue.add(settlementOf(1, () => {}))
    await eventually('it was refused several times', () => tries.length >= 6)
    const { promise, resolve } = Promise.withResolvers<Outcome>()
    queue.add(settlementOf(2, resolve))
    expect(await promise).toEqual(POSTED)
    // The pause of the first has grown to 64 times the pause of the second, which was tried once, at its own time.
    expect(tries.filter((hold_id) => hold_id === 2)).toHaveLength(1)
    expect(tries.slice(tries.indexOf(2)).length).toBeLessThanOrEqual(2)
    expect([queue.size, queue.has(1)]).toEqual([1, true])
    queue.close()
  })

  test('does not hold up a stop, and is kept for the next start', async () => {
    const { ledger } = ledgerRefusingOne()
    const { queue, kept } = queueOver(ledger)
    queue.add(settlementOf(1, () => {}))
    queue.add(settlementOf(2, () => {}))
    await queue.drain(60_000)
    queue.close()
    expect(kept.map(({ operation }) => operation.hold_id)).toEqual([1])
  })
})

test('no settlement is tried while the ledger reports that it cannot commit; all are as soon as it can', async () => {
  const submitted: number[] = []
  const ledger = {
    failing: 'the disk is full' as string | undefined,
    submit: (async ({ hold_id }: { hold_id: number }) => {
      submitted.push(hold_id)
      return POSTED
    }) as Ledger['submit'],
  }
  const { queue } = queueOver(ledger)
  const written = [1, 2].map((hold_id) => new Promise((resolve) => queue.add(settlementOf(hold_id, resolve))))
  await queue.drain(50)
  expect(submitted).toEqual([])
  ledger.failing = undefined
  await Promise.all(written)
  expect(submitted).toEqual([1, 2])
})

describe('a queue above its limit reports itself as full, and still accepts settlements', () => {
  const failing = ledgerFailing(0).ledger
  const blocked = { ...failing, failing: 'the disk is full' }

  test('by count', () => {
    const { queue } = queueOver(blocked)
    for (let hold_id = 1; hold_id <= MAX_UNWRITTEN_SETTLEMENTS; hold_id++)
      queue.add(settlementOf(hold_id, () => {}))
    expect(queue.full).toBeUndefined()
    queue.add(settlementOf(MAX_UNWRITTEN_SETTLEMENTS + 1, () => {}))
    expect(queue.full).toStartWith('1001 settlements of 0.000005005 USD')
    queue.close()
  })

  test('by money', () => {
    const { queue } = queueOver(blocked)
    const huge = settlementOf(1, () => {})
    queue.add({ ...huge, operation: { ...huge.operation, cost_nanos: MAX_UNWRITTEN_NANOS } as PostOperation })
    expect(queue.full).toBeUndefined()
    queue.add(settlementOf(2, () => {}))
    expect(queue.full).toStartWith('2 settlements of 100.000000005 USD')
    queue.close()
  })
})

describe('the stop of the process', () => {
  test('waits until every settlement that can be written is written', async () => {
    const { ledger } = ledgerFailing(2)
    const { queue, kept } = queueOver(ledger)
    const written: Outcome[] = []
    queue.add(settlementOf(7, (outcome) => written.push(outcome)))
    await queue.drain(60_000)
    queue.close()
    expect([written, kept]).toEqual([[POSTED], []])
  })

  test('keeps settlements in the journal that were not written in time or are added later', async () => {
    const { ledger } = ledgerFailing(Number.POSITIVE_INFINITY)
    const { queue, kept, memory } = queueOver(ledger)
    queue.add(settlementOf(7, () => {}))
    await queue.drain(5)
    queue.close()
    queue.add(settlementOf(8, () => {}))
    expect(kept.map(({ fields }) => fields.request_id)).toEqual(['req_7', 'req_8'])
    expect(memory.lines().at(-1)).toMatchObject({
      level: 'warn',
      message: 'settlements wait in the journal for the next start',
    })
  })

  test('logs a settlement that could be kept nowhere', () => {
    const { ledger } = ledgerFailing(Number.POSITIVE_INFINITY)
    const { queue, memory } = queueOver(ledger, { full: true })
    queue.add(settlementOf(7, () => {}))
    queue.close()
    expect(memory.lines().at(-1)).toMatchObject({
      level: 'error',
      hold_id: 7,
      message: 'the process stops before a settlement was written: its hold expires at the next start',
    })
  })
})
