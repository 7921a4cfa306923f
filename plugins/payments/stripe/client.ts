// Stripe client: Stripe's own library, loaded on first use, with a fixed API version.
import type Stripe from 'stripe'
import type { Network } from '../method-parts.ts'
import type { StripeSettings } from './settings.ts'

/** Overrides the default version of the Stripe account, so that objects have the expected fields. */
export const API_VERSION = '2026-10-28.endive'

/** Retries use the same idempotency key. All attempts fit into the time limit of a refresh. */
const MAX_RETRIES = 2
const TIMEOUT_MS = 8_000

/** Loads the library on the first call, so that a start without Stripe does not pay for it. */
export async function connect(
  { secret_key }: Pick<StripeSettings, 'secret_key'>,
  network: Network,
): Promise<Stripe> {
  const { default: Library } = await import('stripe')
  return new Library(secret_key, {
    apiVersion: API_VERSION,
    httpClient: Library.createFetchHttpClient(network as typeof fetch),
    maxNetworkRetries: MAX_RETRIES,
    timeout: TIMEOUT_MS,
    telemetry: false,
    appInfo: { name: 'Tollgate' },
  })
}

/** Returns a function that gives the client for the current settings; a changed key creates a new client. */
export function connection(settings: () => StripeSettings, network: Network): () => Promise<Stripe> {
  let cached: { secret_key: string; client: Promise<Stripe> } | undefined
  return async () => {
    const { secret_key } = settings()
    if (cached?.secret_key !== secret_key) cached = { secret_key, client: connect({ secret_key }, network) }
    return await cached.client
  }
}
