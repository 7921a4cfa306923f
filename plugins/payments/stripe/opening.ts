// Card payments by Stripe in a running gateway: set up or not, by the settings in use.
import type { PaymentProvider } from '../../../src/payment-api.ts'
import type { MethodParts } from '../method-parts.ts'
import type { SavedCards } from './cards.ts'
import { stripeProvider } from './provider.ts'
import type { StripeSettings } from './settings.ts'

/** @throws Error where it is set up without its secrets: the start is refused with it */
export function openStripe(
  parts: MethodParts & { cards?: Pick<SavedCards, 'finish'> },
): () => PaymentProvider | undefined {
  const { settings } = parts
  const { stripe_unavailable } = settings()
  if (stripe_unavailable !== undefined) throw new Error(stripe_unavailable)
  let made: { stripe: StripeSettings; rates: unknown; provider: PaymentProvider } | undefined
  return () => {
    const { stripe, rates } = settings()
    if (!stripe) return undefined
    if (made?.stripe !== stripe || made.rates !== rates) {
      const taken = [...rates].filter(([currency]) => stripe.currencies?.includes(currency) ?? true)
      made = {
        stripe,
        rates,
        provider: stripeProvider(
          { ...parts, settings: () => stripe, ...(parts.cards ? { cardSaved: parts.cards.finish } : {}) },
          new Map(taken),
        ),
      }
    }
    return made.provider
  }
}
