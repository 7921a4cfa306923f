// Stripe as a payment method of the current settings.
import type { PaymentProvider } from '../../../src/payment-api.ts'
import type { MethodParts } from '../method-parts.ts'
import type { SavedCards } from './cards.ts'
import { stripeProvider } from './provider.ts'
import type { StripeSettings } from './settings.ts'

/** Returns a function that gives the method, or undefined if it is off. @throws Error if its secrets are missing: the gateway does not start */
export function openStripe(
  parts: MethodParts & { cards?: Pick<SavedCards, 'finish'> },
): () => PaymentProvider | undefined {
  const { settings } = parts
  const { stripe_unavailable } = settings()
  if (stripe_unavailable !== undefined) throw new Error(stripe_unavailable)
  let cached: { stripe: StripeSettings; rates: unknown; provider: PaymentProvider } | undefined
  return () => {
    const { stripe, rates } = settings()
    if (!stripe) return undefined
    if (cached?.stripe !== stripe || cached.rates !== rates) {
      const accepted = [...rates].filter(([currency]) => stripe.currencies?.includes(currency) ?? true)
      cached = {
        stripe,
        rates,
        provider: stripeProvider(
          { ...parts, settings: () => stripe, ...(parts.cards ? { cardSaved: parts.cards.finish } : {}) },
          new Map(accepted),
        ),
      }
    }
    return cached.provider
  }
}
