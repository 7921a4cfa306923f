// Forged and lost words of payments, each named for what it must not bring about: nothing is credited but by the provider's own word, and once.
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
const MINUTE_MS = 60_000

describe.each(ENGINES)('on %s', (_, make) => {
  test.each<[string, unknown]>([
    ['says status 1', { status: 1 }],
    [
      'says status 1 beside the right amount',
      { status: 1, currency: 'EUR', amount_minor: 2_500, msg: 'no such order' },
    ],
    ['says paid without an amount', { state: 'paid' }],
    ['says paid with the amount as a text', { state: 'paid', currency: 'EUR', amount_minor: '2500' }],
    ['is empty', {}],
    ['is null', null],
  ])('a query that failed and %s is not taken for a payment', async (_, answer) => {
    await using world = await openWorld(make)
    const { id } = await world.begun()
    world.fake.trouble = () => answer as Payment
    await expect(refreshOrder(world.parts, id, HOOK)).rejects.toThrow('does not answer now')
    expect(await world.order(id)).toMatchObject({ state: 'open', unanswered_since_ms: world.clock.now_ms })
    expect(await world.keys()).toEqual([])
  })

  test('a duplicate that was seen before the first was credited is no reason to credit neither', async () => {
    await using world = await openWorld(make)
    const { id, reference } = await world.begun()
    world.fake.pay(reference)
    // The gateway that got the first one dies with the provider's answer in its hands; then the provider sends it again.
    const first = mortal(world.parts, { at: 2, when: 'before' })
    await expect(refreshOrder(first.parts, id, HOOK)).rejects.toThrow()
    expect(await world.keys()).toEqual([])
    await refreshOrder(world.parts, id, HOOK)
    await refreshOrder(world.parts, id, HOOK)
    expect(await world.keys()).toEqual([`order:${id}`])
  })

  test('a duplicate of a webhook, ten at once at two gateways, credits once', async () => {
    await using world = await openWorld(make)
    const other = await world.another()
    const { id, reference } = await world.begun()
    world.fake.pay(reference)
    await Promise.all(
      Array.from({ length: 10 }, (_, at) => refreshOrder(at % 2 ? other : world.parts, id, HOOK)),
    )
    expect([await world.keys(), await world.money()]).toEqual([[`order:${id}`], { balance: CREDIT, debt: 0 }])
    expect(await world.history(id)).toEqual(['paid'])
  })

  test('a webhook that is lost for 30 minutes, or for ever, loses no payment', async () => {
    await using world = await openWorld(make)
    const [soon, later] = [await world.begun(), await world.begun()]
    world.clock.now_ms += 20_000
    world.fake.pay(soon.reference)
    for (let second = 20; second < 60; second++) {
      world.clock.now_ms += 1_000
      await world.poll()
    }
    // No webhook has come: a minute was enough.
    expect((await world.order(soon.id)).state).toBe('paid')
    world.clock.now_ms += 20 * MINUTE_MS
    await world.poll()
    world.fake.pay(later.reference)
    world.clock.now_ms += 60 * MINUTE_MS
    await world.poll()
    expect((await world.order(later.id)).state).toBe('paid')
    // The lost ones arrive at last.
    for (const { id } of [soon, later]) await refreshOrder(world.parts, id, HOOK)
    expect(await world.money()).toEqual({ balance: 2 * CREDIT, debt: 0 })
  })

  test('a provider that is away for ten minutes delays a payment by no more than five after that', async () => {
    await using world = await openWorld(make)
    const { id, reference } = await world.begun()
    world.fake.pay(reference)
    world.fake.trouble = () => {
      throw new Error('503')
    }
    const polled = async (seconds: number) => {
      for (let second = 0; second < seconds; second += 5) {
        world.clock.now_ms += 5_000
        await world.poll()
      }
    }
    await polled(600)
    expect(await world.order(id)).toMatchObject({ state: 'open', unanswered_since_ms: expect.any(Number) })
    world.fake.trouble = undefined
    await polled(300)
    expect(await world.order(id)).toMatchObject({ state: 'paid', unanswered_since_ms: null })
    expect(await world.money()).toEqual({ balance: CREDIT, debt: 0 })
  })

  test('a displayed rate is no price: what the form sends besides the amount, and rates that change later, credit nothing more', async () => {
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
    const order = await world.begun()
    // The operator changes rate and bonus while the person pays: they get what they were told.
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

  test('a payment at one provider credits no order of another one, though both have its number', async () => {
    const other = fakeProvider('other')
    await using world = await openWorld(make, [other])
    const mine = await world.begun()
    const theirs = await world.begun({ method: 'other', account_id: 2 })
    // Both providers number their payments alike, and each says truly what it has.
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

  test('a payment of another order, whose reference was swapped in, credits neither', async () => {
    await using world = await openWorld(make)
    const [cheap, dear] = [await world.begun({ amount_minor: 100 }), await world.begun()]
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

  test('another entry with the key of the order is no credit: the order is not marked as paid by it', async () => {
    await using world = await openWorld(make)
    const { id, reference } = await world.begun()
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

  test('a refund and its mark are never two transactions: dead at any step, both are there or neither', async () => {
    await using world = await openWorld(make)
    for (let at = 1; at < 12; at++)
      for (const when of ['before', 'after'] as const) {
        const death: Death = { at, when }
        const { id, reference } = await world.begun()
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
        // Nothing has left the provider that has not left the balance.
        if (world.fake.givenBack(reference) > 0) expect(has_entry).toBeTrue()
      }
    expect(await world.broken()).toEqual([])
  })
})
