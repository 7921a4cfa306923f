// Webhooks of Stripe: verification of the signature, and the payment or card of an event.
import type Stripe from 'stripe'
import { ORDER_FIELD } from './payment.ts'
import { isTestKey, type StripeSettings } from './settings.ts'

/** Stripe's default; protects from replayed requests. */
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
  /** `session`: the page on which a card was saved. */
  | { about: 'card'; session: string }

/** Verifies and parses an event. @throws Error for a wrong or too old signature */
export async function verifyEvent(
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

/** @returns undefined for events of other programs, connected accounts or the other mode */
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

/** The fields of an event's object that identify its payment. */
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

/** Finds the reference of a payment: its page, or the payment intent itself for a saved card. */
async function referenceOf(stripe: Stripe, intent: string): Promise<Hint | undefined> {
  const { data } = await stripe.checkout.sessions.list({ payment_intent: intent, limit: 1 })
  const [session] = data
  if (session) return isMarked(session) ? { about: 'payment', reference: session.id } : undefined
  const found = await stripe.paymentIntents.retrieve(intent)
  return isMarked(found) ? { about: 'payment', reference: found.id } : undefined
}
