// Parsing of payment methods' answers within a time limit: unknown fields are dropped, fields of money are strict.
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { isCurrency } from '../../src/domain/currencies.ts'
import { faultsIn } from '../../src/domain/validation.ts'
import { OneOf } from '../../src/http/schema.ts'
import type { Payment, PaymentHint, PaymentRefund, StartedPayment } from '../../src/payment-api.ts'
import { messageOf } from '../../src/utilities/thrown.ts'
import { withinTime } from '../../src/utilities/time-limit.ts'

/** Longer than providers need. */
const MAX_ANSWER_MS = 30_000

const MAX_MINOR = Number.MAX_SAFE_INTEGER
const Minor = Type.Integer({
  minimum: 0,
  maximum: MAX_MINOR,
  must: 'a whole number of the smallest unit of the currency, 0 or more',
})
/** Negative if the provider returns a part of its fee. */
const Fee = Type.Integer({
  minimum: -MAX_MINOR,
  maximum: MAX_MINOR,
  must: 'a whole number of the smallest unit of the currency',
})
const Reference = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '^[ -~]+$',
  must: '1 to 200 printable ASCII characters',
})
const Message = Type.String({ maxLength: 1_000 })
const Address = Type.String({ maxLength: 4_000 })

const Started = Type.Object({ reference: Reference, go_to: Type.Optional(Address) })

const Refund = Type.Object({
  reference: Type.Union([Type.Literal(''), Reference], { must: 'at most 200 printable ASCII characters' }),
  key: Type.Optional(Type.String({ maxLength: 200 })),
  amount_minor: Minor,
  state: OneOf(['pending', 'done', 'failed']),
  message: Type.Optional(Message),
})

const Paid = Type.Object({
  state: OneOf(['open', 'pending', 'paid', 'failed']),
  currency: Type.String({ must: 'an ISO 4217 code in upper case' }),
  amount_minor: Minor,
  order_id: Type.Optional(Type.Integer()),
  // Not limited to ASCII: for a bank transfer it is the bank's reference.
  payment_reference: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  fee_minor: Type.Optional(Fee),
  tax_minor: Type.Optional(Minor),
  tax_country: Type.Optional(Type.String({ pattern: '^[A-Z]{2}$', must: 'a country code such as DE' })),
  receipt_url: Type.Optional(Address),
  refunds: Type.Optional(Type.Array(Refund, { maxItems: 1_000 })),
  dispute: Type.Optional(OneOf(['open', 'won', 'lost'])),
  dispute_due_ms: Type.Optional(Type.Integer({ minimum: 0 })),
  is_test: Type.Optional(Type.Boolean()),
})

const Hint = Type.Object({ reference: Reference, answer: Type.Optional(Message) })

/** @throws Error that names the wrong field, also for a payment page that is not https */
export function parseStarted(answer: unknown): StartedPayment {
  const started = read(Started, answer)
  if (started.go_to !== undefined && !isPage(started.go_to))
    throw new Error('go_to must be an https:// address')
  return started
}

/** @throws Error that names the wrong field */
export function parsePayment(answer: unknown): Payment {
  const { receipt_url, ...payment } = read(Paid, answer)
  if (!isCurrency(payment.currency)) throw new Error('currency must be an ISO 4217 code in upper case')
  for (const refund of payment.refunds ?? []) requireReference(refund)
  return receipt_url !== undefined && isPage(receipt_url) ? { ...payment, receipt_url } : payment
}

/** @throws Error that names the wrong field, also for an amount other than the requested one */
export function parseRefund(answer: unknown, requested_minor: number, key: string): PaymentRefund {
  const refund = read(Refund, answer)
  requireReference(refund)
  if (refund.amount_minor !== requested_minor)
    throw new Error(`amount_minor must be what was asked for, ${requested_minor}`)
  return { ...refund, key }
}

/** @throws Error that names what is wrong */
export const parseHint = (answer: unknown): PaymentHint | undefined =>
  answer === undefined || answer === null ? undefined : read(Hint, answer)

/** @throws Error that names what is wrong */
export function parseCharged(answer: unknown): StartedPayment | { refused: string } {
  const fields = plain(answer)
  return fields.refused === undefined ? parseStarted(answer) : read(Type.Object({ refused: Message }), fields)
}

/** @throws Error if the provider does not answer in time, fails, or returns no valid payment */
export const awaitPayment = async (answer: Promise<Payment>): Promise<Payment> =>
  withErrorContext('payment', parsePayment, await inTime(answer))

/** @throws Error as `awaitPayment` */
export const awaitRefund = async (
  answer: Promise<PaymentRefund>,
  requested_minor: number,
  key: string,
): Promise<PaymentRefund> =>
  withErrorContext('refund', (refund) => parseRefund(refund, requested_minor, key), await inTime(answer))

/** @throws Error as `awaitPayment` */
export const awaitStarted = async (answer: Promise<StartedPayment>): Promise<StartedPayment> =>
  withErrorContext('started payment', parseStarted, await inTime(answer))

/** @throws Error as `awaitPayment` */
export const awaitCharged = async (
  answer: Promise<StartedPayment | { refused: string }>,
): Promise<StartedPayment | { refused: string }> =>
  withErrorContext('charge', parseCharged, await inTime(answer))

const inTime = <T>(answer: Promise<T>): Promise<T> => withinTime(MAX_ANSWER_MS, () => answer)

function withErrorContext<T>(what: string, readAnswer: (answer: unknown) => T, answer: unknown): T {
  try {
    return readAnswer(answer)
  } catch (cause) {
    throw new Error(`the payment method did not return a valid ${what}: ${messageOf(cause)}`, { cause })
  }
}

/** Only a failed refund may lack a reference. */
function requireReference({ reference, state }: PaymentRefund): void {
  if (reference === '' && state !== 'failed')
    throw new Error('the reference of a refund must be 1 to 200 printable ASCII characters')
}

/** Reads the fields of a schema from an answer; `null` counts as absent. Errors never contain a value. */
function read<S extends TSchema>(schema: S, answer: unknown): Static<S> {
  const known = pick(schema, answer)
  for (const { path, problem, must } of faultsIn(schema, known)) {
    const field = path.length === 0 ? 'its answer' : path.join('.')
    throw new Error(problem === 'missing' ? `${field} is missing` : `${field} must be ${must}`)
  }
  return known as Static<S>
}

function pick(schema: TSchema, value: unknown): unknown {
  if (schema.type === 'array' && Array.isArray(value)) return value.map((each) => pick(schema.items, each))
  if (schema.type !== 'object' || typeof value !== 'object' || value === null) return value
  const fields = plain(value)
  const names = Object.keys(schema.properties).filter((name) => (fields[name] ?? null) !== null)
  return Object.fromEntries(names.map((name) => [name, pick(schema.properties[name], fields[name])]))
}

const plain = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

/** Whether an address is https, or http on this machine, as in tests. Excludes scripts and links to applications. */
function isPage(address: string): boolean {
  const url = URL.parse(address)
  return (
    url?.protocol === 'https:' ||
    (url?.protocol === 'http:' && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname))
  )
}
