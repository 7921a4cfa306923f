// Decisions by a provider's word, for each state of an order.
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

/** In short: what is decided, and a sentence where there is one. */
function decided(
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

describe('of an order that was not paid', () => {
  test.each(UNPAID)('%s: a payment of its currency and amount is credited, however late', (state) => {
    expect(decided({ state }, {}, [], LATER + 10 ** 10)).toEqual(['credit'])
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
    test.each(MISFITS)('a payment of %s credits nothing and is told', (_, payment, sentence) => {
      const [trouble, ...more] = decided({ state }, payment)
      expect(trouble).toStartWith(`${sentence} Nothing was credited.`)
      expect(more).toEqual([])
    })
  })

  test('in test mode a payment of test mode is credited', () =>
    expect(decided({ is_live: 0 }, { is_test: true })).toEqual(['credit']))
  test('a provider that does not say for which order is asked by the reference alone', () =>
    expect(decide(anOrder(), [], { state: 'paid', currency: 'EUR', amount_minor: 2_500 }, NOW)).toEqual([
      { what: 'credit' },
    ]))
  test('what does not fit is told once', () => {
    const payment = aPayment({ amount_minor: 1 })
    const [first] = decide(anOrder(), [], payment, NOW)
    const trouble = first?.what === 'trouble' ? first.sentence : null
    expect(trouble).not.toBeNull()
    expect(decide(anOrder({ trouble }), [], payment, NOW)).toEqual([])
  })
  test('what does not fit and was given back whole troubles nobody, and credits nothing', () => {
    const refunds: PaymentRefund[] = [{ reference: 'r', amount_minor: 1, state: 'done' }]
    expect(decided({ trouble: 'It does not fit.' }, { amount_minor: 1, refunds })).toEqual(['well again'])
  })
  test('what was noted stays while nothing is paid', () =>
    expect(decided({ trouble: 'A mark did not fit.' }, { state: 'open' })).toEqual([]))
  test('what does not fit keeps no order open for ever', () =>
    expect(decided({}, { amount_minor: 1 }, [], LATER)).toEqual([
      expect.stringContaining('0.01 EUR was paid'),
      'expired',
    ]))

  const UNPAID_WORDS: [OrderState, Payment['state'], number, string[]][] = [
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
  test.each(UNPAID_WORDS)('%s, and the provider says %s at %d: %j', (state, word, now_ms, expected) =>
    expect(decided({ state }, { state: word }, [], now_ms)).toEqual(expected),
  )
  test('refunds and disputes of a payment that was not credited wait for its credit', () => {
    const refunds: PaymentRefund[] = [{ reference: 'r', amount_minor: 5, state: 'done' }]
    expect(decided({}, { refunds, dispute: 'lost' })).toEqual(['credit'])
    expect(decided({}, { refunds, dispute: 'lost', state: 'open' })).toEqual([])
  })
})

describe('of an order that was paid', () => {
  test.each(PAID)('%s: paid again in the same words changes nothing', (state) =>
    expect(decided({ state }, {})).toEqual([]),
  )
  test.each(PAID)('%s: more that was paid is told, and not credited', (state) => {
    expect(decided({ state }, { amount_minor: 5_000 })).toEqual([
      '50.00 EUR was paid instead of 25.00 EUR, which was credited. Refund the rest at the payment method.',
    ])
  })
  test('once the rest is given back it is well, and the account pays nothing of it', () => {
    const refunds: PaymentRefund[] = [{ reference: 'r', amount_minor: 2_500, state: 'done' }]
    expect(decided({ state: 'paid', trouble: 'Paid twice.' }, { amount_minor: 5_000, refunds })).toEqual([
      'well again',
    ])
  })
  test('a refund that was asked for here is not the rest', () => {
    const refunds: PaymentRefund[] = [
      { reference: 'r', key: providerRefundKey(aRefund()), amount_minor: 2_500, state: 'done' },
    ]
    const own = [aRefund({ amount_minor: 2_500 })]
    expect(decided({ state: 'paid' }, { amount_minor: 5_000, refunds }, own)).toEqual([
      expect.stringContaining('50.00 EUR was paid instead'),
      'refund_done',
    ])
  })
  test('of more than the rest that was given back the account is debited by hand', () => {
    const refunds: PaymentRefund[] = [{ reference: 'r', amount_minor: 2_501, state: 'done' }]
    expect(decided({ state: 'paid' }, { amount_minor: 5_000, refunds })).toEqual([
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
  test.each(CHANGED)('a provider that says now that %s takes nothing, and is told', (_, payment, sentence) =>
    expect(decided({ state: 'paid' }, payment)).toEqual([expect.stringContaining(sentence)]),
  )
  test.each(['open', 'failed'] as const)('once money was given back some say %s: nothing is told', (word) => {
    for (const state of ['refunded', 'partly_refunded', 'lost', 'disputed'] as const)
      expect(decided({ state }, { state: word })).toEqual([])
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
  test.each(OWN)('one that is %s here and %s there: %j', (here, there, expected) =>
    expect(
      decided({ state: 'paid' }, { refunds: [at({ state: there })] }, [aRefund({ state: here })]),
    ).toEqual(expected),
  )
  test.each(['failed', 'cancelled'] as const)('one that is %s here and done there is told', (state) =>
    expect(decided({ state: 'paid' }, { refunds: [at()] }, [aRefund({ state })])).toEqual([
      `10.00 EUR was refunded at the payment method, but the state of refund 3 here is "${state}". Debit the account by hand.`,
    ]),
  )
  test('its number is kept once', () =>
    expect(
      decided({ state: 'paid' }, { refunds: [at({ state: 'pending' })] }, [aRefund({ reference: 're_1' })]),
    ).toEqual([]))
  test('one is found by its number, too', () => {
    const { key: _, ...without_key } = at()
    expect(decided({ state: 'paid' }, { refunds: [without_key] }, [aRefund({ reference: 're_1' })])).toEqual([
      'refund_done',
    ])
  })
  test.each([
    ['another refund', aRefund({ id: 4 })],
    ['a refund that had this number before a backup was restored', aRefund({ created_at_ms: 1 })],
  ])('a key of %s is another refund', (_, other) =>
    expect(
      decided({ state: 'paid' }, { refunds: [at({ key: providerRefundKey(other) })] }, [aRefund()]),
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
  test.each(FOUND)('one that was made at the provider, of an order that is %s: %j', (state, expected) =>
    expect(decided({ state }, { refunds: [at({ key: undefined } as never)] })).toEqual(expected),
  )
  test('one that failed at the provider is none', () =>
    expect(decided({ state: 'paid' }, { refunds: [at({ state: 'failed' })] })).toEqual([]))
  test('more than is left is told, and debits nothing', () =>
    expect(
      decided(
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
    expect(decided({ state }, dispute ? { dispute } : {})).toEqual(expected),
  )
  test('one that is won after it was lost is told', () =>
    expect(decided({ state: 'lost' }, { dispute: 'won' })).toEqual([
      'The dispute was won after it was lost. Add the funds again by hand.',
    ]))
})
