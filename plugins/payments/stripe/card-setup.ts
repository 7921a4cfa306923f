// Saving of a card: Stripe's page to enter it, and the card's data that the gateway stores.
import type Stripe from 'stripe'
import { recordAction } from '../../../src/store/actions.ts'
import { messageOf } from '../../../src/utilities/thrown.ts'
import type { MethodParts } from '../method-parts.ts'
import { customerOfSetup, deleteCustomerRow, setCard } from './customers.ts'
import { isMissing } from './failures.ts'
import { STRIPE, stripeCustomer } from './provider.ts'
import type { StripeSettings } from './settings.ts'
import type { PaymentCustomer } from './tables.ts'
import { addressOf } from './tax.ts'

export interface CardParts extends Pick<MethodParts, 'db' | 'now' | 'log' | 'publicUrl'> {
  settings: () => StripeSettings
}

export interface CardHolder {
  account_id: number
  /** Name of the account. */
  account: string
}

const CONSENT =
  'You allow us to charge this card without you for automatic top-ups and plans that you set up, until you remove the card.'
/** Metadata field with the ID of the person who saves the card. */
const PERSON_FIELD = 'tollgate_person'

export async function openCardPage(
  parts: CardParts,
  stripe: Stripe,
  holder: CardHolder,
  person_id: number | undefined,
): Promise<{ known: PaymentCustomer; page: Stripe.Checkout.Session }> {
  const open = async (known: PaymentCustomer) => ({
    known,
    page: await stripe.checkout.sessions.create(cardPageParams(parts, known, person_id)),
  })
  const known = await stripeCustomer(parts, stripe, holder)
  try {
    return await open(known)
  } catch (thrown) {
    if (!isMissing(thrown, 'customer')) throw thrown
    await deleteCustomerRow(parts.db, known)
    return await open(await stripeCustomer(parts, stripe, holder, known))
  }
}

const cardPageParams = (
  { publicUrl, settings }: CardParts,
  { reference }: PaymentCustomer,
  person_id: number | undefined,
): Stripe.Checkout.SessionCreateParams => ({
  mode: 'setup',
  customer: reference,
  allowed_payment_method_types: ['card'],
  // The tax of later charges depends on the address.
  ...(settings().tax ? { billing_address_collection: 'required' } : {}),
  custom_text: { submit: { message: CONSENT } },
  metadata: person_id === undefined ? {} : { [PERSON_FIELD]: String(person_id) },
  success_url: `${publicUrl()}/console/payments?card=saved`,
  cancel_url: `${publicUrl()}/console/payments?card=cancelled`,
})

/** Stores the card that was saved on a page, once, and removes the previous one. @param session with expanded setup intent and payment method */
export async function saveCard(
  parts: CardParts,
  stripe: Stripe,
  owner: PaymentCustomer,
  session: Stripe.Checkout.Session,
): Promise<void> {
  const { setup_intent, metadata } = session
  if (typeof setup_intent !== 'object' || setup_intent?.status !== 'succeeded') return
  const { payment_method: method } = setup_intent
  if (typeof method !== 'object' || !method?.card || session.customer !== owner.reference) return
  const { brand, last4, exp_month, exp_year } = method.card
  const { address } = method.billing_details
  if (parts.settings().tax && address?.country)
    await stripe.customers.update(owner.reference, { address: addressOf(address) })
  const person_id = Number(metadata?.[PERSON_FIELD] ?? Number.NaN)
  const is_kept = await parts.db.begin(async (tx) => {
    await tx.lock(owner.account_id)
    // Another refresh or gateway may have stored the card meanwhile.
    if ((await customerOfSetup(tx, STRIPE, session.id))?.id !== owner.id) return false
    await setCard(tx, owner.id, {
      card_reference: method.id,
      card_brand: brand,
      card_last4: last4,
      card_expires: `${exp_year}-${String(exp_month).padStart(2, '0')}`,
      card_person_id: Number.isSafeInteger(person_id) ? person_id : null,
      card_saved_at_ms: parts.now(),
    })
    await recordAction(tx, { action: 'card.saved', account_id: owner.account_id, after: { brand, last4 } })
    return true
  })
  const { card_reference: before } = owner
  if (is_kept && before !== null && before !== method.id) await detachCard(parts, stripe, before)
}

/** Removes a card at Stripe. Only logs a failure, since the gateway has already deleted its own data of the card. */
export async function detachCard({ log }: CardParts, stripe: Stripe, card_reference: string): Promise<void> {
  try {
    await stripe.paymentMethods.detach(card_reference)
  } catch (thrown) {
    if (!isMissing(thrown))
      log.warn({ cause: messageOf(thrown) }, 'a removed card stays with its customer at Stripe')
  }
}
