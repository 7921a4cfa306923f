// Group commit: which operations share a transaction, and what happens to them when it fails.
import type { Database } from 'bun:sqlite'
import { describe, expect, spyOn, test } from 'bun:test'
import type { Executor } from '../../../src/money/ledger/executor.ts'
import { commitBatch, tryTo } from '../../../src/money/ledger/failure.ts'
import { groupCommit } from '../../../src/money/ledger/ledger.ts'
import type { Operation } from '../../../src/money/ledger/operations.ts'
import { createWriter, type Probe } from '../../../src/money/ledger/writer.ts'
import { openDatabase } from '../../../src/store/engines/sqlite/open.ts'
import type { Hold } from '../../../src/store/schema.ts'
import { onDisk } from './disk.ts'
import { brokenInvariants, hold, post, stateOf, topUp, world } from './world.ts'

interface Batch {
  operations: Operation[]
  finish: () => void
  fail: (error: Error) => void
}

/** An executor that holds each batch until the test finishes it, and decides holds; their rows are written with any batch. */
function heldUp() {
  const batches: Batch[] = []
  let arrived = Promise.withResolvers<void>()
  const unwritten = new Map<number, Hold>()
  const executor: Executor = {
    commit: (operations) =>
      new Promise((resolve, reject) => {
        unwritten.clear()
        const finish = () => resolve(operations.map(() => ({ ok: true, balance_nanos: 0, debt_nanos: 0 })))
        batches.push({ operations, finish, fail: reject })
        arrived.resolve()
        arrived = Promise.withResolvers()
      }),
    tryToWrite: async () => undefined,
    close: async () => {},
  }
  /** The batch of this index, once the executor has it. */
  async function batch(index: number): Promise<Batch> {
    for (;;) {
      const found = batches[index]
      if (found) return found
      await arrived.promise
    }
  }
  return { executor, batches, batch, unwritten }
}

const overDatabase = (db: Database, probe?: Probe): Executor => {
  const writer = createWriter(db, probe)
  return {
    commit: async (operations) => commitBatch(writer, operations),
    tryToWrite: async () => tryTo(writer.rewriteHeader),
    close: async () => {},
  }
}

/** A turn of the event loop: the ledger passes a batch on at the end of one. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
const amounts = ({ operations }: Batch) =>
  operations.map((operation) => 'amount_nanos' in operation && operation.amount_nanos)

describe('a transaction', () => {
  test('is shared by the operations of one turn; those submitted while it is in flight share the next one', async () => {
    const { executor, batches, batch } = heldUp()
    const ledger = groupCommit(executor)
    const outcomes = [1, 2, 3].map((amount) => ledger.submit(topUp(amount)))
    const first = await batch(0)
    outcomes.push(...[4, 5].map((amount) => ledger.submit(topUp(amount))))
    await turn()
    outcomes.push(ledger.submit(topUp(6)))
    await turn()
    expect(batches.map(amounts)).toEqual([[1, 2, 3]])
    first.finish()
    const second = await batch(1)
    expect(batches.map(amounts)).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ])
    second.finish()
    expect(await Promise.all(outcomes)).toHaveLength(6)
  })

  test('is bounded, so that none delays the others for long', async () => {
    const { executor, batches, batch } = heldUp()
    const ledger = groupCommit(executor)
    const outcomes = Array.from({ length: 1_100 }, (_, index) => ledger.submit(topUp(index + 1)))
    for (let index = 0; index < 3; index++) (await batch(index)).finish()
    await Promise.all(outcomes)
    expect(batches.map(({ operations }) => operations.length)).toEqual([512, 512, 76])
  })

  test('is committed before its operations are answered', async () => {
    const { executor, batch } = heldUp()
    let answered = false
    const answer = groupCommit(executor)
      .submit(topUp(1))
      .then(() => {
        answered = true
      })
    const { finish } = await batch(0)
    await turn()
    expect(answered).toBe(false)
    finish()
    await answer
  })
})

describe('a barrier', () => {
  const HELD = { id: 1 } as Hold

  /** A ledger with a batch in flight, a hold decided meanwhile, and another operation behind it. */
  async function behindBatch() {
    const held_up = heldUp()
    const ledger = groupCommit({
      ...held_up.executor,
      holds: {
        unwritten: held_up.unwritten,
        decide: () => ({ ok: true, hold_id: 1, held_nanos: 1 }),
        write: async () => undefined,
      },
    })
    const outcomes = [ledger.submit(topUp(1))]
    const first = await held_up.batch(0)
    held_up.unwritten.set(1, HELD)
    outcomes.push(ledger.submit(topUp(2)))
    let passed = false
    const barrier = ledger.barrier().then(() => {
      passed = true
    })
    return { ...held_up, ledger, outcomes, first, barrier, hasPassed: () => passed }
  }

  test('waits for the next batch, and for none of those behind it', async () => {
    const { ledger, batch, outcomes, first, barrier, hasPassed } = await behindBatch()
    first.finish()
    const second = await batch(1)
    outcomes.push(ledger.submit(topUp(3)))
    await turn()
    expect(hasPassed()).toBe(false)
    second.finish()
    const third = await batch(2)
    await barrier
    third.finish()
    await Promise.all(outcomes)
  })

  test.each([
    ['that is in flight', 0],
    ['behind it', 1],
  ] as const)(
    'does not wait longer than the limit for a hanging disk with the batch %s, and later ones do not wait at all',
    async (_, at) => {
      using timers = spyOn(globalThis, 'setInterval')
      const { ledger, batch, outcomes, first, barrier, unwritten } = await behindBatch()
      const look = timers.mock.calls[0]?.[0] as () => void
      if (at === 1) first.finish()
      await batch(at)
      const now_ms = performance.now()
      using clock = spyOn(performance, 'now').mockReturnValue(now_ms + 6_000)
      look()
      clock.mockRestore()
      await barrier
      expect(ledger.failing).toBe('the disk does not answer')
      unwritten.set(1, HELD)
      await ledger.barrier()
      expect((await Promise.allSettled(outcomes)).at(-1)?.status).toBe('rejected')
    },
  )
})

describe('when a commit fails', () => {
  test('because the disk is full, the whole batch fails, nothing of it is written, and the ledger goes on', async () => {
    const db = world({ balance: 1_000_000 })
    const [pages] = db.query<{ page_count: number }, []>('PRAGMA page_count').all()
    db.run(`PRAGMA max_page_count = ${pages?.page_count}`)
    const ledger = groupCommit(overDatabase(db))
    // Longer than the free space in the existing pages.
    const long = 'x'.repeat(100_000)
    const submit = () =>
      Promise.allSettled([
        ledger.submit(hold(10)),
        ledger.submit(hold(10, { request_id: long })),
        ledger.submit(hold(10)),
      ])
    const failed = await submit()
    for (const one of failed) {
      expect(one).toMatchObject({
        status: 'rejected',
        reason: { kind: 'overloaded', code: 'ledger_unavailable', retry_after_s: 1 },
      })
    }
    expect(stateOf(db)).toMatchObject({ held: 0, key_held: 0 })
    expect(brokenInvariants(db)).toEqual([])

    db.run('PRAGMA max_page_count = 1000000')
    expect((await submit()).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled'])
    expect(stateOf(db)).toMatchObject({ held: 30, key_held: 30 })
  })

  test('because another process holds the lock, the whole batch fails, and the ledger goes on', () =>
    onDisk({ balance: 100 }, async (path, other) => {
      const db = openDatabase(path)
      db.run('PRAGMA busy_timeout = 0')
      const ledger = groupCommit(overDatabase(db))
      other.run('BEGIN IMMEDIATE')
      const failed = await Promise.allSettled([ledger.submit(hold(10)), ledger.submit(topUp(5))])
      expect(failed.map((one) => one.status === 'rejected' && one.reason.kind)).toEqual([
        'overloaded',
        'overloaded',
      ])
      other.run('COMMIT')
      expect(await ledger.submit(hold(10))).toMatchObject({ ok: true })
      expect(stateOf(other)).toMatchObject({ balance: 100, held: 10 })
      db.close()
    }))

  test('once, before it is committed, its operations are tried one by one and done once', async () => {
    const db = world({ balance: 100 })
    let failures = 1
    const probe: Probe = (point) => {
      if (point === 'batch.written' && failures-- > 0) throw new Error('before the commit')
    }
    const ledger = groupCommit(overDatabase(db, probe))
    const outcomes = await Promise.all([
      ledger.submit(hold(60)),
      ledger.submit(topUp(7)),
      ledger.submit(hold(60)),
    ])
    expect(outcomes.map(({ ok }) => ok)).toEqual([true, true, false])
    expect(stateOf(db)).toMatchObject({ balance: 107, held: 60 })
    expect(brokenInvariants(db)).toEqual([])
  })

  test('at each attempt, every operation of the batch fails, and nothing is written', async () => {
    const db = world({ balance: 100 })
    const probe: Probe = (point) => {
      if (point === 'batch.written') throw new Error('always')
    }
    const ledger = groupCommit(overDatabase(db, probe))
    const failed = await Promise.allSettled([ledger.submit(hold(60)), ledger.submit(topUp(7))])
    expect(failed.map((one) => one.status === 'rejected' && one.reason.kind)).toEqual([
      'internal',
      'internal',
    ])
    expect(stateOf(db)).toMatchObject({ balance: 100, held: 0 })
    expect(db.inTransaction).toBe(false)
  })

  test('because the tables refuse some operations, only those fail', async () => {
    const db = world({ balance: 100 })
    const ledger = groupCommit(overDatabase(db))
    await Promise.all([ledger.submit(hold(10)), ledger.submit(hold(10)), ledger.submit(hold(10))])
    const outcomes = await Promise.allSettled([
      ledger.submit(post(1, 5, { streamed: 2 })),
      ledger.submit(post(2, 5)),
      ledger.submit(post(3, 5, { output_tokens: 0.5 })),
      ledger.submit(post(1, 5)),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled'])
    expect(stateOf(db)).toMatchObject({ balance: 90, held: 10 })
  })

  test('because the executor has failed, the batch fails, and so do later ones', async () => {
    const { executor, batch } = heldUp()
    const ledger = groupCommit(executor)
    for (let index = 0; index < 2; index++) {
      const outcomes = [ledger.submit(topUp(1)), ledger.submit(hold(1))]
      const { fail } = await batch(index)
      fail(new Error('the thread ended'))
      const failed = await Promise.allSettled(outcomes)
      expect(failed.map((one) => one.status === 'rejected' && one.reason.kind)).toEqual([
        'overloaded',
        'overloaded',
      ])
    }
  })
})

test('one operation that can never be written costs the others few commits, not one each', async () => {
  const db = world({ balance: 1_000 })
  let commits = 0
  const probe: Probe = (point) => {
    if (point === 'batch.started') commits += 1
  }
  const ledger = groupCommit(overDatabase(db, probe))
  await Promise.all(Array.from({ length: 64 }, () => ledger.submit(hold(1))))
  commits = 0
  const posts = Array.from({ length: 64 }, (_, index) =>
    ledger.submit(post(index + 1, 1, index === 40 ? { streamed: 2 } : {})),
  )
  const settled = await Promise.allSettled(posts)
  expect(settled.filter(({ status }) => status === 'rejected')).toHaveLength(1)
  expect(settled[40]).toMatchObject({ status: 'rejected', reason: { kind: 'internal' } })
  // The whole batch, and both halves at each of six halvings.
  expect(commits).toBe(1 + 2 * 6)
  expect(stateOf(db)).toMatchObject({ balance: 1_000 - 63, held: 1 })
})

test('a commit under way for less than the limit is not given up, however often the ledger looks', async () => {
  const { executor, batch } = heldUp()
  using timers = spyOn(globalThis, 'setInterval')
  const ledger = groupCommit(executor)
  const [[look] = []] = timers.mock.calls
  const under_way = ledger.submit(topUp(1))
  const { finish } = await batch(0)
  if (typeof look === 'function') look()
  finish()
  expect([typeof look, await under_way]).toMatchObject(['function', { ok: true }])
  await ledger.close()
})

test('while a disk hangs, no operation waits longer than the limit, and the ledger reports the failure', async () => {
  const { executor, batch } = heldUp()
  // Without a timer that keeps the process awake, the runtime polls for work all the time.
  const awake = setInterval(() => {}, 1_000)
  const reports: (string | undefined)[] = []
  const ledger = groupCommit(executor, { onChange: (failing) => reports.push(failing) })
  const under_way = ledger.submit(topUp(1)).catch((thrown: unknown) => thrown)
  const { finish } = await batch(0)
  const behind = ledger.submit(topUp(2)).catch((thrown: unknown) => thrown)
  const overdue = { kind: 'overloaded', code: 'ledger_unavailable' }
  expect(await under_way).toMatchObject(overdue)
  expect(await behind).toMatchObject(overdue)
  expect(ledger.failing).toBe('the disk does not answer')
  finish()
  await turn()
  expect(reports).toEqual(['the disk does not answer', undefined])
  expect(ledger.failing).toBeUndefined()
  clearInterval(awake)
}, 60_000)

test('while the disk hangs in a try to write, no operation waits longer than the limit either', async () => {
  const { executor, batch } = heldUp()
  using timers = spyOn(globalThis, 'setInterval')
  const ledger = groupCommit({ ...executor, tryToWrite: () => Promise.withResolvers<undefined>().promise })
  const failed = ledger.submit(topUp(1)).catch(({ code }) => code)
  ;(await batch(0)).fail(new Error('the disk fails'))
  expect(await failed).toBe('ledger_unavailable')
  const [look, tryToWrite] = timers.mock.calls.map(([call]) => call as () => void)
  tryToWrite?.()
  const behind = ledger.submit(topUp(2)).catch(({ code }) => code)
  const now_ms = performance.now()
  using clock = spyOn(performance, 'now').mockReturnValue(now_ms + 6_000)
  look?.()
  clock.mockRestore()
  expect(await behind).toBe('ledger_unavailable')
})
