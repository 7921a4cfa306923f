// The random operations of the simulation, mostly sensible ones, and the number of its accounts.
import type { Operation, Share } from '../../../src/money/ledger/operations.ts'
import type { Model } from './model.ts'
import type { Random } from './random.ts'
import { change } from './rows-with-states.ts'
import { expire, hold, openDebt, post, refund, topUp, voided, withdraw } from './world.ts'

export const ACCOUNTS = 6
const KEYS_EACH = 4
const BAD_AMOUNTS = [-1, 0.5, Number.NaN, Infinity, 2 ** 53] as const

/** Returns an operation, mostly a sensible one: most holds are resolved, and accounts run out of money and into debt repeatedly. */
export function nextOperation(random: Random, model: Model, now_ms: number): Operation {
  const account_id = random.below(ACCOUNTS + 1) || 1 + random.below(ACCOUNTS)
  if (random.chance(0.01)) return badOperation(random, account_id)
  const kind = random.below(100)
  if (kind < 45) {
    const amount = random.below(200)
    return hold(amount, {
      account_id,
      key_id: random.chance(0.98) ? account_id + ACCOUNTS * random.below(KEYS_EACH) : random.below(32),
      now_ms,
      minimum_nanos: random.chance(0.5) ? amount : random.below(100),
      // A gateway may not know yet that there is a plan.
      ...(model.plans.has(account_id) && random.chance(0.95)
        ? { model_id: random.chance(0.9) ? 'sim-text' : 'sim-image' }
        : {}),
    })
  }
  if (kind < 91) return resolution(random, model)
  if (kind < 92) return lostSettlement(random, model, account_id, now_ms)
  if (kind < 94) return randomRefund(random, model, account_id)
  if (random.chance(0.1)) return openingDebt(random, account_id)
  const changes = random.chance(0.3) ? changesOf(random, model) : undefined
  if (kind < 97) return { ...topUp(1 + random.below(800), account_id), changes, shares: sharesFor(random) }
  return { ...withdraw(1 + random.below(500), random.chance(0.95) ? account_id : 99), changes }
}

const STATES = ['open', 'paid', 'refunded'] as const

/** Changes a row of any account, or an unknown row, mostly from its current state. */
function changesOf(random: Random, model: Model) {
  const id = 1 + random.below(model.things.size + 1)
  const from = [random.chance(0.7) ? (model.things.get(id)?.state ?? 'open') : random.pick(STATES)]
  return [change(id, { from, to: random.pick(STATES) })]
}

/** A share for an account that may be the same one or unknown, under one of many references. */
const sharesFor = (random: Random): Share[] | undefined =>
  random.chance(0.2)
    ? [
        {
          account_id: random.chance(0.95) ? 1 + random.below(ACCOUNTS) : 99,
          amount_nanos: 1 + random.below(100),
          note: 'referral',
          request_key: `share ${random.below(300)}`,
        },
      ]
    : undefined

/** Uses one of a few references, so that some come again: with the same amount, or another one. */
function openingDebt(random: Random, account_id: number): Operation {
  const row = random.below(30)
  return openDebt(
    1 + 3 * row + (random.chance(0.1) ? 1 : 0),
    random.chance(0.8) ? account_id : 99,
    `user ${row}`,
  )
}

/** Refunds one of the last calls, or any; some have no charge, some do not exist. References come again, with the same refund or another. */
function randomRefund(random: Random, model: Model, account_id: number): Operation {
  const recent = model.holds_made - random.below(40)
  const call_id = random.chance(0.8) && recent > 0 ? recent : 1 + random.below(model.holds_made + 3)
  const call = model.calls.get(call_id)
  const owner = call && random.chance(0.97) ? call : { account_id, key_id: account_id }
  const left = call?.cost ?? 0
  const amount = random.chance(0.5) ? null : 1 + random.below(left + (random.chance(0.2) ? 20 : 1))
  const keyed = random.chance(0.4) ? { request_key: `refund ${random.below(60)}` } : {}
  return refund(call_id, amount, { account_id: owner.account_id, key_id: owner.key_id, ...keyed })
}

/** Settles a hold that an earlier process decided, and never wrote. */
function lostSettlement(random: Random, model: Model, account_id: number, now_ms: number): Operation {
  const lost = {
    account_id,
    key_id: account_id + ACCOUNTS * random.below(KEYS_EACH),
    request_id: 'lost',
    amount_nanos: random.below(200),
    created_at_ms: now_ms,
    expires_at_ms: now_ms,
  }
  const settlement = random.chance(0.2) ? voided(1) : post(1, random.below(200))
  if (!model.plans.has(account_id) || random.chance(0.5)) return { ...settlement, lost }
  const covered = { amount_nanos: 0, covered_nanos: random.below(200), plan_period_id: account_id }
  return { ...settlement, is_covered: true, lost: { ...lost, ...covered } }
}

function resolution(random: Random, model: Model): Operation {
  const operation = resolutionOf(random, model)
  if (operation.op !== 'post' && operation.op !== 'void') return operation
  return model.isCovered(operation.hold_id) ? { ...operation, is_covered: true } : operation
}

function resolutionOf(random: Random, model: Model): Operation {
  const [oldest = 1] =
    random.chance(0.2) && model.expired.size > 0 ? model.expired.keys() : model.pending.keys()
  const unknown = random.chance(0.03) ? 1 + random.below(3) : 0
  const hold_id = unknown
    ? model.holds_made + unknown
    : random.chance(0.9)
      ? oldest
      : 1 + random.below(model.holds_made)
  const pending = model.pending.get(hold_id)
  const held = pending?.covered?.amount ?? pending?.amount ?? 10
  if (random.chance(0.15)) return voided(hold_id)
  if (random.chance(0.03)) return expire(hold_id)
  const cost_nanos = random.chance(0.9) ? random.below(held + 1) : random.below(3 * held + 50)
  // An interrupted answer that is free: [billing] interrupted.
  if (random.chance(0.05))
    return post(hold_id, 0, { outcome: 'broken', provider_cost_nanos: random.below(200) })
  if (random.chance(0.5)) return post(hold_id, cost_nanos)
  const provider_cost_nanos = random.below(200)
  // A failed attempt on another route is a part of the cost.
  const costs_elsewhere = random.chance(0.2)
    ? JSON.stringify([['backup', 'text', random.below(provider_cost_nanos + 1)]])
    : null
  return post(hold_id, cost_nanos, {
    provider_cost_nanos,
    costs_elsewhere,
    price: random.pick(['', '{"unit":"token"}']),
  })
}

function badOperation(random: Random, account_id: number): Operation {
  const amount = random.pick(BAD_AMOUNTS)
  return random.pick<Operation>([
    hold(amount, { account_id, key_id: account_id }),
    hold(10, { account_id, key_id: account_id, minimum_nanos: amount }),
    topUp(amount, account_id),
    withdraw(amount, account_id),
    topUp(0, account_id),
    openDebt(amount, account_id),
    refund(1, amount, { account_id, key_id: account_id }),
    refund(1, null, { account_id: 99 }),
  ])
}
