// A payment provider in memory: its payments, its reports of them, and its failures. It keeps keys of refunds, as real ones do.
import type {
  AmountLimits,
  Payment,
  PaymentOrder,
  PaymentProvider,
  PaymentRefund,
  StartedPayment,
} from '../../src/payment-api.ts'

/** A payment as the provider has it. */
interface StoredPayment extends Omit<Payment, 'refunds'> {
  refunds: PaymentRefund[]
}

export interface FakeProvider extends PaymentProvider {
  limits: Record<string, AmountLimits>
  readonly payments: Map<string, StoredPayment>
  /** The number of requests, by method. */
  readonly requests: { start: number; look: number; refund: number }
  /** Replaces answers until it is unset: what `look` and `refund` throw, or wait for. */
  trouble: (() => unknown) | undefined
  /** The outcome of the next refunds. */
  refunding: PaymentRefund['state']
  /** While true, refunds are made, but their answers are lost. */
  loses_answers: boolean
  /** While true, it forgets the keys of refunds, as real ones do after a day. */
  forgets_keys: boolean
  start(order: PaymentOrder): Promise<StartedPayment>
  refund(order: PaymentOrder, amount_minor: number, key: string): Promise<PaymentRefund>
  /** The payer pays. */
  pay(reference: string, other?: Partial<StoredPayment>): StoredPayment
  /** Refunds at the provider, without the gateway. */
  refundAtProvider(reference: string, amount_minor: number, state?: PaymentRefund['state']): PaymentRefund
  /** The part of a payment that was or may be refunded. */
  refundedMinor(reference: string): number
}

const ANY_AMOUNT: AmountLimits = { min_minor: 1, max_minor: Number.MAX_SAFE_INTEGER }

/** The signature that its webhooks need. */
export const SIGNATURE = 'signed by fake'

export function fakeProvider(name = 'fake'): FakeProvider {
  const payments = new Map<string, StoredPayment>()
  let count = 0
  const paymentOf = (reference: string): StoredPayment => {
    const payment = payments.get(reference)
    if (!payment) throw new Error(`${name} has no payment ${reference}`)
    return payment
  }
  const fake: FakeProvider = {
    name,
    title: name,
    currencies: ['USD', 'EUR', 'JPY'],
    limits: { USD: ANY_AMOUNT, EUR: ANY_AMOUNT, JPY: ANY_AMOUNT },
    payments,
    requests: { start: 0, look: 0, refund: 0 },
    trouble: undefined,
    refunding: 'done',
    loses_answers: false,
    forgets_keys: false,
    async start({ id, currency, amount_minor }) {
      fake.requests.start += 1
      await fake.trouble?.()
      const reference = `${name}-${id}`
      if (!payments.has(reference))
        payments.set(reference, { state: 'open', currency, amount_minor, order_id: id, refunds: [] })
      return { reference, go_to: `https://${name}.example/${reference}` }
    },
    async look(reference) {
      fake.requests.look += 1
      const answer = await fake.trouble?.()
      return answer === undefined ? structuredClone(paymentOf(reference)) : (answer as Payment)
    },
    async hook(request) {
      const text = await request.text()
      if (request.headers.get('signature') !== SIGNATURE) throw new Error('nobody signed it')
      return text === '' ? undefined : { reference: text }
    },
    async refund({ reference }, amount_minor, key) {
      fake.requests.refund += 1
      await fake.trouble?.()
      const payment = paymentOf(reference ?? '')
      const same = fake.forgets_keys ? undefined : payment.refunds.find((refund) => refund.key === key)
      if (same) return structuredClone(same)
      const state = fake.refunding
      const is_more = fake.refundedMinor(reference ?? '') + amount_minor > payment.amount_minor
      if (state === 'failed' || is_more)
        return { reference: '', key, amount_minor, state: 'failed', message: 'no such card' }
      const refund: PaymentRefund = {
        reference: `${name}-refund-${++count}`,
        key,
        amount_minor,
        state,
      }
      payment.refunds.push(refund)
      if (fake.loses_answers) throw new Error('the answer is lost')
      return structuredClone(refund)
    },
    pay: (reference, other = {}) => Object.assign(paymentOf(reference), { state: 'paid', ...other }),
    refundAtProvider(reference, amount_minor, state = 'done') {
      const refund: PaymentRefund = { reference: `${name}-refund-${++count}`, amount_minor, state }
      paymentOf(reference).refunds.push(refund)
      return refund
    },
    refundedMinor: (reference) =>
      paymentOf(reference)
        .refunds.filter(({ state }) => state !== 'failed')
        .reduce((sum, { amount_minor }) => sum + amount_minor, 0),
  }
  return fake
}
