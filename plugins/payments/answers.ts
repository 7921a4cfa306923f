// What payment methods answer, within a time limit, and checked for what the arithmetic and the tables need of it, whatever the method.
import { Type } from '@sinclair/typebox'
import { faultsIn, fits } from '../../src/domain/validation.ts'
import type { Payment, PaymentRefund } from '../../src/payment-api.ts'
import { withinTime } from '../../src/utilities/time-limit.ts'

/** Longer than providers take. */
const MAX_ANSWER_MS = 30_000

const Minor = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const Text = Type.String({ minLength: 1, maxLength: 1_000 })

const RefundAnswer = Type.Object({
  // Of a refund that was refused, there may be none.
  reference: Type.String({ maxLength: 1_000 }),
  key: Type.Optional(Type.String()),
  amount_minor: Minor,
  state: Type.Union([Type.Literal('pending'), Type.Literal('done'), Type.Literal('failed')]),
  message: Type.Optional(Type.String()),
})

const PaymentAnswer = Type.Object({
  state: Type.Union([
    Type.Literal('open'),
    Type.Literal('pending'),
    Type.Literal('paid'),
    Type.Literal('failed'),
  ]),
  currency: Type.String({ pattern: '^[A-Z]{3}$', must: 'an ISO 4217 code in upper case' }),
  amount_minor: Minor,
  order_id: Type.Optional(Type.Integer()),
  payment_reference: Type.Optional(Text),
  fee_minor: Type.Optional(
    Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }),
  ),
  tax_minor: Type.Optional(Minor),
  tax_country: Type.Optional(Text),
  receipt_url: Type.Optional(Text),
  refunds: Type.Optional(Type.Array(RefundAnswer)),
  dispute: Type.Optional(Type.Union([Type.Literal('open'), Type.Literal('won'), Type.Literal('lost')])),
  is_test: Type.Optional(Type.Boolean()),
})

/** @throws Error where the provider does not answer in time, fails, or answers what is no payment */
export async function paymentIn(answer: Promise<Payment>): Promise<Payment> {
  const payment: unknown = await inTime(answer)
  if (fits(PaymentAnswer, payment)) return payment
  throw new Error(`the payment method answered what is no payment: ${firstFault(PaymentAnswer, payment)}`)
}

/** @throws Error as `paymentIn` */
export async function refundIn(answer: Promise<PaymentRefund>): Promise<PaymentRefund> {
  const refund: unknown = await inTime(answer)
  if (fits(RefundAnswer, refund)) return refund
  throw new Error(`the payment method answered what is no refund: ${firstFault(RefundAnswer, refund)}`)
}

/** @throws Error where it takes longer */
export const inTime = <T>(answer: Promise<T>): Promise<T> => withinTime(MAX_ANSWER_MS, () => answer)

/** The name of the field and what it must be: never the value. */
function firstFault(schema: typeof PaymentAnswer | typeof RefundAnswer, answer: unknown): string {
  for (const { path, must } of faultsIn(schema, answer)) return `${path.join('.') || 'it'} must be ${must}`
  return 'it is malformed'
}
