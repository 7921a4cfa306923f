// Card payments by Stripe as a payment method: pages to pay on, what has become of a payment, refunds, and charges of saved cards.
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
import { notAnswering } from '../parts.ts'
import { isErased } from '../store.ts'
import { toStripe } from './amounts.ts'
import { type Customer, chargeOf, isMarkOf, keyOf, pageOf } from './checkout.ts'
import { connection } from './client.ts'
import {
  customerOf,
  emailOf,
  forgetCustomer,
  isUnknown,
  keepCustomer,
  keepIntention,
  renewIntention,
} from './customers.ts'
import { asPayersMistake, declineOf, isMissing, refusalOf } from './failures.ts'
import { checkedEvent, hintOf } from './hook.ts'
import { stripeLimits } from './limits.ts'
import { madeFor, metadataOf } from './made-customers.ts'
import {
  type Aftermath,
  ORDER_FIELD,
  paymentOfIntent,
  paymentOfSession,
  REFUND_FIELD,
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
  /** Somebody has been on a page to save a card. */
  cardSaved?: (session: string) => Promise<void>
}

/** Such that a rate that is fixed does not stand for a day. */
const EXPIRES_MS = 4 * 3_600_000
/** More than clocks differ by. */
const SKEW_MS = 3_600_000

/** @param rates of the currencies of the settings, or of all that accounts may pay in */
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
    look: async (reference) => await lookAt(await connect(), reference),
    async hook(request) {
      const stripe = await connect()
      const event = await checkedEvent(stripe, request, settings(), now())
      try {
        const hint = await hintOf(stripe, event, settings())
        if (hint?.about === 'card') await parts.cardSaved?.(hint.session)
        return hint?.about === 'payment' ? { reference: hint.reference } : undefined
      } catch (cause) {
        throw notAnswering({ title }, cause)
      }
    },
    refund: async (order, amount_minor, key) => await refund(await connect(), order, amount_minor, key),
    chargeSaved: async (order, may_begin) => await chargeSaved(parts, await connect(), order, may_begin),
  }
}

async function startPage(parts: StripeParts, stripe: Stripe, order: PaymentOrder): Promise<StartedPayment> {
  if (order.reference !== null) return pageIn(await stripe.checkout.sessions.retrieve(order.reference))
  const customer = await stripeCustomer(parts, stripe, order)
  try {
    return pageIn(await createPage(parts, stripe, order, customer))
  } catch (thrown) {
    if (!isMissing(thrown, 'customer')) throw asPayersMistake(thrown)
    // It was deleted at Stripe, or is of the account that was set up before.
    await forgetCustomer(parts.db, customer)
    const other = await stripeCustomer(parts, stripe, order, customer)
    return pageIn(await createPage(parts, stripe, order, other))
  }
}

const createPage = async (
  { settings, now }: StripeParts,
  stripe: Stripe,
  order: PaymentOrder,
  customer: PaymentCustomer,
): Promise<Stripe.Checkout.Session> =>
  await stripe.checkout.sessions.create(pageOf(order, settings(), customer, now()), {
    idempotencyKey: `${keyOf('page', order)}-${customer.reference}`,
  })

const pageIn = ({ id, url }: Stripe.Checkout.Session): StartedPayment => ({
  reference: id,
  ...(url === null ? {} : { go_to: url }),
})

/**
 * The customer of an account, made at its first payment: cards are saved with it, and Stripe sends it receipts.
 *
 * @param lost the one before, which Stripe does not have any more
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
  const { row, was_there } = await keepIntention(db, key, now())
  // Another payment may have been first.
  if (!isUnknown(row)) return row
  if (was_there) {
    // A kill may have lost its number.
    const made = await madeFor(stripe, row, publicUrl())
    if (made) return await keepCustomer(db, key, { reference: made, created_at_ms: now() })
    await renewIntention(db, key, now())
  }
  const email = await emailOf(db, account_id)
  const customer: Stripe.CustomerCreateParams = {
    name,
    ...(email === '' ? {} : { email }),
    metadata: metadataOf(account_id, publicUrl()),
  }
  // Two payments that begin at once make one.
  const same = createHash('sha256')
    .update(JSON.stringify([customer, lost?.reference ?? '']))
    .digest('base64url')
  const { id: reference } = await stripe.customers.create(customer, {
    idempotencyKey: `tollgate-customer-${same}`,
  })
  try {
    return await keepCustomer(db, key, { reference, created_at_ms: now() })
  } catch (thrown) {
    // Nothing is kept of an account that was erased meanwhile: nothing there, either.
    if (await isErased(db, account_id)) {
      await stripe.customers.del(reference)
      await forgetCustomer(db, row)
    }
    throw thrown
  }
}

const OF_CHARGE = 'latest_charge.balance_transaction'

/** @param reference of a page, or of a charge of a saved card */
async function lookAt(stripe: Stripe, reference: string): Promise<Payment> {
  if (reference.startsWith('pi_')) {
    const intent = await stripe.paymentIntents.retrieve(reference, { expand: [OF_CHARGE] })
    return paymentOfIntent(intent, await aftermathOf(stripe, intent))
  }
  const session = await stripe.checkout.sessions.retrieve(reference, {
    expand: [`payment_intent.${OF_CHARGE}`],
  })
  const { payment_intent } = session
  const after =
    payment_intent === null || typeof payment_intent === 'string'
      ? NOTHING_AFTER
      : await aftermathOf(stripe, payment_intent)
  return paymentOfSession(session, after)
}

const NOTHING_AFTER: Aftermath = { refunds: [], disputes: [] }
const PAGE = 100

async function aftermathOf(stripe: Stripe, { id, status }: Stripe.PaymentIntent): Promise<Aftermath> {
  if (status !== 'succeeded') return NOTHING_AFTER
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
  // Stripe forgets keys after a day, and refunds never.
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
      { idempotencyKey: `${keyOf('refund', order)}-${key}` },
    )
    return refundOf(made)
  } catch (thrown) {
    const refusal = refusalOf(thrown)
    // A part of the currency that Stripe has no amount for is refused as well: it is not asked for again.
    const is_part = thrown instanceof GatewayError && thrown.kind === 'invalid_request'
    if (!refusal && !is_part) throw thrown
    return { reference: '', key, amount_minor, state: 'failed', message: messageOf(thrown) }
  }
}

/** The outcome of an earlier charge of an order. */
async function chargeBefore(
  stripe: Stripe,
  order: PaymentOrder,
  { reference: customer }: Customer,
): Promise<StartedPayment | { refused: string } | undefined> {
  const made_s = Math.floor((order.expires_at_ms - EXPIRES_MS - SKEW_MS) / 1_000)
  const { data } = await stripe.paymentIntents.list({ customer, created: { gte: made_s }, limit: PAGE })
  const same = data.find(({ metadata }) => isMarkOf(order, metadata))
  if (!same) return undefined
  const { id, status, last_payment_error } = same
  if (status !== 'requires_payment_method' && status !== 'canceled') return { reference: id }
  const { code, decline_code, message = 'the bank gave no reason' } = last_payment_error ?? {}
  return {
    refused: declineOf({
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
    // Its answer may have been lost, and Stripe forgets keys of idempotency after a day.
    const before = await chargeBefore(stripe, order, customer)
    if (before) return before
    if (card_reference === null) return NO_CARD
    if (!may_begin) return { refused: 'The payment could not be made in time.' }
    const tax = settings().tax ? await computeTax(stripe, order, customer) : undefined
    if (tax && 'refused' in tax) return tax
    const charge = chargeOf(order, { ...customer, card_reference }, tax)
    const { id } = await stripe.paymentIntents.create(charge, {
      // Not of the card: of two gateways that ask at once, one may know another card by then.
      idempotencyKey: keyOf('charge', order),
    })
    return { reference: id }
  } catch (thrown) {
    if (isMissing(thrown, 'customer')) {
      // It was deleted at Stripe, or is of the account that was set up before, and so is its card.
      await forgetCustomer(db, customer)
      return NO_CARD
    }
    const refusal = refusalOf(thrown)
    if (!refusal) throw thrown
    return { refused: declineOf(refusal) }
  }
}
