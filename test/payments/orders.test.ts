// Orders over a provider that pays, fails, gives back, disputes and changes its mind, on both engines.
import { describe, expect, test } from 'bun:test'
import { lookAt } from '../../plugins/payments/looking.ts'
import { askForRefund, beginRefund, debitRefund } from '../../plugins/payments/refunding.ts'
import { CREDIT, ENGINES, openWorld } from './world.ts'

const POLL = { source: 'poll' } as const

describe.each(ENGINES)('on %s', (_, make) => {
  test('a payment credits once', async () => {
    await using world = await openWorld(make)
    const { id, reference } = await world.begun()
    world.fake.pay(reference, { fee_minor: 50 })
    for (const _ of [1, 2, 3]) await lookAt(world.parts, id, POLL)
    expect(await world.order(id)).toMatchObject({ state: 'paid', fee_minor: 50 })
    expect(await world.money()).toEqual({ balance: CREDIT, debt: 0 })
    expect(await world.broken()).toEqual([])
    const refund = await beginRefund(world.parts, {
      order_id: id,
      amount_minor: 1000,
      into_debt: false,
      reason: '',
    })
    await debitRefund(world.parts, refund, POLL)
    await askForRefund(world.parts, refund.id, POLL)
    expect(await world.order(id)).toMatchObject({ state: 'partly_refunded', refunded_minor: 1000 })
    expect(await world.broken()).toEqual([])
  })
})
