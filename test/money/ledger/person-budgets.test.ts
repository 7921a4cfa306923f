// Budgets of people: all keys of a person in an account count together, on both engines (by random operations: simulation.test.ts); a key that is handed over counts for its new person from then on.
import { describe, expect, test } from 'bun:test'
import { budgetsOfPerson, setBudgets } from '../../../src/access/budgets.ts'
import { handOverKey, removeMember } from '../../../src/access/team.ts'
import type { Operation } from '../../../src/money/ledger/operations.ts'
import { createWriter } from '../../../src/money/ledger/writer.ts'
import { dbOver } from '../../../src/store/engines/sqlite/sqlite.ts'
import type { Key } from '../../../src/store/schema.ts'
import { hasPostgres } from '../../support/postgres.ts'
import { inOne, keyText, postgresWorld } from './postgres-world.ts'
import { charged, held } from './steps.ts'
import { addKey, brokenInvariants, hold, personText, post, voided, world } from './world.ts'

const MONDAY = Date.parse('2026-11-23T08:00:00Z')
const TUESDAY = Date.parse('2026-11-24T00:00:00Z')
const on = (now_ms: number, amount: number, key_id: number, minimum_nanos = amount): Operation => ({
  ...hold(amount, { now_ms, key_id, expires_at_ms: now_ms + 60_000 }),
  minimum_nanos,
})
const refusedBy = (refusal: string, resets_at_ms: number | null) => ({ ok: false, refusal, resets_at_ms })

/** Account 1 with keys 1 and 3 of person 1, key 4 of person 2, and key 5 without a person. */
function scene(limits = { day: 100 }) {
  const db = world({ balance: 10_000 })
  for (const id of [4, 5]) addKey(db, id, 1)
  for (const text of [...personText(1, 1, [1, 3], limits), ...personText(2, 1, [4], limits)]) db.run(text)
  const tx = dbOver(db)
  const commit = (...operations: Operation[]) => createWriter(db).commit(operations) as unknown[]
  const used = async (person_id: number) =>
    (await budgetsOfPerson(tx, { account_id: 1, person_id })).map(({ used_nanos }) => used_nanos)
  const keyOf = (id: number) => db.query<Key, [number]>('SELECT * FROM keys WHERE id = ?').get(id) as Key
  const give = (id: number, person_id: number) =>
    tx.begin(async (tx) => {
      await tx.lock(1)
      await handOverKey(tx, keyOf(id), person_id)
    })
  return { db, tx, commit, used, give }
}

describe('keys of one person', () => {
  test('count together, in one batch and over several; the keys of others do not', async () => {
    const { db, commit, used } = scene()
    expect(
      commit(on(MONDAY, 60, 1), on(MONDAY, 41, 3), on(MONDAY, 40, 3), on(MONDAY, 90, 4), on(MONDAY, 500, 5)),
    ).toEqual([held(1, 60), refusedBy('person_daily_limit', TUESDAY), held(2, 40), held(3, 90), held(4, 500)])
    expect(commit(on(MONDAY, 1, 1), post(1, 10), on(MONDAY, 51, 3), on(MONDAY, 50, 3))).toEqual([
      refusedBy('person_daily_limit', TUESDAY),
      charged(10),
      refusedBy('person_daily_limit', TUESDAY),
      held(5, 50),
    ])
    expect([await used(1), await used(2)]).toEqual([[100], [90]])
    expect(await brokenInvariants(db)).toEqual([])
  })

  test('count together in a writer that knows them from before: neither has figures of its own', async () => {
    const { db, used } = scene()
    const writer = createWriter(db)
    for (const key of [1, 3, 1, 3]) writer.commit([on(MONDAY, 20, key)])
    expect(writer.hold(on(MONDAY, 21, 1) as never)).toMatchObject({ refusal: 'person_daily_limit' })
    expect(writer.hold(on(MONDAY, 20, 1) as never)).toMatchObject({ held_nanos: 20 })
    expect(writer.hold(on(MONDAY, 1, 3) as never)).toMatchObject({ refusal: 'person_daily_limit' })
    writer.commit([])
    expect(await used(1)).toEqual([100])
  })

  test('start again the next day; a call takes the rest of a limit if that is enough', async () => {
    const { commit, used } = scene()
    expect(commit(on(MONDAY, 90, 1), on(MONDAY, 50, 3, 5), on(TUESDAY, 101, 1), on(TUESDAY, 100, 3))).toEqual(
      [held(1, 90), held(2, 10), refusedBy('person_daily_limit', null), held(3, 100)],
    )
    expect(await used(1)).toEqual([100])
  })

  test('free the unused part of a hold, and voided holds', async () => {
    const { db, commit, used } = scene()
    commit(on(MONDAY, 50, 1), on(MONDAY, 50, 3), post(1, 20), voided(2))
    expect(await used(1)).toEqual([20])
    expect(await brokenInvariants(db)).toEqual([])
  })
})

describe('a key that is handed over', () => {
  test('counts for its new person from then on: its earlier spending stays with the former one', async () => {
    const { db, commit, used, give } = scene()
    commit(on(MONDAY, 70, 1), post(1, 70))
    await give(1, 2)
    expect(commit(on(MONDAY, 101, 1), on(MONDAY, 100, 1), on(MONDAY, 1, 4), on(MONDAY, 30, 3))).toEqual([
      refusedBy('person_daily_limit', null),
      held(2, 100),
      refusedBy('person_daily_limit', TUESDAY),
      held(3, 30),
    ])
    expect([await used(1), await used(2)]).toEqual([[100], [100]])
    expect(await brokenInvariants(db)).toEqual([])
  })

  test('in the middle of a call: the end of that call changes the budget of neither person', async () => {
    const { db, commit, used, give } = scene()
    commit(on(MONDAY, 70, 1))
    await give(1, 2)
    expect(commit(post(1, 90), on(MONDAY, 100, 4))).toEqual([charged(90), held(2, 100)])
    expect([await used(1), await used(2)]).toEqual([[70], [100]])
    expect(await brokenInvariants(db)).toEqual([])
  })
})

test('a new budget counts the calls of its period so far', async () => {
  const { db, tx, commit } = scene()
  commit(on(MONDAY, 30, 1), on(MONDAY, 20, 3), on(MONDAY, 40, 4))
  await tx.begin(async (tx) => {
    await tx.lock(1)
    await setBudgets(tx, { account_id: 1, key_id: null, person_id: 1 }, { month: 60 }, MONDAY)
  })
  expect(commit(on(MONDAY, 11, 1), on(MONDAY, 10, 1))).toEqual([
    refusedBy('person_monthly_limit', Date.parse('2026-12-01T00:00:00Z')),
    held(4, 10),
  ])
  expect(await brokenInvariants(db)).toEqual([])
})

test('a removed member leaves no budget behind', async () => {
  const { db, tx } = scene()
  await tx.begin(async (tx) => {
    await tx.lock(1)
    await removeMember(
      tx,
      { account_id: 1, person_id: 1 },
      { keys: { revoke: true }, may_end_owners: false, now_ms: MONDAY },
    )
  })
  expect(db.query('SELECT person_id FROM budgets').all()).toEqual([{ person_id: 2 }])
})

test('an audit finds a budget of a person that counts less than their calls', async () => {
  const { db, commit } = scene()
  commit(on(MONDAY, 30, 1), post(1, 30))
  db.run('UPDATE budgets SET used_nanos = used_nanos - 1 WHERE person_id = 1')
  expect(await brokenInvariants(db)).toEqual(['budget_has_its_calls'])
})

describe.if(hasPostgres)('on PostgreSQL', () => {
  test('keys of one person count together, until one of them is handed over', async () => {
    await using there = await postgresWorld()
    await there.begin({ balance: 10_000 })
    await there.run(inOne([keyText(4, 1)]))
    for (const text of [...personText(1, 1, [1, 3], { day: 100 }), ...personText(2, 1, [4], { day: 100 })])
      await there.run(text)
    const used = async (person_id: number) =>
      (await budgetsOfPerson(there.db, { account_id: 1, person_id })).map(({ used_nanos }) => used_nanos)
    expect(
      await there.commit([on(MONDAY, 60, 1), on(MONDAY, 41, 3), on(MONDAY, 40, 3), on(MONDAY, 90, 4)]),
    ).toMatchObject([
      { held_nanos: 60 },
      refusedBy('person_daily_limit', TUESDAY),
      { held_nanos: 40 },
      { held_nanos: 90 },
    ])
    expect([await used(1), await used(2)]).toEqual([[100], [90]])
    await there.run('UPDATE keys SET person_id = 2 WHERE id = 3')
    expect(await there.commit([on(MONDAY, 11, 3), on(MONDAY, 10, 3), on(MONDAY, 1, 1)])).toMatchObject([
      refusedBy('person_daily_limit', TUESDAY),
      { held_nanos: 10 },
      refusedBy('person_daily_limit', TUESDAY),
    ])
    expect([await used(1), await used(2)]).toEqual([[100], [100]])
    expect(await there.brokenInvariants()).toEqual([])
  })
})
