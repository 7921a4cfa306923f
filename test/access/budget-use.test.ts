// What was used of a budget in another gateway: it counts against the period that runs, and no longer than that.
import { describe, expect, test } from 'bun:test'
import { addBudgetUse, budgetsOfAccount, budgetsOfKeys, setBudgets } from '../../src/access/budgets.ts'
import { importKey } from '../../src/access/imported-keys.ts'
import { hashKey, importedPrefix } from '../../src/access/secret.ts'
import { BUDGET_PERIODS, type BudgetPeriod, periodStart, roomOf } from '../../src/domain/budgets.ts'
import { DAY_MS } from '../../src/domain/ranges.ts'
import { onBoth } from '../store/postgres/both-engines.ts'
import { ANSWER_NANOS, answering, ask, wholePath } from '../support/native.ts'
import { hasPostgres } from '../support/postgres.ts'
import { fileScene } from '../support/scene.ts'

const { gateway } = await fileScene({ script: answering })
const { store } = gateway
const NOW = Date.now()

let count = 0
/** A key of another gateway, in an account of its own. */
async function keyWith(
  budgets: { [Period in BudgetPeriod]?: number },
  used: { [Period in BudgetPeriod]?: number },
) {
  count += 1
  const text = `sk-${String(count).padStart(48, 'x')}`
  const account = await gateway.account(`used-${count}`, { balance_usd: '10' })
  const key = await store.begin(async (tx) => {
    const imported = { sha256: hashKey(text), prefix: importedPrefix(text), created_at_ms: NOW }
    const made = await importKey(tx, account.id, { name: 'moved', budgets }, imported, NOW)
    await addBudgetUse(tx, { account_id: account.id, key_id: made.id }, used, NOW)
    return made
  })
  const call = async () => (await gateway.call(wholePath(), ask(), { key: text })).status
  return { account, key, call }
}

describe('a key whose budget for a period', () => {
  test.each(BUDGET_PERIODS)('%s is used up has no more calls', async (period) => {
    const { call } = await keyWith({ [period]: 1_000_000_000 }, { [period]: 1_000_000_000 })
    expect(await call()).toBe(402)
    await gateway.atRest()
  })

  test.each(BUDGET_PERIODS)('%s has some left goes on, and its calls count as well', async (period) => {
    const { key, call } = await keyWith({ [period]: 5_000_000_000 }, { [period]: 1_000_000_000 })
    expect(await call()).toBe(200)
    await gateway.atRest()
    expect(await budgetsOfKeys(store, [key.id])).toMatchObject([{ used_nanos: 1_000_000_000 + ANSWER_NANOS }])
  })

  test('day was used up is free again the next day', async () => {
    const { key } = await keyWith({ day: 1_000 }, { day: 1_000 })
    const [budget] = await budgetsOfKeys(store, [key.id])
    expect(budget && [roomOf(budget, NOW), roomOf(budget, periodStart('day', NOW) + DAY_MS)]).toEqual([
      0, 1_000,
    ])
  })
})

test.each([[{ week: 5 }], [{ day: 0 }], [{ day: -5 }], [{}]])('%p counts nowhere', async (used) => {
  const { key } = await keyWith({ day: 1_000 }, used)
  expect(await budgetsOfKeys(store, [key.id])).toMatchObject([{ used_nanos: 0 }])
})

test('of an account it counts for the account alone, and stays a sum that can be counted', async () => {
  const { account, key } = await keyWith({ day: 1_000 }, {})
  const owner = { account_id: account.id, key_id: null }
  await store.begin(async (tx) => {
    await setBudgets(tx, owner, { day: 2_000 }, NOW)
    await addBudgetUse(tx, owner, { day: 700 }, NOW)
    await addBudgetUse(tx, owner, { day: Number.MAX_SAFE_INTEGER }, NOW)
  })
  expect(await budgetsOfAccount(store, account.id)).toMatchObject([{ used_nanos: Number.MAX_SAFE_INTEGER }])
  expect(await budgetsOfKeys(store, [key.id])).toMatchObject([{ used_nanos: 0 }])
})

test.if(hasPostgres)('the same on both engines', () =>
  onBoth(async ({ db, run }) => {
    await run(
      `INSERT INTO accounts (id, name, status, balance_nanos, held_nanos, debt_nanos, created_at_ms) VALUES (1, 'ada', 'active', 0, 0, 0, 0)`,
    )
    await db.begin(async (tx) => {
      const owner = { account_id: 1, key_id: null }
      await setBudgets(tx, owner, { '5h': 10, day: 20, week: 30, month: 40 }, NOW)
      await addBudgetUse(tx, owner, { '5h': 1, day: 2, week: 3, month: 50 }, NOW)
    })
    return (await budgetsOfAccount(db, 1)).map(({ period, used_nanos, first_hold_id }) => [
      period,
      used_nanos,
      first_hold_id,
    ])
  }).then((said) =>
    expect(said).toEqual([
      ['5h', 1, 1],
      ['day', 2, 1],
      ['week', 3, 1],
      ['month', 50, 1],
    ]),
  ),
)
