// Races for plans by payment, each from its seed: whatever two gateways do at once, and wherever one dies, each payment is one month or balance.
import { expect, test } from 'bun:test'
import { cancelOrder } from '../../../plugins/payments/ordering.ts'
import { processOpenPeriods, type RenewingParts } from '../../../plugins/payments/plans/renewing.ts'
import { refreshOrder } from '../../../plugins/payments/refreshing.ts'
import { refundOrder } from '../../../plugins/payments/refunding.ts'
import type { Order } from '../../../plugins/payments/tables.ts'
import { renewPlans } from '../../../plugins/plans/renewing.ts'
import { GatewayError } from '../../../src/domain/errors.ts'
import { type RandomNumbers, randomOf } from '../../providers/random-numbers.ts'
import { IS_LONG } from '../../support/long.ts'
import { SEED } from '../../support/seed.ts'
import { Killed, mortal } from '../mortal.ts'
import { ENGINES } from '../world.ts'
import { planFaultsOf } from './faults.ts'
import { planPaymentScene, type Scene, USD } from './scene.ts'

const RACES = Number(process.env.TOLLGATE_PLAN_RACES ?? (IS_LONG ? 150 : 4))
const ACTS = [
  'webhook',
  'poll',
  'renew',
  'renew',
  'cancel',
  'change',
  'buy',
  'refund',
  'lost',
  'cancel_order',
  'suspend',
] as const

test.each(ENGINES)(
  `${RACES} races on %s, from seed ${SEED}`,
  async (_, make) => {
    for (let at = 0; at < RACES; at++) {
      await using scene = await planPaymentScene(make)
      const acts = await race(scene, randomOf(SEED + at))
      await settleAll(scene)
      const faults = [...(await planFaultsOf(scene.world, 1)), ...(await scene.world.broken())]
      expect({ seed: SEED + at, acts, faults }).toEqual({ seed: SEED + at, acts, faults: [] })
    }
  },
  3_600_000,
)

async function race(scene: Scene, random: RandomNumbers): Promise<string[]> {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  const order = random() < 0.8 ? await scene.buyByPayment() : await scene.orderPlan()
  if (random() < 0.3) await scene.add(40 * USD)
  if (random() < 0.7 && (await scene.months())[0]?.includes('active')) await scene.renewByCard()
  if (random() < 0.6) scene.setTime('2026-12-15T10:30:00')
  else scene.clock.now_ms += 60_000
  scene.card.loses_charges = random() < 0.2
  const death = { at: 1 + Math.floor(random() * 12), when: pick(['before', 'after'] as const) }
  const dying = mortal(await scene.another(), random() < 0.6 ? death : undefined)
  const sides = [scene.as(dying.parts), scene.parts]
  const dear = random() < 0.5 ? await scene.orderPlan('max').catch(() => undefined) : undefined
  if (dear) scene.world.fake.pay(dear.reference)
  scene.world.fake.pay(order.reference)
  const planned = Array.from({ length: 3 + Math.floor(random() * 5) }, () => ({
    ...{ act: pick(ACTS), parts: pick(sides), of: pick([order, dear ?? order]), wait_ms: random() * 6 },
  }))
  await Promise.all(
    planned.map(async ({ act, parts, of, wait_ms }) => {
      await Bun.sleep(wait_ms)
      try {
        await carryOut(scene, act, parts as RenewingParts, of)
      } catch (thrown) {
        const is_expected = thrown instanceof GatewayError || thrown instanceof Killed
        if (!is_expected && !String(thrown).includes('the answer is lost')) throw thrown
      }
    }),
  )
  return planned.map(({ act }) => act)
}

async function carryOut(
  scene: Scene,
  act: (typeof ACTS)[number],
  parts: RenewingParts,
  order: Order,
): Promise<unknown> {
  const { id, reference } = order
  switch (act) {
    case 'webhook':
      return await refreshOrder(parts, id, { source: 'webhook' })
    case 'poll':
      return await scene.world.poll(parts)
    case 'renew': {
      const { db, ledger, now, catalogue } = parts
      await renewPlans({ db, now, catalogue, withdraw: (operation) => ledger.submit(operation) })
      return await processOpenPeriods(parts)
    }
    case 'cancel':
      return await scene.cancel()
    case 'change':
      return await scene.orderPlan('max')
    case 'buy':
      return await scene.buyFromBalance('max')
    case 'refund': {
      const request = { order_id: id, amount_minor: null, into_debt: true, reason: '', end_plan: true }
      return await refundOrder(parts, request, { source: 'operator' })
    }
    case 'lost':
      scene.world.fake.pay(reference ?? '', { dispute: 'lost' })
      return await refreshOrder(parts, id, { source: 'webhook' })
    case 'cancel_order':
      return await cancelOrder(parts, id, { source: 'page' })
    case 'suspend':
      return await scene.run("UPDATE accounts SET status = 'suspended' WHERE id = 1")
  }
}

/** The surviving gateway does all work that is due. */
async function settleAll(scene: Scene): Promise<void> {
  scene.card.loses_charges = false
  for (let round = 0; round < 3; round++) {
    for (const { id } of await scene.world.db.rows<Order>('SELECT id FROM orders'))
      await refreshOrder(scene.parts, id, { source: 'poll' }).catch(() => {})
    for (let minute = 0; minute < 3; minute++) await scene.runMinute()
  }
}
