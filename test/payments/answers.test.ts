// Answers of payment methods: an invalid answer is a failure that names only the field.
import { expect, test } from 'bun:test'
import { awaitPayment, awaitRefund, awaitStarted } from '../../plugins/payments/answers.ts'
import type { Payment, PaymentRefund, StartedPayment } from '../../src/payment-api.ts'
import { aPayment } from './examples.ts'

const INVALID_PAYMENTS: [string, unknown, string][] = [
  ['nothing', undefined, 'its answer must be'],
  ['null', null, 'its answer must be'],
  ['a text', 'paid', 'its answer must be'],
  ['a failed query with status 1', { status: 1 }, 'state is missing'],
  [
    'status 1 beside a message',
    { status: 1, msg: 'error', currency: 'EUR', amount_minor: 2_500 },
    'state is missing',
  ],
  ['true as the state', { ...aPayment(), state: true }, 'state must be'],
  ['success as the state', { ...aPayment(), state: 'success' }, 'state must be'],
  ['an amount as a text', { ...aPayment(), amount_minor: '2500' }, 'amount_minor must be a whole number'],
  ['half a cent', { ...aPayment(), amount_minor: 0.5 }, 'amount_minor must be a whole number'],
  ['a negative amount', { ...aPayment(), amount_minor: -1 }, 'amount_minor must be a whole number'],
  ['an unsafe integer', { ...aPayment(), amount_minor: 2 ** 53 }, 'amount_minor must be a whole number'],
  ['NaN as the amount', { ...aPayment(), amount_minor: Number.NaN }, 'amount_minor must be a whole number'],
  ['a currency in lower case', { ...aPayment(), currency: 'eur' }, 'currency must be an ISO 4217 code'],
  ['no currency', { ...aPayment(), currency: undefined }, 'currency is missing'],
  ['a fee of half a cent', { ...aPayment(), fee_minor: 0.5 }, 'fee_minor must be a whole number'],
  ['an empty payment reference', { ...aPayment(), payment_reference: '' }, 'payment_reference must be'],
  ['an unknown dispute state', { ...aPayment(), dispute: 'pending' }, 'dispute must be one of'],
  ['invalid refunds', { ...aPayment(), refunds: [{}] }, 'refunds.0.reference is missing'],
]

test.each(INVALID_PAYMENTS)('%s is not a valid payment', async (_, answer, fault) => {
  const failure = await awaitPayment(Promise.resolve(answer as Payment)).catch(
    ({ message }: Error) => message,
  )
  expect(failure).toContain('the payment method did not return a valid payment: ')
  expect(failure).toContain(fault)
})

test('a payment with an unknown field is valid', async () => {
  const whole: Payment = {
    ...aPayment({
      fee_minor: -3,
      tax_minor: 0,
      tax_country: 'DE',
      receipt_url: 'https://x.example',
      is_test: false,
    }),
    refunds: [{ reference: '', amount_minor: 0, state: 'failed', message: '' }],
    dispute: 'open',
  }
  expect(await awaitPayment(Promise.resolve({ ...whole, more: 1 } as Payment))).toMatchObject({ ...whole })
})

const REFUND = { reference: 'r', amount_minor: 1, state: 'done' }

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['a failed query', { status: 1 }],
  ['a refund in an unknown state', { ...REFUND, state: 'ok' }],
  ['a refund of another amount than requested', { ...REFUND, amount_minor: 2 }],
  ['a completed refund without a reference', { ...REFUND, reference: '' }],
])('%s is not a valid refund', (_, answer) =>
  expect(awaitRefund(Promise.resolve(answer as PaymentRefund), 1, 'refund:1')).rejects.toThrow(
    'the payment method did not return a valid refund: ',
  ),
)

test('a refused refund needs no reference', async () => {
  const refused = { reference: '', amount_minor: 1, state: 'failed' } as const
  expect(await awaitRefund(Promise.resolve(refused), 1, 'refund:1')).toEqual({ ...refused, key: 'refund:1' })
})

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['a javascript: page', { reference: 'r', go_to: 'javascript:alert(1)' }],
  ['no reference', { go_to: 'https://x.example' }],
])('%s is not a valid started payment, even from a built-in method', (_, answer) =>
  expect(awaitStarted(Promise.resolve(answer as StartedPayment))).rejects.toThrow(
    'the payment method did not return a valid started payment: ',
  ),
)
