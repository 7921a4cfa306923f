// Processes killed (kill -9) while they renew a plan by the saved card: the surviving gateway renews it, and the card is charged once.
import { expect, test } from 'bun:test'
import { randomOf } from '../../providers/random-numbers.ts'
import { IS_LONG } from '../../support/long.ts'
import { SEED } from '../../support/seed.ts'
import { runKilledProcess } from '../races.ts'
import { ENGINES } from '../world.ts'
import { planPaymentScene, REST } from './scene.ts'

const KILLS = IS_LONG ? 50 : 4
/** The order of the month, the withdrawal that the balance cannot pay, the order of the payment, its charge, its credit and the start. */
const MAX_STEPS = 14

test.each(ENGINES)(
  `${KILLS} kills on %s, from seed ${SEED}`,
  async (_, make) => {
    await using scene = await planPaymentScene(make)
    const { world, card, clock } = scene
    const random = randomOf(SEED)
    await scene.buyByPayment()
    await scene.renewByCard()
    using server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      async fetch(request) {
        const [method, ...args] = (await request.json()) as [string, ...unknown[]]
        if (method === 'plans') return Response.json(scene.offered)
        const works = card as unknown as Record<string, (...args: unknown[]) => unknown>
        return Response.json(await works[method]?.(...args))
      },
    })
    for (let kill = 1; kill <= KILLS; kill++) {
      const [end] = await world.db.rows<{ ends_ms: number }>(
        "SELECT ends_ms FROM plan_periods WHERE state = 'active'",
      )
      clock.now_ms = Number(end?.ends_ms)
      const at = 1 + Math.floor(random() * MAX_STEPS)
      const moment = ['before', 'within', 'after'][Math.floor(random() * 3)] ?? 'within'
      await runKilledProcess(world.address, server.url.href, 0, 'renew', at, moment, clock.now_ms)
      for (let minute = 0; minute < 5; minute++) await scene.runMinute()
      expect([at, moment, await scene.balance(), await scene.orders(), await world.broken()]).toEqual([
        at,
        moment,
        (kill + 1) * REST,
        ['plan paid', ...Array<string>(kill).fill('automatic paid')],
        [],
      ])
      expect([card.payments.size, (await scene.months()).map((month) => month.split(' ')[1])]).toEqual([
        kill,
        [...Array<string>(kill).fill('ended'), 'active'],
      ])
    }
  },
  3_600_000,
)
