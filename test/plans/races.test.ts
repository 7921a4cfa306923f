// Races for plans, each from its seed: bought, changed, cancelled and renewed by two gateways at once, of which one may die, while clocks jump.
import { expect, test } from 'bun:test'
import { buyPlan } from '../../plugins/plans/buying.ts'
import { cancelPlan, keepPlan } from '../../plugins/plans/cancelling.ts'
import type { PayingParts } from '../../plugins/plans/paying.ts'
import { renewPlans } from '../../plugins/plans/renewing.ts'
import type { Plan } from '../../plugins/plans/settings.ts'
import { budgetsOfPeriod, periodsOf } from '../../plugins/plans/store.ts'
import { GatewayError } from '../../src/domain/errors.ts'
import { DAY_MS, HOUR_MS } from '../../src/domain/ranges.ts'
import { accountText } from '../money/ledger/postgres-world.ts'
import { type Death, Killed, mortal } from '../payments/mortal.ts'
import { ENGINES, openWorld, type World } from '../payments/world.ts'
import { type RandomNumbers, randomOf } from '../providers/random-numbers.ts'
import { IS_LONG } from '../support/long.ts'
import { SEED } from '../support/seed.ts'
import { MAX, MINI, PRO, USD } from './scene.ts'

const RACES = Number(process.env.TOLLGATE_PLAN_RACES ?? (IS_LONG ? 1_000 : 6))
const ROUNDS = 6
const OFFERED = [PRO, MAX, MINI]
/** With another price for one plan, and without another plan. */
const OFFERED_LATER: readonly Plan[] = [{ ...PRO, price_nanos: 3 * USD }, MAX]
const ACTS = ['buy', 'buy', 'buy', 'renew', 'renew', 'cancel', 'keep'] as const

type Side = PayingParts & { catalogue: () => never }

const pickOf = (random: RandomNumbers) => {
  return <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
}

/** Moves the clock: an hour back at times, days ahead at others, and often to the moment at which a month or its days of grace end. */
async function moveClock({ db, clock }: World, account_id: number, random: RandomNumbers): Promise<void> {
  const how = random()
  clock.now_ms += how < 0.1 ? -HOUR_MS : Math.floor(random() * (how < 0.4 ? 1_000 : 35 * DAY_MS))
  const active = (await periodsOf(db, account_id)).find(({ state }) => state === 'active')
  if (!active || random() < 0.7) return
  const moment_ms = active.ends_ms + pickOf(random)([-1, 0, 1, 3 * DAY_MS - 1, 3 * DAY_MS])
  clock.now_ms = Math.max(clock.now_ms, moment_ms)
}

async function act(
  { clock }: World,
  account_id: number,
  planned: { what: (typeof ACTS)[number]; plan: string; side: Side; offered: readonly Plan[] },
): Promise<void> {
  const { what, plan, side, offered } = planned
  try {
    if (what === 'buy') await buyPlan(side, offered, { account_id, plan, by: undefined })
    else if (what === 'renew') await renewPlans(side)
    else
      await side.db.begin(async (tx) => {
        await tx.lock(account_id)
        await (what === 'cancel' ? cancelPlan : keepPlan)(tx, account_id, clock.now_ms)
      })
  } catch (thrown) {
    // Failures by a concurrent change or by the death; any other fails the race.
    if (!(thrown instanceof GatewayError || thrown instanceof Killed)) throw thrown
  }
}

async function race(
  world: World,
  second: World['parts'],
  account_id: number,
  random: RandomNumbers,
): Promise<void> {
  const pick = pickOf(random)
  const { ledger, clock, parts } = world
  const amount_nanos = pick([20, 1_000]) * USD
  await ledger.submit({ op: 'top_up', account_id, amount_nanos, note: '', now_ms: clock.now_ms })
  let offered: readonly Plan[] = OFFERED
  const sideOf = ({ db, ledger, now }: World['parts']): Side => ({
    ...{ db, now, withdraw: (operation) => ledger.submit(operation) },
    catalogue: () =>
      ({
        sections: new Map<string, unknown>([
          ['plans', offered],
          ['mail', {}],
        ]),
      }) as never,
  })
  for (let round = 0; round < ROUNDS; round++) {
    const death: Death | undefined =
      random() < 0.5 ? { at: 1 + Math.floor(random() * 6), when: pick(['before', 'after']) } : undefined
    const sides = [mortal(parts, death).parts, second].map(sideOf)
    const planned = Array.from({ length: 2 + Math.floor(random() * 4) }, () => ({
      ...{ what: pick(ACTS), plan: pick(['pro', 'max', 'mini']), side: pick(sides), offered },
      wait_ms: Math.floor(random() * 3),
    }))
    await Promise.all(
      planned.map(async ({ wait_ms, ...what }) => {
        await Bun.sleep(wait_ms)
        await act(world, account_id, what)
      }),
    )
    await moveClock(world, account_id, random)
    if (random() < 0.15) offered = pick([OFFERED, OFFERED_LATER])
  }
  await renewPlans(sideOf(parts))
}

/** The faults after a living gateway has completed everything, by independent arithmetic. */
async function faultsOf({ db }: World, account_id: number): Promise<string[]> {
  const faults: string[] = []
  const months = (await periodsOf(db, account_id)).reverse()
  const changes = await db.rows<{ subject_id: number; to_state: string; at_ms: number }>(
    `SELECT subject_id, to_state, at_ms FROM state_changes WHERE subject = 'plan_periods' AND account_id = ${account_id} ORDER BY id`,
  )
  const of = (state: string) => changes.filter(({ to_state }) => to_state === state)
  const monthOf = ({ subject_id }: { subject_id: number }) =>
    months.find(({ id }) => id === Number(subject_id))
  const [moved] = await db.rows<{ nanos: number }>(
    `SELECT CAST(COALESCE(SUM(-amount_nanos), 0) AS BIGINT) AS nanos FROM entries WHERE account_id = ${account_id} AND request_key >= 'plan:' AND request_key < 'plan;'`,
  )
  const due_nanos = of('paid').reduce((sum, change) => sum + (monthOf(change)?.due_nanos ?? 0), 0)
  if (Number(moved?.nanos) !== due_nanos) faults.push(`${moved?.nanos} was taken for months of ${due_nanos}`)
  if (months.some(({ state }) => state === 'paid')) faults.push('a paid month has not begun')
  const active = months.filter(({ state }) => state === 'active')
  const [account] = await db.rows<{ period: number | null }>(
    `SELECT plan_period_id AS period FROM accounts WHERE id = ${account_id}`,
  )
  if (active.length > 1 || (active[0]?.id ?? null) !== (account?.period ?? null))
    faults.push(`months ${active.map(({ id }) => id)} cover calls, and the account names ${account?.period}`)
  const limits = await db.rows<{ period: number }>(
    `SELECT plan_period_id AS period FROM budgets WHERE account_id = ${account_id} AND plan_period_id IS NOT NULL`,
  )
  const [own] = active
  const expected = own ? Object.keys(JSON.parse(own.limits)).length : 0
  if (limits.length !== expected || (own && (await budgetsOfPeriod(db, own.id)).length !== expected))
    faults.push(`${limits.length} limits in place of ${expected}`)
  for (const ended of of('ended'))
    if (Number(ended.at_ms) < (monthOf(ended)?.ends_ms ?? 0) - HOUR_MS)
      faults.push(`month ${ended.subject_id} ended before its end`)
  // Only the month that replaces another one counts its unused part.
  for (const replaced of of('replaced'))
    if (
      !months.some(
        ({ state, follows_id }) => follows_id === Number(replaced.subject_id) && state !== 'lapsed',
      )
    )
      faults.push(`month ${replaced.subject_id} gave way to one that does not follow it`)
  return faults
}

test.each(ENGINES)(
  `${RACES} races on %s, from seed ${SEED}`,
  async (_, make) => {
    await using world = await openWorld(make)
    const second = await world.another()
    const begins_at_ms = world.clock.now_ms
    for (let at = 0; at < RACES; at++) {
      const account_id = 100 + at
      await world.db.write((db) => db.rows(accountText(account_id)))
      world.clock.now_ms = begins_at_ms
      await race(world, second, account_id, randomOf(SEED + at))
      expect({ seed: SEED + at, faults: await faultsOf(world, account_id) }).toEqual({
        seed: SEED + at,
        faults: [],
      })
      // The sweep renews the plans of all active accounts: those of earlier races are over.
      await world.db.write((db) => db.rows("UPDATE accounts SET status = 'suspended'"))
    }
    expect(await world.broken()).toEqual([])
  },
  3_600_000,
)
