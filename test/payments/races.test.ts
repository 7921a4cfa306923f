// Races for orders, each from its seed: whatever two gateways do at once, and wherever one dies, credits are the paid orders, each once.
import { expect, test } from 'bun:test'
import { IS_LONG } from '../support/long.ts'
import { SEED } from '../support/seed.ts'
import { faultsOf, noFigures, race, randomOf, settleAll } from './races.ts'
import { ENGINES, openWorld } from './world.ts'

const AT_ONCE = 10
const RACES = Number(process.env.TOLLGATE_ORDER_RACES ?? (IS_LONG ? 1_000 : 40))

test.each(ENGINES)(
  `${RACES} races on %s, from seed ${SEED}`,
  async (_, make) => {
    await using world = await openWorld(make)
    const gateways = [world.parts, await world.another()]
    const figures = noFigures()
    for (let from = 0; from < RACES; from += AT_ONCE) {
      const seeds = Array.from({ length: Math.min(AT_ONCE, RACES - from) }, (_, at) => SEED + from + at)
      const orders = await Promise.all(seeds.map((seed) => race(world, gateways, randomOf(seed), figures)))
      await settleAll(world, orders)
      const faults = await Promise.all(orders.map((order) => faultsOf(world, order, figures)))
      expect({ seed: SEED + from, faults: faults.flat(), broken: await world.broken() }).toEqual({
        seed: SEED + from,
        faults: [],
        broken: [],
      })
    }
    if (IS_LONG) process.stdout.write(`${JSON.stringify(figures)}\n`)
    expect(figures.races).toBe(RACES)
  },
  3_600_000,
)
