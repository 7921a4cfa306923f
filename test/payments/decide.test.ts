// Decisions on a provider's report of a payment, for each state of an order.
import { describe, expect, test } from 'bun:test'
import { decide } from '../../plugins/payments/decide.ts'
import { providerRefundKey } from '../../plugins/payments/own-refunds.ts'
import { ORDER_STATES, type Order, type OrderRefund, type OrderState } from '../../plugins/payments/tables.ts'
import type { Payment, PaymentRefund } from '../../src/payment-api.ts'
import { anOrder, aPayment, aRefund } from './examples.ts'
import { NOW } from './world.ts'

const LATER = NOW + 1_000
const UNPAID: OrderState[] = ['open', 'expired', 'cancelled']
const PAID = ORDER_STATES.filter((state) => !UNPAID.includes(state))

/** The decisions in short, or the sentence of a trouble. */
function outcome(
  order: Partial<Order>,
  payment: Partial<Payment>,
  refunds: readonly OrderRefund[] = [],
  now_ms = NOW,
): string[] {
  return decide(anOrder(order), refunds, aPayment(payment), now_ms).map((decision) => {
    if (decision.what === 'close') return decision.to
    if (decision.what === 'trouble') return decision.sentence ?? 'well again'
    return decision.what
  })
}

describe('an unpaid order', () => {
  test.each(UNPAID)('%s: a payment of its currency and amount is credited, however late', (state) => {
    expect(outcome({ state }, {}, [], LATER + 10 ** 10)).toEqual(['credit'])
  })

  const MISFITS: [string, Partial<Payment>, string][] = [
    ['less', { amount_minor: 2_499 }, '24.99 EUR was paid instead of 25.00 EUR.'],
    ['more', { amount_minor: 2_501 }, '25.01 EUR was paid instead of 25.00 EUR.'],
    ['nothing', { amount_minor: 0 }, '0.00 EUR was paid instead of 25.00 EUR.'],
    ['another currency', { currency: 'USD' }, '25.00 USD was paid instead of 25.00 EUR.'],
    ['a currency without cents', { currency: 'JPY' }, '2500 JPY was paid instead of 25.00 EUR.'],
    ['another order', { order_id: 8 }, 'The payment is for order 8, not for this one.'],
    ['no order', { order_id: 0 }, 'The payment is for order 0, not for this one.'],
    ['test mode', { is_test: true }, 'The payment was made in test mode: no money moved.'],
  ]
  describe.each(UNPAID)('%s', (state) => {
    test.each(MISFITS)('a payment of %s credits nothing and is reported', (_, payment, sentence) => {
      const [trouble, ...more] = outcome({ state }, payment)
      expect(trouble).toStartWith(`${sentence} Nothing was credited.`)
      expect(more).toEqual([])
    })
  })

  test('in test mode a payment of test mode is credited', () =>
    expect(outcome({ is_live: 0 }, { is_test: true })).toEqual(['credit']))
  test('a report without an order id is matched by its reference alone', () =>
    expect(decide(anOrder(), [], { state: 'paid', currency: 'EUR', amount_minor: 2_500 }, NOW)).toEqual([
      { what: 'credit' },
    ]))
  test('a payment that does not match is reported once', () => {
    const payment = aPayment({ amount_minor: 1 })
    const [first] = decide(anOrder(), [], payment, NOW)
    const trouble = first?.what === 'trouble' ? first.sentence : null
    expect(trouble).not.toBeNull()
    expect(decide(anOrder({ trouble }), [], payment, NOW)).toEqual([])
  })
  test('a payment that does not match and was refunded in full clears the trouble and credits nothing', () => {
    const refunds: PaymentRefund[] = [{ reference: 'r', amount_minor: 1, state: 'done' }]
    expect(outcome({ trouble: 'It does not fit.' }, { amount_minor: 1, refunds })).toEqual(['well again'])
  })
  test('a noted trouble stays while nothing is paid', () =>
    expect(outcome({ trouble: 'A mark did not fit.' }, { state: 'open' })).toEqual([]))
  test('a payment that does not match does not keep an order open past its expiry', () =>
    expect(outcome({}, { amount_minor: 1 }, [], LATER)).toEqual([
      expect.stringContaining('0.01 EUR was paid'),
      'expired',
    ]))

  const UNPAID_REPORTS: [OrderState, Payment['state'], number, string[]][] = [
    ['open', 'open', NOW, []],
    ['open', 'open', LATER - 1, []],
    ['open', 'open', LATER, ['expired']],
    ['open', 'pending', NOW, []],
    ['open', 'pending', LATER, []],
    ['open', 'failed', NOW, ['cancelled']],
    ['open', 'failed', LATER, ['expired']],
    ['expired', 'open', LATER, []],
    ['expired', 'failed', LATER, []],
    ['expired', 'pending', LATER, []],
    ['cancelled', 'open', LATER, []],
    ['cancelled', 'failed', NOW, []],
  ]
  test.each(UNPAID_REPORTS)('%s, and the provider says %s at %d: %j', (state, reported, now_ms, expected) =>
    expect(outcome({ state }, { state: reported }, [], now_ms)).toEqual(expected),
  )
  test('refunds and disputes of a payment that was not credited wait for its credit', () => {
    const refunds: PaymentRefund[] = [{ reference: 'r', amount_minor: 5, state: 'done' }]
    expect(outcome({}, { refunds, dispute: 'lost' })).toEqual(['credit'])
    expect(outcome({}, { refunds, dispute: 'lost', state: 'open' })).toEqual([])
  })
})

describe('a paid order', () => {
  test.each(PAID)('%s: the same report again changes nothing', (state) =>
    expect(outcome({ state }, {})).toEqual([]),
  )
  test.each(PAID)('%s: an overpayment is reported, and not credited', (state) => {
    expect(outcome({ state }, { amount_minor: 5_000 })).toEqual([
      '50.00 EUR was paid instead of 25.00 EUR, which was credited. Refund the rest at the payment method.',
    ])
  })
  test('a refund of the overpayment clears the trouble and debits nothing', () => {
    const refunds: PaymentRefund[] = [{ reference: 'r', amount_minor: 2_500, state: 'done' }]
    expect(outcome({ state: 'paid', trouble: 'Paid twice.' }, { amount_minor: 5_000, refunds })).toEqual([
      'well again',
    ])
  })
  test('a refund requested here does not refund the overpayment', () => {
    const refunds: PaymentRefund[] = [
      { reference: 'r', key: providerRefundKey(aRefund()), amount_minor: 2_500, state: 'done' },
    ]
    const own = [aRefund({ amount_minor: 2_500 })]
    expect(outcome({ state: 'paid' }, { amount_minor: 5_000, refunds }, own)).toEqual([
      expect.stringContaining('50.00 EUR was paid instead'),
      'refund_done',
    ])
  })
  test('a refund of more than the overpayment has to be debited by hand', () => {
    const refunds: PaymentRefund[] = [{ reference: 'r', amount_minor: 2_501, state: 'done' }]
    expect(outcome({ state: 'paid' }, { amount_minor: 5_000, refunds })).toEqual([
      '25.01 EUR was refunded at the payment method, more than was left of the payment. Debit the account by hand.',
    ])
  })
  const CHANGED: [string, Partial<Payment>, string][] = [
    ['nothing was paid', { state: 'open' }, 'nothing was paid'],
    ['it failed', { state: 'failed' }, 'nothing was paid'],
    ['it is on its way', { state: 'pending' }, 'nothing was paid'],
    ['less was paid', { amount_minor: 100 }, '1.00 EUR was paid'],
    ['another currency was paid', { currency: 'USD' }, '25.00 USD was paid'],
    ['it was for another order', { order_id: 9 }, 'the payment is for order 9'],
  ]
  test.each(CHANGED)('a later report that %s debits nothing, and is noted', (_, payment, sentence) =>
    expect(outcome({ state: 'paid' }, payment)).toEqual([expect.stringContaining(sentence)]),
  )
  test.each(['open', 'failed'] as const)('%s after a refund or a dispute is no mismatch', (reported) => {
    for (const state of ['refunded', 'partly_refunded', 'lost', 'disputed'] as const)
      expect(outcome({ state }, { state: reported })).toEqual([])
  })
})

describe('refunds', () => {
  const at = (other: Partial<PaymentRefund> = {}): PaymentRefund => ({
    reference: 're_1',
    key: providerRefundKey(aRefund()),
    amount_minor: 1_000,
    state: 'done',
    ...other,
  })
  const OWN: [OrderRefund['state'], PaymentRefund['state'], string[]][] = [
    ['begun', 'done', []],
    ['begun', 'pending', []],
    ['begun', 'failed', []],
    ['debited', 'pending', ['refund_known']],
    ['debited', 'done', ['refund_done']],
    ['debited', 'failed', ['refund_failed']],
    ['done', 'pending', []],
    ['done', 'done', []],
    ['done', 'failed', ['refund_failed']],
    ['failed', 'pending', []],
    ['failed', 'failed', []],
    ['cancelled', 'pending', []],
    ['cancelled', 'failed', []],
  ]
  test.each(OWN)('a refund that is %s here and %s at the provider: %j', (here, there, expected) =>
    expect(
      outcome({ state: 'paid' }, { refunds: [at({ state: there })] }, [aRefund({ state: here })]),
    ).toEqual(expected),
  )
  test.each(['failed', 'cancelled'] as const)('a refund %s here and done there is reported', (state) =>
    expect(outcome({ state: 'paid' }, { refunds: [at()] }, [aRefund({ state })])).toEqual([
      `10.00 EUR was refunded at the payment method, but the state of refund 3 here is "${state}". Debit the account by hand.`,
    ]),
  )
  test('a known reference of a refund is not stored again', () =>
    expect(
      outcome({ state: 'paid' }, { refunds: [at({ state: 'pending' })] }, [aRefund({ reference: 're_1' })]),
    ).toEqual([]))
  test('a refund without a key is found by its reference', () => {
    const { key: _, ...without_key } = at()
    expect(outcome({ state: 'paid' }, { refunds: [without_key] }, [aRefund({ reference: 're_1' })])).toEqual([
      'refund_done',
    ])
  })
  test.each([
    ['another refund', aRefund({ id: 4 })],
    ['a refund that had this number before a backup was restored', aRefund({ created_at_ms: 1 })],
  ])('the key of %s belongs to another refund', (_, other) =>
    expect(
      outcome({ state: 'paid' }, { refunds: [at({ key: providerRefundKey(other) })] }, [aRefund()]),
    ).toEqual(['refund_found']),
  )

  const FOUND: [OrderState, string[]][] = [
    ['paid', ['refund_found']],
    ['partly_refunded', ['refund_found']],
    ['refund_failed', ['refund_found']],
    ['won', ['refund_found']],
    // It waits for the end of the dispute.
    ['disputed', []],
    ['lost', []],
  ]
  test.each(FOUND)('a refund made at the provider, of an order that is %s: %j', (state, expected) =>
    expect(outcome({ state }, { refunds: [at({ key: undefined } as never)] })).toEqual(expected),
  )
  test('a refund that failed at the provider is ignored', () =>
    expect(outcome({ state: 'paid' }, { refunds: [at({ state: 'failed' })] })).toEqual([]))
  test('a refund of more than remains is reported, and debits nothing', () =>
    expect(
      outcome(
        { state: 'partly_refunded' },
        { refunds: [at(), at({ reference: 're_2', key: 'x', amount_minor: 1_501 })] },
        [aRefund({ state: 'done' })],
      ),
    ).toEqual([
      '15.01 EUR was refunded at the payment method, more than was left of the payment. Debit the account by hand.',
    ]))
})

describe('disputes', () => {
  const DISPUTES: [OrderState, Payment['dispute'], string[]][] = [
    ['paid', 'open', ['dispute']],
    ['paid', 'won', ['dispute', 'dispute_won']],
    ['paid', 'lost', ['dispute', 'dispute_lost']],
    ['partly_refunded', 'lost', ['dispute', 'dispute_lost']],
    ['refunded', 'open', ['dispute']],
    ['refund_failed', 'open', ['dispute']],
    ['disputed', undefined, []],
    ['disputed', 'open', []],
    ['disputed', 'won', ['dispute_won']],
    ['disputed', 'lost', ['dispute_lost']],
    ['won', 'won', []],
    ['won', 'open', ['dispute']],
    ['won', 'lost', ['dispute', 'dispute_lost']],
    ['lost', 'open', []],
    ['lost', 'lost', []],
  ]
  test.each(DISPUTES)('%s, and the provider says %s: %j', (state, dispute, expected) =>
    expect(outcome({ state }, dispute ? { dispute } : {})).toEqual(expected),
  )
  test('a dispute that is won after it was lost is reported', () =>
    expect(outcome({ state: 'lost' }, { dispute: 'won' })).toEqual([
      'The dispute was won after it was lost. Add the funds again by hand.',
    ]))
})
