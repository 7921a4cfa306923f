// The connection to Stripe: its own library, loaded when it is first needed, with the version of the API that this code is written for.
import type Stripe from 'stripe'
import type { Network } from '../method-parts.ts'
import type { StripeSettings } from './settings.ts'

/** An account's own default does not hold: objects have the shapes of this version. */
export const API_VERSION = '2026-10-28.endive'

/** Twice more after a failure, under the same key; all of it within the time of a look. */
const MAX_RETRIES = 2
const TIMEOUT_MS = 8_000

/** The library is loaded with the first payment: a start without Stripe costs nothing. */
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

/** The connection of the settings in use: another one where the key has changed. */
export function connection(settings: () => StripeSettings, network: Network): () => Promise<Stripe> {
  let made: { secret_key: string; client: Promise<Stripe> } | undefined
  return async () => {
    const { secret_key } = settings()
    if (made?.secret_key !== secret_key) made = { secret_key, client: connect({ secret_key }, network) }
    return await made.client
  }
}
