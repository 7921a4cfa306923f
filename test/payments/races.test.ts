// Races for orders, each from its seed: whatever two gateways do at once, and wherever one dies, credits are the paid orders, each once.
import { expect, test } from 'bun:test'
import { GatewayError } from '../../src/domain/errors.ts'
import { randomOf } from '../providers/random-numbers.ts'
import { IS_LONG } from '../support/long.ts'
import { SEED } from '../support/seed.ts'
import { fakeCard } from './automatic/scene.ts'
import { type Answers, answerBy, raceForPlan, raceForRenewal } from './plan-races.ts'
import { planFaultsOf } from './plans/faults.ts'
import { offering, planPayer } from './plans/scene.ts'
import { faultsOf, noFigures, race, settleAll } from './races.ts'
import { ENGINES, openWorld } from './world.ts'

const AT_ONCE = 10
const RACES = Number(process.env.TOLLGATE_ORDER_RACES ?? (IS_LONG ? 1_000 : 20))

test.each(ENGINES)(
  `${RACES} races on %s, from seed ${SEED}`,
  async (_, make) => {
    const card = fakeCard()
    await using world = await openWorld(make, [card])
    const offers = offering(world)
    const gateways = [offers.parts, offers.as(await world.another())]
    const figures = noFigures()
    const answers: Answers = new Map()
    answerBy(card, answers)
    const work = async () => {
      await offers.renew()
      await offers.charge()
      await world.poll(offers.parts)
    }
    /** Of ten races, six are for top-ups, two for plans and two for renewals. */
    const runRace = async (number: number): Promise<{ orders: number[]; payer?: number }> => {
      const random = randomOf(SEED + number)
      const contest = { world, gateways, random, figures, offers, number }
      const kind = number % 5
      if (kind < 3) return { orders: [(await race(world, gateways, random, figures)).id] }
      const payer = kind === 3 ? await raceForPlan(contest) : await raceForRenewal(contest, answers)
      return { orders: [], payer }
    }
    for (let from = 0; from < RACES; from += AT_ONCE) {
      const numbers = Array.from({ length: Math.min(AT_ONCE, RACES - from) }, (_, at) => from + at)
      const ended = await Promise.all(numbers.map(runRace))
      await settleAll(world, work)
      const faults: string[] = []
      for (const { orders, payer } of ended) {
        const found = payer === undefined ? orders : await ordersOf(payer)
        for (const id of found) faults.push(...(await faultsOf(world, id, figures)))
        if (payer !== undefined) faults.push(...(await planFaultsOf(world, payer)))
      }
      const seed = SEED + from
      expect({ seed, faults, broken: await world.broken() }).toEqual({ seed, faults: [], broken: [] })
      for (const { payer } of ended) if (payer !== undefined) await cancelPlanOf(payer)
    }
    if (IS_LONG) process.stdout.write(`${JSON.stringify(figures)}\n`)
    expect(figures.races).toBe(RACES)

    async function ordersOf(account_id: number): Promise<number[]> {
      const found = await world.db.rows<{ id: number }>(
        'SELECT id FROM orders WHERE account_id = $account_id ORDER BY id',
        { account_id },
      )
      return found.map(({ id }) => Number(id))
    }
    /** Keeps later races from renewing the plan of a race that is over. */
    async function cancelPlanOf(account_id: number): Promise<void> {
      await planPayer(offers, account_id)
        .cancel()
        .catch((thrown) => {
          if (!(thrown instanceof GatewayError)) throw thrown
        })
    }
  },
  3_600_000,
)
