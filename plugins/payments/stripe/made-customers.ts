// Customers that were made at Stripe and whose number was lost, by a kill before it was kept: found by what they were made for, and when.
import type Stripe from 'stripe'
import { HOUR_MS } from '../../../src/domain/ranges.ts'
import type { PaymentCustomer } from './tables.ts'

/** The marks of a customer: its account, and the gateway's address, since others may share the account of Stripe. */
export const metadataOf = (account_id: number, url: string) => ({
  tollgate_account: String(account_id),
  tollgate_url: url,
})

/** The most that the clocks here and there differ by, and a request takes. */
const AROUND_MS = HOUR_MS
const PAGE = 100

/**
 * The number of the customer that Stripe made for an intention; undefined where it made none. Stripe's list is exact; its search lags behind by minutes.
 *
 * @throws what Stripe's library throws
 */
export async function madeFor(
  stripe: Stripe,
  { account_id, created_at_ms }: Pick<PaymentCustomer, 'account_id' | 'created_at_ms'>,
  url: string,
): Promise<string | undefined> {
  const created = {
    gte: Math.floor((created_at_ms - AROUND_MS) / 1_000),
    lte: Math.ceil((created_at_ms + AROUND_MS) / 1_000),
  }
  const wanted = metadataOf(account_id, url)
  for await (const { id, metadata } of stripe.customers.list({ created, limit: PAGE }))
    if (
      metadata.tollgate_account === wanted.tollgate_account &&
      metadata.tollgate_url === wanted.tollgate_url
    )
      return id
  return undefined
}
