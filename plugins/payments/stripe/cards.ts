// Saved cards: opening and completing Stripe's page to save a card, and removing a card.
import type Stripe from 'stripe'
import type { ActionContext } from '../../../src/domain/actions.ts'
import { unprocessable, upstreamFailed } from '../../../src/domain/errors.ts'
import { recordAction } from '../../../src/store/actions.ts'
import { clearPlanCard } from '../../plans/index.ts'
import { turnOff } from '../automatic/deciding.ts'
import type { MethodParts } from '../method-parts.ts'
import { type CardHolder, type CardParts, detachCard, openCardPage, saveCard } from './card-setup.ts'
import { connection } from './client.ts'
import { customerOf, customerOfSetup, NO_CARD, setCard, setCardSetup } from './customers.ts'
import { STRIPE } from './provider.ts'
import { isTestKey, type StripeSettings } from './settings.ts'
import type { PaymentCustomer } from './tables.ts'

/** Details of a card for display. They do not allow a charge. */
interface CardFacts {
  brand: string
  last4: string
  /** Last month of validity, such as `2027-08`. */
  expires: string
  saved_at_ms: number
}

export interface SavedCards {
  /** Whether a card can be saved now. */
  isOffered(): boolean
  /** Whether Stripe is in test mode. */
  isTest(): boolean
  /** Returns the card of an account. Asks Stripe for the result of an open page, if `may_ask`. @throws GatewayError upstream_failed */
  of(account_id: number, may_ask?: boolean): Promise<CardFacts | undefined>
  /** Whether a page to save a card was opened and its result is not known yet. */
  isAwaited(account_id: number): Promise<boolean>
  /** Opens a page to save a card. @returns its address @throws GatewayError unprocessable if cards are not set up; upstream_failed */
  begin(holder: CardHolder, person_id: number | undefined): Promise<string>
  /** Stores the card that was saved on a page, once. Ignores pages that this gateway's database does not know. */
  finish(session: string): Promise<void>
  /** @returns false if no card was saved */
  remove(account_id: number, by: ActionContext): Promise<boolean>
}

interface StripeCards extends CardParts {
  connect: () => Promise<Stripe>
}

export function openCards(parts: MethodParts): SavedCards {
  const { db, now, log, publicUrl, network } = parts
  /** @throws GatewayError unprocessable */
  const settings = (): StripeSettings => {
    const { stripe } = parts.settings()
    if (stripe) return stripe
    throw unprocessable('Card payments are not set up. Set up [payments.stripe] first.', {
      code: 'no_payment_method',
    })
  }
  const own: StripeCards = { db, now, log, publicUrl, settings, connect: connection(settings, network) }
  const cards: SavedCards = {
    isOffered: () => parts.settings().stripe !== undefined,
    isTest: () => isTestKey(parts.settings().stripe?.secret_key ?? ''),
    async of(account_id, may_ask = true) {
      const before = cards.isOffered() ? await customerOfAccount(own, account_id) : undefined
      if (before?.card_setup && may_ask) await awaitStripe(cards.finish(before.card_setup))
      const owner = before?.card_setup ? await customerOfAccount(own, account_id) : before
      return owner && factsOf(owner)
    },
    async isAwaited(account_id) {
      const owner = cards.isOffered() ? await customerOfAccount(own, account_id) : undefined
      return (owner?.card_setup ?? null) !== null
    },
    async begin(holder, person_id) {
      settings()
      return await awaitStripe(openPage(own, holder, person_id))
    },
    finish: (session) => completePage(own, session),
    remove: (account_id, by) => removeCard(own, account_id, by),
  }
  return cards
}

/** Returns the Stripe customer of an account, in the mode of the current key. @throws GatewayError unprocessable if cards are not set up */
async function customerOfAccount(
  { db, settings }: StripeCards,
  account_id: number,
): Promise<PaymentCustomer | undefined> {
  const is_live = isTestKey(settings().secret_key) ? 0 : 1
  return await customerOf(db, { account_id, provider: STRIPE, is_live })
}

async function openPage(
  cards: StripeCards,
  holder: CardHolder,
  person_id: number | undefined,
): Promise<string> {
  const { known, page } = await openCardPage(cards, await cards.connect(), holder, person_id)
  await setCardSetup(cards.db, known.id, page.id)
  return page.url ?? ''
}

async function completePage(cards: StripeCards, session: string): Promise<void> {
  const { db, connect } = cards
  const owner = await customerOfSetup(db, STRIPE, session)
  if (!owner) return
  const stripe = await connect()
  const found = await stripe.checkout.sessions.retrieve(session, {
    expand: ['setup_intent.payment_method'],
  })
  if (found.status === 'complete') await saveCard(cards, stripe, owner, found)
  else if (found.status === 'expired') await setCardSetup(db, owner.id, null)
}

async function removeCard(cards: StripeCards, account_id: number, by: ActionContext): Promise<boolean> {
  const { db, now, connect } = cards
  const owner = await customerOfAccount(cards, account_id)
  const card_reference = owner?.card_reference
  if (!owner || !card_reference) return false
  await db.begin(
    async (tx) => {
      await tx.lock(account_id)
      await setCard(tx, owner.id, NO_CARD)
      await turnOff(tx, account_id, { reason: 'card', now_ms: now(), method: STRIPE })
      await clearPlanCard(tx, account_id, STRIPE)
      await recordAction(tx, { action: 'card.removed', account_id, before: auditOf(owner) })
    },
    { by },
  )
  await detachCard(cards, await connect(), card_reference)
  return true
}

const auditOf = ({ card_brand: brand, card_last4: last4 }: PaymentCustomer) => ({ brand, last4 })

const factsOf = ({
  card_brand,
  card_last4,
  card_expires,
  card_saved_at_ms,
}: PaymentCustomer): CardFacts | undefined =>
  card_brand === null || card_last4 === null || card_expires === null || card_saved_at_ms === null
    ? undefined
    : { brand: card_brand, last4: card_last4, expires: card_expires, saved_at_ms: card_saved_at_ms }

async function awaitStripe<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (cause) {
    throw upstreamFailed('Card: the payment method does not answer now. Try again in a minute.', {
      code: 'payment_method_failed',
      cause,
    })
  }
}
