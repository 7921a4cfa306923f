// Saved cards: the page of Stripe on which a person saves one, what became of it, and its removal.
import type Stripe from 'stripe'
import type { ActionContext } from '../../../src/domain/actions.ts'
import { unprocessable, upstreamFailed } from '../../../src/domain/errors.ts'
import { recordAction } from '../../../src/store/actions.ts'
import { dropCard } from '../../plans/index.ts'
import { turnOff } from '../automatic/deciding.ts'
import type { MethodParts } from '../method-parts.ts'
import { type CardHolder, type CardParts, detach, keepCard, openCardPage } from './card-setup.ts'
import { connection } from './client.ts'
import { customerOf, customerOfSetup, NO_CARD, setCard, setCardSetup } from './customers.ts'
import { STRIPE } from './provider.ts'
import { isTestKey, type StripeSettings } from './settings.ts'
import type { PaymentCustomer } from './tables.ts'

/** The details of a card for people; nothing can be charged by them. */
interface CardFacts {
  brand: string
  last4: string
  /** Its last month, as `2027-08`. */
  expires: string
  saved_at_ms: number
}

export interface SavedCards {
  /** True where a card can be saved now. */
  isOffered(): boolean
  /** No money moves. */
  isTest(): boolean
  /** The card of an account; one whose page was left a moment ago is asked about, if it may be. @throws GatewayError upstream_failed */
  of(account_id: number, may_ask?: boolean): Promise<CardFacts | undefined>
  /** True while a page to save a card is open, or its end is not known yet. */
  isAwaited(account_id: number): Promise<boolean>
  /** Begins to save one. @returns where the person does it @throws GatewayError unprocessable where cards are not set up; upstream_failed */
  begin(holder: CardHolder, person_id: number | undefined): Promise<string>
  /** Keeps what was saved on a page, once. Of another gateway's page it knows nothing. */
  finish(session: string): Promise<void>
  /** @returns false where none was saved */
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
      const before = cards.isOffered() ? await holderOf(own, account_id) : undefined
      if (before?.card_setup && may_ask) await answered(cards.finish(before.card_setup))
      const owner = before?.card_setup ? await holderOf(own, account_id) : before
      return owner && factsOf(owner)
    },
    async isAwaited(account_id) {
      const owner = cards.isOffered() ? await holderOf(own, account_id) : undefined
      return (owner?.card_setup ?? null) !== null
    },
    async begin(holder, person_id) {
      settings()
      return await answered(beginPage(own, holder, person_id))
    },
    finish: (session) => finishPage(own, session),
    remove: (account_id, by) => removeCard(own, account_id, by),
  }
  return cards
}

/** The account as a customer of Stripe, in the mode of the key in use. @throws GatewayError unprocessable where cards are not set up */
async function holderOf(
  { db, settings }: StripeCards,
  account_id: number,
): Promise<PaymentCustomer | undefined> {
  const is_live = isTestKey(settings().secret_key) ? 0 : 1
  return await customerOf(db, { account_id, provider: STRIPE, is_live })
}

async function beginPage(
  cards: StripeCards,
  holder: CardHolder,
  person_id: number | undefined,
): Promise<string> {
  const { known, page } = await openCardPage(cards, await cards.connect(), holder, person_id)
  await setCardSetup(cards.db, known.id, page.id)
  return page.url ?? ''
}

async function finishPage(cards: StripeCards, session: string): Promise<void> {
  const { db, connect } = cards
  const owner = await customerOfSetup(db, STRIPE, session)
  if (!owner) return
  const stripe = await connect()
  const found = await stripe.checkout.sessions.retrieve(session, {
    expand: ['setup_intent.payment_method'],
  })
  if (found.status === 'complete') await keepCard(cards, stripe, owner, found)
  else if (found.status === 'expired') await setCardSetup(db, owner.id, null)
}

async function removeCard(cards: StripeCards, account_id: number, by: ActionContext): Promise<boolean> {
  const { db, now, connect } = cards
  const owner = await holderOf(cards, account_id)
  const card_reference = owner?.card_reference
  if (!owner || !card_reference) return false
  await db.begin(
    async (tx) => {
      await tx.lock(account_id)
      await setCard(tx, owner.id, NO_CARD)
      await turnOff(tx, account_id, { reason: 'card', now_ms: now(), method: STRIPE })
      await dropCard(tx, account_id, STRIPE)
      await recordAction(tx, { action: 'card.removed', account_id, before: namesOf(owner) })
    },
    { by },
  )
  await detach(cards, await connect(), card_reference)
  return true
}

const namesOf = ({ card_brand: brand, card_last4: last4 }: PaymentCustomer) => ({ brand, last4 })

const factsOf = ({
  card_brand,
  card_last4,
  card_expires,
  card_saved_at_ms,
}: PaymentCustomer): CardFacts | undefined =>
  card_brand === null || card_last4 === null || card_expires === null || card_saved_at_ms === null
    ? undefined
    : { brand: card_brand, last4: card_last4, expires: card_expires, saved_at_ms: card_saved_at_ms }

async function answered<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (cause) {
    throw upstreamFailed('Card: the payment method does not answer now. Try again in a minute.', {
      code: 'payment_method_failed',
      cause,
    })
  }
}
