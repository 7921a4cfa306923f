// Orders at a provider that pays, fails, refunds, disputes and corrects itself, on both engines.
import { describe, expect, test } from 'bun:test'
import { cancelOrder, createOrder, startPayment } from '../../plugins/payments/ordering.ts'
import { providerRefundKey } from '../../plugins/payments/own-refunds.ts'
import type { PaymentParts } from '../../plugins/payments/parts.ts'
import { refreshOrder } from '../../plugins/payments/refreshing.ts'
import { refundsOf } from '../../plugins/payments/refund-store.ts'
import { beginRefund, debitRefund, requestRefund } from '../../plugins/payments/refunding.ts'
import type { OrderRefund } from '../../plugins/payments/tables.ts'
import { DAY_MS, HOUR_MS } from '../../src/domain/ranges.ts'
import type { Payment } from '../../src/payment-api.ts'
import { fakeProvider } from './fake-provider.ts'
import { CREDIT, ENGINES, openWorld, REQUEST, SETTINGS, type World } from './world.ts'

const POLL = { source: 'poll' } as const
const PAGE = { source: 'page' } as const

const refund = async (
  parts: PaymentParts,
  order_id: number,
  amount_minor: number | null,
  into_debt = false,
): Promise<OrderRefund> => {
  const started = await beginRefund(parts, { order_id, amount_minor, into_debt, reason: 'asked' })
  await debitRefund(parts, started, { source: 'operator' })
  return await requestRefund(parts, started.id, { source: 'operator' })
}
const codeOf = (thrown: unknown) => (thrown as { code?: string }).code
const failureOf = (work: Promise<unknown>) => work.then(() => 'none', codeOf)

async function paid(world: World, request = {}) {
  const order = await world.startOrder(request)
  world.fake.pay(order.reference)
  await refreshOrder(world.parts, order.id, POLL)
  return order
}

describe.each(ENGINES)('on %s', (_, make) => {
  test('a payment is credited once, whatever came before it and however often it is looked up', async () => {
    await using world = await openWorld(make)
    const { parts, fake } = world
    const [plain, late, cancelled] = [
      await world.startOrder(),
      await world.startOrder(),
      await world.startOrder(),
    ]
    await cancelOrder(parts, cancelled.id, PAGE)
    world.clock.now_ms += DAY_MS
    await refreshOrder(parts, late.id, POLL)
    expect((await world.order(late.id)).state).toBe('expired')
    for (const { id, reference } of [plain, late, cancelled]) {
      fake.pay(reference, { fee_minor: 50, payment_reference: 'pi_1', receipt_url: 'https://x.example' })
      for (const source of ['webhook', 'poll', 'page'] as const) await refreshOrder(parts, id, { source })
    }
    expect(await world.history(plain.id)).toEqual(['paid'])
    expect(await world.history(late.id)).toEqual(['expired', 'paid'])
    expect(await world.history(cancelled.id)).toEqual(['cancelled', 'paid'])
    expect(await world.money()).toEqual({ balance: 3 * CREDIT, debt: 0 })
    expect(await world.order(plain.id)).toMatchObject({ fee_minor: 50, receipt_url: 'https://x.example' })

    // The first report of the payment stays, but the last report of its fee counts.
    fake.pay(plain.reference, { fee_minor: 55, payment_reference: 'pi_2', receipt_url: undefined as never })
    delete (fake.payments.get(plain.reference) as Payment).receipt_url
    await refreshOrder(parts, plain.id, POLL)
    expect(await world.order(plain.id)).toMatchObject({
      fee_minor: 55,
      payment_reference: 'pi_1',
      receipt_url: 'https://x.example',
    })
    expect(await world.broken()).toEqual([])
  })

  test('a payment of a wrong amount credits nothing, and is reported once', async () => {
    await using world = await openWorld(make)
    const { id, reference } = await world.startOrder()
    world.fake.pay(reference, { amount_minor: 2_499 })
    for (const _ of [1, 2, 3]) await refreshOrder(world.parts, id, POLL)
    expect(world.warnings).toEqual([expect.stringContaining('24.99 EUR was paid instead of 25.00 EUR.')])
    expect((await world.lines(id)).map(({ to_state, detail }) => [to_state, JSON.parse(detail)])).toEqual([
      ['open', { trouble: world.warnings[0] }],
    ])
    expect(await world.order(id)).toMatchObject({
      state: 'open',
      trouble: world.warnings[0],
      paid_at_ms: null,
    })
    // Corrected at the provider, it is a payment like any other.
    world.fake.pay(reference, { amount_minor: 2_500 })
    await refreshOrder(world.parts, id, POLL)
    expect(await world.order(id)).toMatchObject({ state: 'paid', trouble: null })
    expect(await world.broken()).toEqual([])
  })

  test('a credit that exceeds the range of a balance, or is for an erased account, is refused and reported', async () => {
    await using world = await openWorld(make)
    const most = { currency: 'USD', amount_minor: 800_000_000, account_id: 2 }
    await paid(world, most)
    const too_much = await paid(world, most)
    const erased = await world.startOrder()
    await world.db.write((db) => db.rows('INSERT INTO erased_accounts VALUES (1, 5)'))
    expect(await world.order(too_much.id)).toMatchObject({
      state: 'open',
      trouble: expect.stringContaining('The ledger refused the credit: amount_out_of_range.'),
    })
    world.fake.pay(erased.reference)
    await refreshOrder(world.parts, erased.id, POLL)
    expect(await world.order(erased.id)).toMatchObject({
      state: 'open',
      trouble: expect.stringContaining('The account is erased.'),
    })
    expect(await world.money(1)).toEqual({ balance: 0, debt: 0 })
    expect(await world.broken()).toEqual([])
  })

  describe('refunds', () => {
    test('a payment is refunded in parts, up to the whole and no further', async () => {
      await using world = await openWorld(make)
      const { id } = await paid(world)
      for (const part of [1, 999, 500]) expect((await refund(world.parts, id, part)).state).toBe('done')
      expect(await world.order(id)).toMatchObject({ state: 'partly_refunded', refunded_minor: 1_500 })
      for (const part of [1_001, 0, -1, 0.5, Number.NaN])
        await expect(refund(world.parts, id, part)).rejects.toThrow('10.00 EUR of the payment is left')
      await refund(world.parts, id, null)
      expect(await world.order(id)).toMatchObject({ state: 'refunded', refunded_minor: 2_500 })
      expect(await world.money()).toEqual({ balance: 0, debt: 0 })
      expect(await failureOf(refund(world.parts, id, 1))).toBe('not_refundable')
      expect(await world.broken()).toEqual([])
    })

    test('a refund above the free balance is refused, or leaves the rest as debt', async () => {
      await using world = await openWorld(make)
      const { id } = await paid(world)
      await world.ledger.submit({ op: 'withdraw', account_id: 1, amount_nanos: CREDIT, note: '', now_ms: 0 })
      expect(await failureOf(refund(world.parts, id, 1_000))).toBe('insufficient_balance')
      expect(world.fake.requests.refund).toBe(0)
      expect((await refundsOf(world.db, id)).map(({ state }) => state)).toEqual(['cancelled'])
      expect((await refund(world.parts, id, 1_000, true)).state).toBe('done')
      expect(await world.money()).toEqual({ balance: 0, debt: 10_800_000_000 })
      expect(await world.broken()).toEqual([])
    })

    test('a pending refund is requested once, and decided by lookups', async () => {
      await using world = await openWorld(make)
      const { id, reference } = await paid(world)
      world.fake.refunding = 'pending'
      expect(await refund(world.parts, id, 1_000)).toMatchObject({
        state: 'debited',
        reference: 'fake-refund-1',
      })
      for (let hour = 0; hour < 3; hour++) {
        world.clock.now_ms += 3_600_000
        await world.poll()
      }
      expect(world.fake.requests.refund).toBe(1)
      for (const one of world.fake.payments.get(reference)?.refunds ?? []) one.state = 'done'
      world.clock.now_ms += 3_600_000
      await world.poll()
      expect(await world.order(id)).toMatchObject({ state: 'partly_refunded', refunded_minor: 1_000 })
      expect(world.fake.requests.refund).toBe(1)
      expect(await world.broken()).toEqual([])
    })

    test('a refund whose answer was lost is not requested again, even if the provider forgets keys', async () => {
      await using world = await openWorld(make)
      const { id, reference } = await paid(world)
      Object.assign(world.fake, { loses_answers: true, forgets_keys: true })
      await expect(refund(world.parts, id, 1_000)).rejects.toThrow('the answer is lost')
      for (const minutes of [2, 5, 60 * 25]) {
        world.clock.now_ms += minutes * 60_000
        await world.poll()
      }
      expect([world.fake.requests.refund, world.fake.refundedMinor(reference)]).toEqual([1, 1_000])
      expect(await world.order(id)).toMatchObject({ state: 'partly_refunded', refunded_minor: 1_000 })
    })

    test('a refund without a valid answer is reported after an hour, until it is made', async () => {
      await using world = await openWorld(make)
      const { id } = await paid(world)
      const { fake } = world
      const make_refund = fake.refund
      fake.refund = async () => ({ reference: 'r', amount_minor: 1, state: 'done' })
      await expect(refund(world.parts, id, 1_000)).rejects.toThrow('must be what was asked for, 1000')
      const pollAfter = async (minutes: number) => {
        world.clock.now_ms += minutes * 60_000
        await world.poll()
      }
      for (const minutes of [3, 27, 29]) await pollAfter(minutes)
      expect(await world.order(id)).toMatchObject({ trouble: null })
      await pollAfter(3)
      expect((await world.order(id)).trouble).toMatch(/has neither made nor refused refund \d+ of 10\.00 EUR/)
      fake.refund = make_refund
      await pollAfter(3)
      expect(await world.order(id)).toMatchObject({ trouble: null, state: 'partly_refunded' })
      expect(await world.broken()).toEqual([])
    })

    test('a refund with the number of another one from before a restore is made, and both are debited', async () => {
      await using world = await openWorld(make)
      const { id, reference } = await paid(world)
      const started = await beginRefund(world.parts, {
        ...{ order_id: id, amount_minor: 1_000, into_debt: false, reason: '' },
      })
      const lost = { id: started.id, created_at_ms: started.created_at_ms - 1_000 }
      world.fake.payments.get(reference)?.refunds.push({
        ...{ reference: 'lost', key: providerRefundKey(lost), amount_minor: 500, state: 'done' },
      })
      await debitRefund(world.parts, started, POLL)
      await requestRefund(world.parts, started.id, POLL)
      await refreshOrder(world.parts, id, POLL)
      expect(world.fake.refundedMinor(reference)).toBe(1_500)
      expect(await world.order(id)).toMatchObject({ state: 'partly_refunded', refunded_minor: 1_500 })
      expect(await world.money()).toEqual({ balance: (CREDIT / 25) * 10, debt: 0 })
      expect(await world.broken()).toEqual([])
    })

    test('a refund is requested again while the provider is away, and stays debited', async () => {
      await using world = await openWorld(make)
      const { id } = await paid(world)
      world.fake.trouble = () => {
        throw new Error('502')
      }
      await expect(refund(world.parts, id, 2_500)).rejects.toThrow('502')
      expect(await world.money()).toEqual({ balance: 0, debt: 0 })
      world.clock.now_ms += 61_000
      await world.poll()
      expect((await refundsOf(world.db, id))[0]?.state).toBe('debited')
      world.fake.trouble = undefined
      world.clock.now_ms += 121_000
      await world.poll()
      expect((await world.order(id)).state).toBe('refunded')
      expect(await world.broken()).toEqual([])
    })

    test('a disputed order is not refunded, and a dispute cancels a refund that it overtakes', async () => {
      await using world = await openWorld(make)
      const { id, reference } = await paid(world)
      const started = await beginRefund(world.parts, {
        order_id: id,
        amount_minor: 500,
        into_debt: true,
        reason: '',
      })
      world.fake.pay(reference, { dispute: 'open' })
      await refreshOrder(world.parts, id, POLL)
      expect(await failureOf(debitRefund(world.parts, started, PAGE))).toBe('order_disputed')
      expect(await failureOf(refund(world.parts, id, 500))).toBe('not_refundable')
      expect(await world.money()).toEqual({ balance: CREDIT, debt: 0 })
      world.fake.pay(reference, { dispute: 'won' })
      await refreshOrder(world.parts, id, POLL)
      expect((await refund(world.parts, id, 500)).state).toBe('done')
      expect(await world.history(id)).toEqual(['paid', 'disputed', 'won', 'partly_refunded'])
      expect(await world.broken()).toEqual([])
    })

    test('a dispute that is lost between the lookup and the debit of a refund does not take the money twice', async () => {
      await using world = await openWorld(make)
      const { id, reference } = await paid(world)
      await paid(world)
      const { ledger } = world.parts
      const overtaken = async (operation: Parameters<typeof ledger.submit>[0]) => {
        world.fake.pay(reference, { dispute: 'lost' })
        await refreshOrder(world.parts, id, POLL)
        return await ledger.submit(operation)
      }
      const parts = { ...world.parts, ledger: { submit: overtaken as typeof ledger.submit } }
      expect(await failureOf(refund(parts, id, 500))).toBe('order_lost')
      expect(await world.money()).toEqual({ balance: CREDIT, debt: 0 })
      expect(await world.broken()).toEqual([])
    })

    test('one of two full refunds at once is made', async () => {
      await using world = await openWorld(make)
      const { id } = await paid(world)
      const other = await world.another()
      const both = await Promise.all([world.parts, other].map((parts) => failureOf(refund(parts, id, null))))
      expect(both.filter((code) => code === 'none')).toHaveLength(1)
      expect((await world.order(id)).state).toBe('refunded')
      expect(await world.broken()).toEqual([])
    })
  })

  test('a lost dispute takes the amount that refunds left, and suspends an account that it puts into debt', async () => {
    await using world = await openWorld(make)
    const { id, reference } = await paid(world)
    const rich = await paid(world, { account_id: 2 })
    await paid(world, { account_id: 2 })
    await refund(world.parts, id, 1_000)
    const { balance } = await world.money()
    await world.ledger.submit({ op: 'withdraw', account_id: 1, amount_nanos: balance, note: '', now_ms: 0 })
    for (const one of [reference, rich.reference]) world.fake.pay(one, { dispute: 'lost' })
    for (const one of [id, rich.id]) for (const _ of [1, 2]) await refreshOrder(world.parts, one, POLL)
    expect(await world.money(1)).toEqual({ balance: 0, debt: CREDIT - 10_800_000_000 })
    expect(await world.money(2)).toEqual({ balance: CREDIT, debt: 0 })
    expect(await world.db.rows('SELECT status FROM accounts ORDER BY id')).toEqual([
      { status: 'suspended' },
      { status: 'active' },
    ])
    expect(await world.broken()).toEqual([])
  })

  test('a pending refund that fails after a lost dispute is not credited back, because the bank took the money', async () => {
    await using world = await openWorld(make)
    const { id, reference } = await paid(world)
    world.fake.refunding = 'pending'
    await refund(world.parts, id, 1_000)
    world.fake.pay(reference, { dispute: 'lost' })
    await refreshOrder(world.parts, id, POLL)
    for (const one of world.fake.payments.get(reference)?.refunds ?? []) one.state = 'failed'
    world.clock.now_ms += 3_700_000
    await world.poll()
    expect((await refundsOf(world.db, id)).map(({ state }) => state)).toEqual(['failed'])
    expect(await world.money()).toEqual({ balance: 0, debt: 0 })
    expect(await world.broken()).toEqual([])
  })

  test('orders of a removed method wait, and are paid once it is set up again', async () => {
    const gone = fakeProvider('gone')
    const own = [gone]
    await using world = await openWorld(make, own)
    const { parts } = world
    const { id } = await createOrder(parts, SETTINGS, { ...REQUEST, method: 'gone' })
    const { reference } = await startPayment(parts, id)
    gone.pay(reference)
    world.remove('gone')
    expect(await failureOf(refreshOrder(parts, id, POLL))).toBe('no_payment_method')
    expect(await failureOf(createOrder(parts, SETTINGS, { ...REQUEST, method: 'gone' }))).toBe(
      'no_payment_method',
    )
    world.clock.now_ms += DAY_MS
    await world.poll()
    const waiting = await world.order(id)
    expect(waiting).toMatchObject({ state: 'open', unanswered_since_ms: world.clock.now_ms - DAY_MS })
    expect(waiting.next_look_at_ms).toBe(world.clock.now_ms + 5 * 60_000)
    world.restore('gone', gone)
    world.clock.now_ms += 5 * 60_000
    await world.poll()
    expect(await world.order(id)).toMatchObject({ state: 'paid', unanswered_since_ms: null })
  })

  test('an order made in test mode is no longer looked up after its method leaves test mode, and raises no alert', async () => {
    await using world = await openWorld(make)
    const { fake, clock, parts } = world
    Object.assign(fake, { is_test: true })
    const [paid, open] = [await world.startOrder(), await world.startOrder()]
    fake.pay(paid.reference, { is_test: true })
    await world.poll()
    const { is_live, state } = await refreshOrder(parts, paid.id, { source: 'page' })
    expect([is_live, state]).toEqual([0, 'paid'])
    Object.assign(fake, { is_test: false })
    fake.payments.clear()
    await expect(startPayment(parts, open.id)).rejects.toThrow(
      `Order ${open.id} was made while its payment method was in test mode. Make a new one.`,
    )
    await expect(
      beginRefund(parts, { order_id: paid.id, amount_minor: null, into_debt: false, reason: '' }),
    ).rejects.toThrow('so it cannot be refunded now')
    for (let day = 0; day < 3; day++) {
      clock.now_ms += 86_400_000
      await world.poll()
    }
    expect(await world.order(paid.id)).toMatchObject({ state: 'paid', unanswered_since_ms: null })
    expect(await world.order(open.id)).toMatchObject({ state: 'expired', unanswered_since_ms: null })
  })

  test('a method in test mode neither starts nor closes an order of real money', async () => {
    await using world = await openWorld(make)
    const { fake, clock, parts } = world
    const order = await world.startOrder()
    fake.pay(order.reference)
    Object.assign(fake, { is_test: true })
    await expect(startPayment(parts, order.id)).rejects.toThrow('was not in test mode')
    await expect(refreshOrder(parts, order.id, { source: 'page' })).rejects.toThrow('does not answer now')
    clock.now_ms += 3_600_000
    await world.poll()
    expect(await world.order(order.id)).toMatchObject({
      state: 'open',
      unanswered_since_ms: expect.any(Number),
    })
    Object.assign(fake, { is_test: false })
    clock.now_ms += 3_600_000
    await world.poll()
    expect((await world.order(order.id)).state).toBe('paid')
  })

  test('an order of a removed method expires a day after its end, and is credited if the method returns', async () => {
    const gone = fakeProvider('gone')
    await using world = await openWorld(make, [gone])
    const { id } = await createOrder(world.parts, SETTINGS, { ...REQUEST, method: 'gone' })
    const { reference } = await startPayment(world.parts, id)
    gone.pay(reference)
    world.remove('gone')
    world.clock.now_ms += 2 * DAY_MS
    await world.poll()
    expect((await world.order(id)).state).toBe('expired')
    world.restore('gone', gone)
    world.clock.now_ms += HOUR_MS
    await world.poll()
    expect(await world.history(id)).toEqual(['expired', 'paid'])
    expect(await world.broken()).toEqual([])
  })

  test('a trouble that returns is shown again, but logged once', async () => {
    await using world = await openWorld(make)
    const { id, reference } = await paid(world)
    const troubles: boolean[] = []
    for (const state of ['open', 'paid', 'open'] as const) {
      Object.assign(world.fake.payments.get(reference) as Payment, { state })
      await refreshOrder(world.parts, id, POLL)
      troubles.push((await world.order(id)).trouble !== null)
    }
    expect(troubles).toEqual([true, false, true])
    expect(world.warnings).toHaveLength(1)
  })

  test('an order whose payment never started expires without a lookup', async () => {
    await using world = await openWorld(make)
    const { id } = await createOrder(world.parts, SETTINGS, REQUEST)
    world.clock.now_ms += DAY_MS
    await world.poll()
    expect([(await world.order(id)).state, world.fake.requests.look]).toEqual(['expired', 0])
    expect(await failureOf(startPayment(world.parts, id))).toBe('order_closed')
    expect(await failureOf(cancelOrder(world.parts, id, PAGE))).toBe('order_closed')
  })

  test('amounts at the limits of a method are accepted, and amounts beyond them refused', async () => {
    await using world = await openWorld(make)
    world.fake.limits = {
      EUR: { min_minor: 100, max_minor: 5_000 },
      JPY: { min_minor: 50, max_minor: Number.MAX_SAFE_INTEGER },
      USD: { min_minor: 1, max_minor: Number.MAX_SAFE_INTEGER },
    }
    const outcome = (amount_minor: number, currency = 'EUR') =>
      createOrder(world.parts, SETTINGS, { ...REQUEST, amount_minor, currency }).then(
        () => 'made',
        (thrown: Error) => thrown.message,
      )
    for (const taken of [100, 5_000]) expect(await outcome(taken)).toBe('made')
    for (const refused of [99, 0, -1])
      expect(await outcome(refused)).toBe('amount: must be at least 1.00 EUR.')
    for (const refused of [5_001, 100.5, Number.NaN, Number.POSITIVE_INFINITY])
      expect(await outcome(refused)).toBe('amount: must be at most 50.00 EUR.')
    expect(await outcome(1_000, 'GBP')).toBe('currency: fake takes USD, EUR, JPY.')
    // Each currency has limits of its own.
    expect(await outcome(50, 'JPY')).toBe('made')
    expect(await outcome(49, 'JPY')).toBe('amount: must be at least 50 JPY.')
    expect(await outcome(Number.MAX_SAFE_INTEGER, 'USD')).toBe(
      'amount: is more than can be credited. Write less.',
    )
  })
})
