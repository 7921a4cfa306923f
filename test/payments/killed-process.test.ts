// Processes killed (kill -9) while they credit and refund orders: the surviving gateway completes each order, once.
import { expect, test } from 'bun:test'
import { refreshOrder } from '../../plugins/payments/refreshing.ts'
import { randomOf } from '../providers/random-numbers.ts'
import { IS_LONG } from '../support/long.ts'
import { SEED } from '../support/seed.ts'
import { faultsOf, noFigures, runKilledProcess, settleAll } from './races.ts'
import { CREDIT, ENGINES, openWorld } from './world.ts'

const KILLS = IS_LONG ? 100 : 6
const MAX_STEPS = 7

test.each(ENGINES)(
  `${KILLS} kills on %s, from seed ${SEED}`,
  async (_, make) => {
    await using world = await openWorld(make)
    const random = randomOf(SEED)
    const { fake } = world
    using server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      async fetch(request) {
        const [method, ...args] = (await request.json()) as [keyof typeof fake, ...unknown[]]
        const answer = await (fake[method] as (...args: unknown[]) => unknown)(...args)
        return Response.json(answer)
      },
    })
    const runAndKill = (id: number, act: string, at: number, moment: string) =>
      runKilledProcess(world.address, server.url.href, id, act, at, moment, world.clock.now_ms)
    let left = 0
    for (let kill = 0; kill < KILLS; kill++) {
      const order = await world.startOrder()
      const act = random() < 0.5 ? 'look' : 'refund'
      const at = 1 + Math.floor(random() * MAX_STEPS)
      const moment = ['before', 'within', 'after'][Math.floor(random() * 3)] ?? 'within'
      fake.pay(order.reference)
      if (act === 'refund') await refreshOrder(world.parts, order.id, { source: 'page' })
      // The surviving gateway gets the webhook while the other one dies.
      const webhook = random() < 0.5 ? refreshOrder(world.parts, order.id, { source: 'webhook' }) : undefined
      await Promise.all([runAndKill(order.id, act, at, moment), webhook])
      await settleAll(world)
      const faults = await faultsOf(world, order.id, noFigures())
      const { state, refunded_minor } = await world.order(order.id)
      left += CREDIT - (refunded_minor === 0 ? 0 : 10_800_000_000)
      expect({ act, at, moment, faults, broken: await world.broken() }).toEqual({
        act,
        at,
        moment,
        faults: [],
        broken: [],
      })
      expect(['paid', 'partly_refunded']).toContain(state)
      expect(await world.money()).toEqual({ balance: left, debt: 0 })
    }
  },
  3_600_000,
)
