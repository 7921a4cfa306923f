// Webhooks of Stripe: their signature, and the payment that an event is about.
import type Stripe from 'stripe'
import { ORDER_FIELD } from './payment.ts'
import { isTestKey, type StripeSettings } from './settings.ts'

/** Stripe's own: a request that somebody recorded is refused after it. */
const TOLERANCE_S = 300

export const HOOK_EVENTS = [
  'checkout.session.completed',
  'checkout.session.expired',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'payment_intent.succeeded',
  'payment_intent.payment_failed',
  'charge.refunded',
  'refund.updated',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
] as const

/** The subject of an event. */
type Hint =
  | { about: 'payment'; reference: string }
  /** A page on which a card was saved. */
  | { about: 'card'; session: string }

/** @throws Error where nobody signed it with the secret, or too long ago */
export async function checkedEvent(
  stripe: Stripe,
  request: Request,
  { webhook_secret }: Pick<StripeSettings, 'webhook_secret'>,
  now_ms: number,
): Promise<Stripe.Event> {
  const signature = request.headers.get('stripe-signature') ?? ''
  const body = new Uint8Array(await request.arrayBuffer())
  return await stripe.webhooks.constructEventAsync(
    body,
    signature,
    webhook_secret,
    TOLERANCE_S,
    undefined,
    now_ms,
  )
}

/** @returns undefined for what is not of this gateway: another program's payments, connected accounts, the other mode */
export async function hintOf(
  stripe: Stripe,
  event: Stripe.Event,
  { secret_key }: Pick<StripeSettings, 'secret_key'>,
): Promise<Hint | undefined> {
  if (event.account !== undefined || event.livemode === isTestKey(secret_key)) return undefined
  const { object } = event.data as { object: EventObject }
  if (object.object === 'checkout.session')
    return object.mode === 'setup'
      ? { about: 'card', session: object.id }
      : isMarked(object)
        ? { about: 'payment', reference: object.id }
        : undefined
  if (object.object === 'payment_intent')
    return isMarked(object) ? await referenceOf(stripe, object.id) : undefined
  const intent = idOf(object.payment_intent)
  return OF_PAYMENTS.has(object.object) && intent !== undefined
    ? await referenceOf(stripe, intent)
    : undefined
}

/** The fields of an event's object that say what it is about. */
interface EventObject {
  object: string
  id: string
  mode?: string
  metadata?: Stripe.Metadata | null
  payment_intent?: string | { id: string } | null
}

const OF_PAYMENTS: ReadonlySet<string> = new Set(['charge', 'refund', 'dispute'])

const isMarked = ({ metadata }: Pick<EventObject, 'metadata'>): boolean =>
  metadata?.[ORDER_FIELD] !== undefined

const idOf = (object: string | { id: string } | null | undefined): string | undefined =>
  typeof object === 'string' ? object : object?.id

/** The reference of a payment's order: the page where it was paid, or the payment itself by a saved card. */
async function referenceOf(stripe: Stripe, intent: string): Promise<Hint | undefined> {
  const { data } = await stripe.checkout.sessions.list({ payment_intent: intent, limit: 1 })
  const [session] = data
  if (session) return isMarked(session) ? { about: 'payment', reference: session.id } : undefined
  const found = await stripe.paymentIntents.retrieve(intent)
  return isMarked(found) ? { about: 'payment', reference: found.id } : undefined
}
