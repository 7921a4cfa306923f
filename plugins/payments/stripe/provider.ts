// Stripe as a payment method: payment pages, payment states, refunds, and charges of saved cards.
import { createHash } from 'node:crypto'
import type Stripe from 'stripe'
import { GatewayError } from '../../../src/domain/errors.ts'
import type { Nanos } from '../../../src/domain/money.ts'
import type {
  Payment,
  PaymentOrder,
  PaymentProvider,
  PaymentRefund,
  StartedPayment,
} from '../../../src/payment-api.ts'
import type { Db } from '../../../src/store/db.ts'
import { messageOf } from '../../../src/utilities/thrown.ts'
import type { Network } from '../method-parts.ts'
import { methodUnavailable } from '../parts.ts'
import { isErased } from '../store.ts'
import { toStripe } from './amounts.ts'
import { belongsToOrder, type Customer, chargeParams, idempotencyKeyOf, pageParams } from './checkout.ts'
import { connection } from './client.ts'
import {
  customerOf,
  deleteCustomerRow,
  emailOf,
  insertRequested,
  isUnknown,
  renewRequested,
  saveCustomer,
} from './customers.ts'
import { declineMessage, isMissing, refusalOf, toPayerError } from './failures.ts'
import { customerMetadata, findCustomer } from './find-customer.ts'
import { hintOf, verifyEvent } from './hook.ts'
import { stripeLimits } from './limits.ts'
import {
  ORDER_FIELD,
  paymentOfIntent,
  paymentOfSession,
  REFUND_FIELD,
  type Reversals,
  refundOf,
} from './payment.ts'
import { isTestKey, type StripeSettings } from './settings.ts'
import type { PaymentCustomer } from './tables.ts'
import { computeTax } from './tax.ts'

export const STRIPE = 'stripe'

interface StripeParts {
  db: Db
  network: Network
  now: () => number
  publicUrl: () => string
  settings: () => StripeSettings
  /** Called for each webhook about a page to save a card, whether it was completed or has expired. */
  cardSaved?: (session: string) => Promise<void>
}

/** Shorter than the default of a day, to limit the time for which an order fixes the rate. */
const EXPIRES_MS = 4 * 3_600_000
/** Allowance for clock skew. */
const SKEW_MS = 3_600_000

/** @param rates of the currencies that cards may be charged in */
export function stripeProvider(parts: StripeParts, rates: ReadonlyMap<string, Nanos>): PaymentProvider {
  const { settings, network, now } = parts
  const connect = connection(settings, network)
  const title = 'Card'
  return {
    name: STRIPE,
    title,
    currencies: [...rates.keys()],
    limits: Object.fromEntries(
      [...rates].map(([currency, rate]) => [currency, stripeLimits(currency, rate)]),
    ),
    is_test: isTestKey(settings().secret_key),
    expires_ms: EXPIRES_MS,
    start: async (order) => await startPage(parts, await connect(), order),
    look: async (reference) => await fetchPayment(await connect(), reference),
    async hook(request) {
      const stripe = await connect()
      const event = await verifyEvent(stripe, request, settings(), now())
      try {
        const hint = await hintOf(stripe, event, settings())
        if (hint?.about === 'card') await parts.cardSaved?.(hint.session)
        return hint?.about === 'payment' ? { reference: hint.reference } : undefined
      } catch (cause) {
        throw methodUnavailable({ title }, cause)
      }
    },
    refund: async (order, amount_minor, key) => await refund(await connect(), order, amount_minor, key),
    chargeSaved: async (order, may_begin) => await chargeSaved(parts, await connect(), order, may_begin),
  }
}

async function startPage(parts: StripeParts, stripe: Stripe, order: PaymentOrder): Promise<StartedPayment> {
  if (order.reference !== null)
    return toStartedPayment(await stripe.checkout.sessions.retrieve(order.reference))
  const customer = await stripeCustomer(parts, stripe, order)
  try {
    return toStartedPayment(await createPage(parts, stripe, order, customer))
  } catch (thrown) {
    if (!isMissing(thrown, 'customer')) throw toPayerError(thrown)
    // The customer was deleted at Stripe, or belongs to a Stripe account that was set up before.
    await deleteCustomerRow(parts.db, customer)
    const other = await stripeCustomer(parts, stripe, order, customer)
    return toStartedPayment(await createPage(parts, stripe, order, other))
  }
}

const createPage = async (
  { settings, now }: StripeParts,
  stripe: Stripe,
  order: PaymentOrder,
  customer: PaymentCustomer,
): Promise<Stripe.Checkout.Session> =>
  await stripe.checkout.sessions.create(pageParams(order, settings(), customer, now()), {
    idempotencyKey: `${idempotencyKeyOf('page', order)}-${customer.reference}`,
  })

const toStartedPayment = ({ id, url }: Stripe.Checkout.Session): StartedPayment => ({
  reference: id,
  ...(url === null ? {} : { go_to: url }),
})

/**
 * Returns the Stripe customer of an account, and creates it at the first payment. Cards are saved with it, and Stripe mails it receipts.
 *
 * @param lost the previous customer, which Stripe no longer has
 */
export async function stripeCustomer(
  { db, now, publicUrl, settings }: Pick<StripeParts, 'db' | 'now' | 'publicUrl' | 'settings'>,
  stripe: Stripe,
  { account_id, account: name }: Pick<PaymentOrder, 'account_id' | 'account'>,
  lost?: Pick<PaymentCustomer, 'reference'>,
): Promise<PaymentCustomer> {
  const is_live = isTestKey(settings().secret_key) ? 0 : 1
  const key = { account_id, provider: STRIPE, is_live }
  const known = await customerOf(db, key)
  if (known) return known
  const { row, existed } = await insertRequested(db, key, now())
  // Another payment may have created the customer meanwhile.
  if (!isUnknown(row)) return row
  if (existed) {
    // A kill may have lost the customer's ID.
    const made = await findCustomer(stripe, row, publicUrl())
    if (made) return await saveCustomer(db, key, { reference: made, created_at_ms: now() })
    await renewRequested(db, key, now())
  }
  const email = await emailOf(db, account_id)
  const customer: Stripe.CustomerCreateParams = {
    name,
    ...(email === '' ? {} : { email }),
    metadata: customerMetadata(account_id, publicUrl()),
  }
  // The idempotency key makes two simultaneous payments create one customer.
  const digest = createHash('sha256')
    .update(JSON.stringify([customer, lost?.reference ?? '']))
    .digest('base64url')
  const { id: reference } = await stripe.customers.create(customer, {
    idempotencyKey: `tollgate-customer-${digest}`,
  })
  try {
    return await saveCustomer(db, key, { reference, created_at_ms: now() })
  } catch (thrown) {
    // The account was erased meanwhile: delete the new customer at Stripe, too.
    if (await isErased(db, account_id)) {
      await stripe.customers.del(reference)
      await deleteCustomerRow(db, row)
    }
    throw thrown
  }
}

const EXPANDED_CHARGE = 'latest_charge.balance_transaction'

/** Fetches a payment. @param reference ID of a session, or of the payment intent of a saved card */
async function fetchPayment(stripe: Stripe, reference: string): Promise<Payment> {
  if (reference.startsWith('pi_')) {
    const intent = await stripe.paymentIntents.retrieve(reference, { expand: [EXPANDED_CHARGE] })
    return paymentOfIntent(intent, await fetchReversals(stripe, intent))
  }
  const session = await stripe.checkout.sessions.retrieve(reference, {
    expand: [`payment_intent.${EXPANDED_CHARGE}`],
  })
  const { payment_intent } = session
  const reversals =
    payment_intent === null || typeof payment_intent === 'string'
      ? NO_REVERSALS
      : await fetchReversals(stripe, payment_intent)
  return paymentOfSession(session, reversals)
}

const NO_REVERSALS: Reversals = { refunds: [], disputes: [] }
const PAGE = 100

async function fetchReversals(stripe: Stripe, { id, status }: Stripe.PaymentIntent): Promise<Reversals> {
  if (status !== 'succeeded') return NO_REVERSALS
  const [refunds, disputes] = await Promise.all([
    stripe.refunds.list({ payment_intent: id, limit: PAGE }),
    stripe.disputes.list({ payment_intent: id, limit: PAGE }),
  ])
  return { refunds: refunds.data, disputes: disputes.data }
}

async function refund(
  stripe: Stripe,
  order: PaymentOrder,
  amount_minor: number,
  key: string,
): Promise<PaymentRefund> {
  const { id, payment_reference, currency } = order
  if (payment_reference === null) throw new Error(`order ${id} has no payment at Stripe`)
  // Stripe forgets idempotency keys after a day, but keeps refunds.
  const { data: before } = await stripe.refunds.list({ payment_intent: payment_reference, limit: PAGE })
  const same = before.find(({ metadata }) => metadata?.[REFUND_FIELD] === key)
  if (same) return refundOf(same)
  try {
    const made = await stripe.refunds.create(
      {
        payment_intent: payment_reference,
        amount: toStripe(amount_minor, currency),
        metadata: { [ORDER_FIELD]: String(id), [REFUND_FIELD]: key },
      },
      { idempotencyKey: `${idempotencyKeyOf('refund', order)}-${key}` },
    )
    return refundOf(made)
  } catch (thrown) {
    const refusal = refusalOf(thrown)
    // An amount that Stripe cannot represent is refused, too, instead of being requested again.
    const is_wrong_amount = thrown instanceof GatewayError && thrown.kind === 'invalid_request'
    if (!refusal && !is_wrong_amount) throw thrown
    return { reference: '', key, amount_minor, state: 'failed', message: messageOf(thrown) }
  }
}

/** Returns the result of an earlier charge for an order. */
async function findEarlierCharge(
  stripe: Stripe,
  order: PaymentOrder,
  { reference: customer }: Customer,
): Promise<StartedPayment | { refused: string } | undefined> {
  const made_s = Math.floor((order.expires_at_ms - EXPIRES_MS - SKEW_MS) / 1_000)
  const { data } = await stripe.paymentIntents.list({ customer, created: { gte: made_s }, limit: PAGE })
  const same = data.find(({ metadata }) => belongsToOrder(order, metadata))
  if (!same) return undefined
  const { id, status, last_payment_error } = same
  if (status !== 'requires_payment_method' && status !== 'canceled') return { reference: id }
  const { code, decline_code, message = 'the bank gave no reason' } = last_payment_error ?? {}
  return {
    refused: declineMessage({
      message,
      ...(code === undefined ? {} : { code }),
      ...(decline_code === undefined ? {} : { decline_code }),
    }),
  }
}

const NO_CARD = { refused: 'No card is saved. Save one.' }

async function chargeSaved(
  { db, settings }: StripeParts,
  stripe: Stripe,
  order: PaymentOrder,
  may_begin: boolean,
): Promise<StartedPayment | { refused: string }> {
  if (order.reference !== null) return { reference: order.reference }
  const is_live = isTestKey(settings().secret_key) ? 0 : 1
  const customer = await customerOf(db, { account_id: order.account_id, provider: STRIPE, is_live })
  if (!customer) return NO_CARD
  const { card_reference } = customer
  try {
    // The answer of an earlier charge may have been lost, and Stripe forgets idempotency keys after a day.
    const earlier = await findEarlierCharge(stripe, order, customer)
    if (earlier) return earlier
    if (card_reference === null) return NO_CARD
    if (!may_begin) return { refused: 'The payment could not be made in time.' }
    const tax = settings().tax ? await computeTax(stripe, order, customer) : undefined
    if (tax && 'refused' in tax) return tax
    const charge = chargeParams(order, { ...customer, card_reference }, tax)
    const { id } = await stripe.paymentIntents.create(charge, {
      // The key does not contain the card: two gateways that charge at once may know different cards.
      idempotencyKey: idempotencyKeyOf('charge', order),
    })
    return { reference: id }
  } catch (thrown) {
    if (isMissing(thrown, 'customer')) {
      // The customer was deleted at Stripe with its card, or belongs to a Stripe account that was set up before.
      await deleteCustomerRow(db, customer)
      return NO_CARD
    }
    const refusal = refusalOf(thrown)
    if (!refusal) throw thrown
    return { refused: declineMessage(refusal) }
  }
}
