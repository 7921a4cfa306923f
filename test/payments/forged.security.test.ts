// Forged and lost reports of payments, each named by the harm that it must not do: only the provider's own answer credits, and once.
import { describe, expect, test } from 'bun:test'
import { createOrder } from '../../plugins/payments/ordering.ts'
import { refreshOrder } from '../../plugins/payments/refreshing.ts'
import { refundById } from '../../plugins/payments/refund-store.ts'
import { beginRefund, debitRefund, requestRefund } from '../../plugins/payments/refunding.ts'
import type { Payment } from '../../src/payment-api.ts'
import { fakeProvider } from './fake-provider.ts'
import { type Death, mortal } from './mortal.ts'
import { CREDIT, ENGINES, openWorld, REQUEST, SETTINGS } from './world.ts'

const HOOK = { source: 'webhook' } as const

describe.each(ENGINES)('on %s', (_, make) => {
  // `answers.test.ts` has the other invalid answers.
  test.each<[string, unknown]>([
    [
      'says status 1 beside the right amount',
      { status: 1, currency: 'EUR', amount_minor: 2_500, msg: 'no such order' },
    ],
    ['says paid with the amount as a text', { state: 'paid', currency: 'EUR', amount_minor: '2500' }],
  ])('a failed query that %s does not count as a payment', async (_, answer) => {
    await using world = await openWorld(make)
    const { id } = await world.startOrder()
    world.fake.trouble = () => answer as Payment
    await expect(refreshOrder(world.parts, id, HOOK)).rejects.toThrow('does not answer now')
    expect(await world.order(id)).toMatchObject({ state: 'open', unanswered_since_ms: world.clock.now_ms })
    expect(await world.keys()).toEqual([])
  })

  test('ten copies of a webhook, sent to two gateways at once, credit once', async () => {
    await using world = await openWorld(make)
    const other = await world.another()
    const { id, reference } = await world.startOrder()
    world.fake.pay(reference)
    await Promise.all(
      Array.from({ length: 10 }, (_, at) => refreshOrder(at % 2 ? other : world.parts, id, HOOK)),
    )
    expect([await world.keys(), await world.money()]).toEqual([[`order:${id}`], { balance: CREDIT, debt: 0 }])
    expect(await world.history(id)).toEqual(['paid'])
  })

  test('a provider outage of ten minutes delays a payment by at most five minutes after its end', async () => {
    await using world = await openWorld(make)
    const { id, reference } = await world.startOrder()
    world.fake.pay(reference)
    world.fake.trouble = () => {
      throw new Error('503')
    }
    const pollFor = async (seconds: number) => {
      for (let second = 0; second < seconds; second += 20) {
        world.clock.now_ms += 20_000
        await world.poll()
      }
    }
    await pollFor(600)
    expect(await world.order(id)).toMatchObject({ state: 'open', unanswered_since_ms: expect.any(Number) })
    world.fake.trouble = undefined
    await pollFor(300)
    expect(await world.order(id)).toMatchObject({ state: 'paid', unanswered_since_ms: null })
    expect(await world.money()).toEqual({ balance: CREDIT, debt: 0 })
  })

  test('a displayed rate is not a price: extra fields of the form and later changes of rates credit nothing more', async () => {
    await using world = await openWorld(make)
    const forged = {
      ...REQUEST,
      rate_nanos: 1e15,
      credit_nanos: 1e15,
      bonus_nanos: 1e15,
      display_rate: '0.01',
    }
    const { id } = await createOrder(world.parts, SETTINGS, forged)
    expect(await world.order(id)).toMatchObject({
      rate_nanos: 1_080_000_000,
      credit_nanos: CREDIT,
      bonus_nanos: 0,
    })
    const order = await world.startOrder()
    // The operator changes rate and bonus while the payer pays: the payer gets the credit that was offered.
    const richer = {
      ...SETTINGS,
      rates: new Map([['EUR', 9e9]]),
      bonuses: [{ from_nanos: 0, per_mille: 1_000 }],
    }
    const later = await createOrder(world.parts, richer, REQUEST)
    expect(later.credit_nanos + later.bonus_nanos).toBe(2 * 225_000_000_000)
    world.fake.pay(order.reference)
    await refreshOrder(world.parts, order.id, HOOK)
    expect(await world.money()).toEqual({ balance: CREDIT, debt: 0 })
  })

  test('a payment at one provider credits no order of another one with the same reference', async () => {
    const other = fakeProvider('other')
    await using world = await openWorld(make, [other])
    const mine = await world.startOrder()
    const theirs = await world.startOrder({ method: 'other', account_id: 2 })
    // Both providers use the same reference, and each reports its own payment correctly.
    await world.db.write((db) =>
      db.rows(`UPDATE orders SET reference = 'same' WHERE id IN (${mine.id}, ${theirs.id})`),
    )
    for (const [provider, order] of [
      [world.fake, mine],
      [other, theirs],
    ] as const)
      provider.payments.set('same', { ...(provider.payments.get(order.reference) as Payment), refunds: [] })
    other.pay('same')
    for (const { id } of [mine, theirs]) await refreshOrder(world.parts, id, HOOK)
    expect([(await world.order(mine.id)).state, (await world.order(theirs.id)).state]).toEqual([
      'open',
      'paid',
    ])
    expect([await world.keys(1), await world.keys(2)]).toEqual([[], [`order:${theirs.id}`]])
  })

  test('a payment of another order, whose reference was swapped in, credits neither order', async () => {
    await using world = await openWorld(make)
    const [cheap, dear] = [await world.startOrder({ amount_minor: 100 }), await world.startOrder()]
    world.fake.pay(cheap.reference)
    await world.db.write((db) => db.rows(`UPDATE orders SET reference = NULL WHERE id = ${cheap.id}`))
    await world.db.write((db) =>
      db.rows(`UPDATE orders SET reference = '${cheap.reference}' WHERE id = ${dear.id}`),
    )
    await refreshOrder(world.parts, dear.id, HOOK)
    expect(await world.order(dear.id)).toMatchObject({
      state: 'open',
      trouble: `The payment is for order ${cheap.id}, not for this one. Nothing was credited.`,
    })
    expect(await world.keys()).toEqual([])
  })

  test('another entry with the order’s key is not a credit, and does not mark the order as paid', async () => {
    await using world = await openWorld(make)
    const { id, reference } = await world.startOrder()
    const cent = {
      op: 'top_up',
      account_id: 1,
      amount_nanos: 1,
      note: 'mine',
      request_key: `order:${id}`,
    } as const
    await world.ledger.submit({ ...cent, now_ms: 0 })
    world.fake.pay(reference)
    await refreshOrder(world.parts, id, HOOK)
    expect(await world.order(id)).toMatchObject({
      state: 'open',
      trouble: expect.stringContaining(`The account has another entry with the key order:${id}.`),
    })
    expect(await world.money()).toEqual({ balance: 1, debt: 0 })
  })

  test('a refund’s debit and its state share a transaction: after a death at any step, both exist or neither', async () => {
    await using world = await openWorld(make)
    for (let at = 1; at < 12; at++)
      for (const when of ['before', 'after'] as const) {
        const death: Death = { at, when }
        const { id, reference } = await world.startOrder()
        world.fake.pay(reference)
        await refreshOrder(world.parts, id, HOOK)
        const refund = await beginRefund(world.parts, {
          order_id: id,
          amount_minor: 7,
          into_debt: false,
          reason: '',
        })
        const { parts } = mortal(world.parts, death)
        await debitRefund(parts, refund, HOOK)
          .then(() => requestRefund(parts, refund.id, HOOK))
          // Dropped: its death.
          .catch(() => {})
        const is_marked = (await refundById(world.db, refund.id)).state !== 'begun'
        const has_entry = (await world.keys()).includes(`refund:${refund.id}`)
        expect({ death, is_marked }).toEqual({ death, is_marked: has_entry })
        // The provider has refunded nothing that was not debited.
        if (world.fake.refundedMinor(reference) > 0) expect(has_entry).toBeTrue()
      }
    expect(await world.broken()).toEqual([])
  })
})
