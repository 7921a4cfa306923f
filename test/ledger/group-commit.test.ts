// What shares a transaction, and what happens to it when the transaction fails.
import type { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { openDatabase } from '../../src/db/open.ts'
import type { Executor } from '../../src/ledger/executors.ts'
import { commitBatch } from '../../src/ledger/failure.ts'
import { groupCommit } from '../../src/ledger/ledger.ts'
import type { Operation } from '../../src/ledger/operations.ts'
import { createWriter, type Probe } from '../../src/ledger/writer.ts'
import { onDisk } from './disk.ts'
import { brokenInvariants, hold, post, stateOf, topUp, world } from './world.ts'

/** An executor that keeps each batch until it is let go. */
function heldUp() {
  const batches: { operations: Operation[]; finish: () => void; fail: (error: Error) => void }[] = []
  const executor: Executor = {
    commit: (operations) =>
      new Promise((resolve, reject) => {
        const finish = () =>
          resolve(operations.map(() => ({ outcome: { ok: true, balance_nanos: 0, debt_nanos: 0 } })))
        batches.push({ operations, finish, fail: reject })
      }),
    close: async () => {},
  }
  return { executor, batches }
}

const overDatabase = (db: Database, probe?: Probe): Executor => {
  const writer = createWriter(db, probe)
  return { commit: async (operations) => commitBatch(writer, operations), close: async () => {} }
}

const turn = () => new Promise<void>((resolve) => setTimeout(resolve, 1))
const amounts = (batch: { operations: Operation[] } | undefined) =>
  batch?.operations.map((operation) => 'amount_nanos' in operation && operation.amount_nanos)

describe('what shares a transaction', () => {
  test('is what came in one turn, and then all that came while that was in flight', async () => {
    const { executor, batches } = heldUp()
    const ledger = groupCommit(executor)
    const answers = [1, 2, 3].map((amount) => ledger.submit(topUp(amount)))
    await turn()
    answers.push(...[4, 5].map((amount) => ledger.submit(topUp(amount))))
    await turn()
    answers.push(ledger.submit(topUp(6)))
    await turn()
    expect(batches.map(amounts)).toEqual([[1, 2, 3]])
    batches[0]?.finish()
    await turn()
    expect(batches.map(amounts)).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ])
    batches[1]?.finish()
    expect(await Promise.all(answers)).toHaveLength(6)
  })

  test('is bounded, so that no transaction keeps the others waiting for long', async () => {
    const { executor, batches } = heldUp()
    const ledger = groupCommit(executor)
    const answers = Array.from({ length: 1_100 }, (_, index) => ledger.submit(topUp(index + 1)))
    for (let batch = 0; batch < 3; batch++) {
      await turn()
      batches[batch]?.finish()
    }
    await Promise.all(answers)
    expect(batches.map(({ operations }) => operations.length)).toEqual([512, 512, 76])
  })

  test('is not answered before its commit is', async () => {
    const { executor, batches } = heldUp()
    let answered = false
    const answer = groupCommit(executor)
      .submit(topUp(1))
      .then(() => {
        answered = true
      })
    await turn()
    expect(batches).toHaveLength(1)
    expect(answered).toBe(false)
    batches[0]?.finish()
    await answer
    expect(answered).toBe(true)
  })
})

describe('when a commit fails', () => {
  test('because the disk is full, all of the batch fails, nothing of it is done, and the ledger goes on', async () => {
    const db = world({ balance: 1_000_000 })
    const [pages] = db.query<{ page_count: number }, []>('PRAGMA page_count').all()
    db.run(`PRAGMA max_page_count = ${pages?.page_count}`)
    const ledger = groupCommit(overDatabase(db))
    const long = 'x'.repeat(10_000)
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

  test('because another process keeps the lock, all of the batch fails, and the ledger goes on', () =>
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

  test('at its last moment, nothing is half done, and what is tried again is done once', async () => {
    const db = world({ balance: 100 })
    let failures = 1
    const probe: Probe = (point) => {
      if (point === 'commit.written' && failures-- > 0) throw new Error('at its last moment')
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

  test('again and again, each of the batch fails, and nothing was done', async () => {
    const db = world({ balance: 100 })
    const probe: Probe = (point) => {
      if (point === 'commit.written') throw new Error('always')
    }
    const failed = await Promise.allSettled(
      [hold(60), topUp(7)].map(groupCommit(overDatabase(db, probe)).submit),
    )
    expect(failed.map((one) => one.status === 'rejected' && one.reason.kind)).toEqual([
      'internal',
      'internal',
    ])
    expect(stateOf(db)).toMatchObject({ balance: 100, held: 0 })
    expect(db.inTransaction).toBe(false)
  })

  test('of several operations that the tables refuse, each fails by itself', async () => {
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

  test('because the executor is gone, the batch fails, and so does what comes later', async () => {
    const { executor, batches } = heldUp()
    const ledger = groupCommit(executor)
    for (let batch = 0; batch < 2; batch++) {
      const answers = [ledger.submit(topUp(1)), ledger.submit(hold(1))]
      await turn()
      batches[batch]?.fail(new Error('the thread ended'))
      const failed = await Promise.allSettled(answers)
      expect(failed.map((one) => one.status === 'rejected' && one.reason.kind)).toEqual([
        'internal',
        'internal',
      ])
    }
  })
})
