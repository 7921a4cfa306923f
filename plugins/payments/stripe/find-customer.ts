// Search for customers at Stripe whose ID was lost by a kill: by their metadata and creation time.
import type Stripe from 'stripe'
import { HOUR_MS } from '../../../src/domain/ranges.ts'
import type { PaymentCustomer } from './tables.ts'

/** Metadata of a customer: its account, and the gateway's address, since gateways may share a Stripe account. */
export const customerMetadata = (account_id: number, url: string) => ({
  tollgate_account: String(account_id),
  tollgate_url: url,
})

/** Allows for clock skew and the duration of the request. */
const TIME_MARGIN_MS = HOUR_MS
const PAGE = 100

/**
 * Finds the ID of the customer that Stripe created for a row. Uses Stripe's list, since its search lags behind by minutes.
 *
 * @throws errors of Stripe's library
 */
export async function findCustomer(
  stripe: Stripe,
  { account_id, created_at_ms }: Pick<PaymentCustomer, 'account_id' | 'created_at_ms'>,
  url: string,
): Promise<string | undefined> {
  const created = {
    gte: Math.floor((created_at_ms - TIME_MARGIN_MS) / 1_000),
    lte: Math.ceil((created_at_ms + TIME_MARGIN_MS) / 1_000),
  }
  const wanted = customerMetadata(account_id, url)
  for await (const { id, metadata } of stripe.customers.list({ created, limit: PAGE }))
    if (
      metadata.tollgate_account === wanted.tollgate_account &&
      metadata.tollgate_url === wanted.tollgate_url
    )
      return id
  return undefined
}
