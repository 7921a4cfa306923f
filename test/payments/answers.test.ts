// Answers of payment methods: anything that is no payment is a failure, which names no more than the field.
import { expect, test } from 'bun:test'
import { awaitPayment, awaitRefund, awaitStarted } from '../../plugins/payments/answers.ts'
import type { Payment, PaymentRefund, StartedPayment } from '../../src/payment-api.ts'
import { aPayment } from './examples.ts'

const NO_PAYMENTS: [string, unknown, string][] = [
  ['nothing', undefined, 'its answer must be'],
  ['null', null, 'its answer must be'],
  ['a text', 'paid', 'its answer must be'],
  ['a query that failed and says status 1', { status: 1 }, 'state is missing'],
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
  [
    'an amount that cannot be counted',
    { ...aPayment(), amount_minor: 2 ** 53 },
    'amount_minor must be a whole number',
  ],
  ['no number', { ...aPayment(), amount_minor: Number.NaN }, 'amount_minor must be a whole number'],
  ['a currency in lower case', { ...aPayment(), currency: 'eur' }, 'currency must be an ISO 4217 code'],
  ['no currency', { ...aPayment(), currency: undefined }, 'currency is missing'],
  ['a fee of half a cent', { ...aPayment(), fee_minor: 0.5 }, 'fee_minor must be a whole number'],
  ['an empty number of the payment', { ...aPayment(), payment_reference: '' }, 'payment_reference must be'],
  ['another dispute', { ...aPayment(), dispute: 'pending' }, 'dispute must be one of'],
  ['refunds that are none', { ...aPayment(), refunds: [{}] }, 'refunds.0.reference is missing'],
]

test.each(NO_PAYMENTS)('%s is no payment', async (_, answer, fault) => {
  const failure = await awaitPayment(Promise.resolve(answer as Payment)).catch(
    ({ message }: Error) => message,
  )
  expect(failure).toContain('the payment method did not return a valid payment: ')
  expect(failure).toContain(fault)
})

test('a payment, with fields that nobody knows, is one', async () => {
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
  ['a query that failed', { status: 1 }],
  ['one in an unknown state', { ...REFUND, state: 'ok' }],
  ['one of another amount than was asked for', { ...REFUND, amount_minor: 2 }],
  ['one that was made and has no number', { ...REFUND, reference: '' }],
])('%s is no refund', (_, answer) =>
  expect(awaitRefund(Promise.resolve(answer as PaymentRefund), 1, 'refund:1')).rejects.toThrow(
    'the payment method did not return a valid refund: ',
  ),
)

test('a refund that was refused has no number', async () => {
  const refused = { reference: '', amount_minor: 1, state: 'failed' } as const
  expect(await awaitRefund(Promise.resolve(refused), 1, 'refund:1')).toEqual({ ...refused, key: 'refund:1' })
})

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['a page that is a script', { reference: 'r', go_to: 'javascript:alert(1)' }],
  ['no number', { go_to: 'https://x.example' }],
])('%s is no started payment, of a built-in method neither', (_, answer) =>
  expect(awaitStarted(Promise.resolve(answer as StartedPayment))).rejects.toThrow(
    'the payment method did not return a valid started payment: ',
  ),
)
