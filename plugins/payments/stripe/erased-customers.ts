// Customers of erased accounts: deleted at Stripe with their saved cards, over outages and kills. Their rows wait until Stripe has deleted them.
import type Stripe from 'stripe'
import { DAY_MS, HOUR_MS } from '../../../src/domain/ranges.ts'
import { recordAction } from '../../../src/store/actions.ts'
import { messageOf } from '../../../src/utilities/thrown.ts'
import type { MethodParts } from '../method-parts.ts'
import { connection } from './client.ts'
import { type ErasedCustomer, erasedCustomers, forgetCustomer, isUnknown } from './customers.ts'
import { isMissing } from './failures.ts'
import { madeFor } from './made-customers.ts'
import { STRIPE } from './provider.ts'
import { isTestKey } from './settings.ts'

/** Pauses double from the first to the longest. */
const FIRST_PAUSE_MS = 60_000
const MAX_PAUSE_MS = 6 * HOUR_MS
/** Stripe's library gives a request up after 80 s, and tries it three times. */
const MADE_WITHIN_MS = 10 * 60_000
/** A customer that no key reaches, since the mode or the method is not set up, is reported for this time; then its number is forgotten. */
export const UNREACHED_FOR_MS = 30 * DAY_MS

/** Deletes what is due, one after the other; ends at the first failure, so that an outage costs one request a round. */
export function createErasedCustomers(parts: MethodParts): () => Promise<void> {
  const { db, now, log, settings, network, publicUrl } = parts
  const connect = connection(() => {
    const { stripe } = settings()
    if (!stripe) throw new Error('Stripe is not set up')
    return stripe
  }, network)
  /** By the customer. After a start all are tried at once. */
  const paused = new Map<number, { pause_ms: number; until_ms: number }>()

  const isReached = ({ provider, is_live }: ErasedCustomer): boolean => {
    const { stripe } = settings()
    return provider === STRIPE && stripe !== undefined && isTestKey(stripe.secret_key) === (is_live === 0)
  }

  async function deleteOne(customer: ErasedCustomer): Promise<boolean> {
    const { id, account_id } = customer
    let was_made: boolean
    try {
      was_made = await deleteAtStripe(await connect(), customer, publicUrl)
    } catch (thrown) {
      const pause_ms = Math.min(2 * (paused.get(id)?.pause_ms ?? FIRST_PAUSE_MS / 2), MAX_PAUSE_MS)
      paused.set(id, { pause_ms, until_ms: now() + pause_ms })
      const cause = messageOf(thrown)
      log.warn({ account_id, pause_ms, cause }, 'the customer of an erased account was not deleted at Stripe')
      return false
    }
    await forget(customer, was_made)
    return true
  }

  async function forget(customer: ErasedCustomer, was_made: boolean): Promise<void> {
    const { id, account_id, provider, reference } = customer
    paused.delete(id)
    await db.begin(async (tx) => {
      // Another gateway may have been first.
      if ((await forgetCustomer(tx, { id, reference })) && was_made)
        await recordAction(tx, { action: 'customer.deleted', account_id, after: { method: provider } })
    })
  }

  return async () => {
    for (const customer of await erasedCustomers(db)) {
      const { id, account_id, erased_at_ms, reference } = customer
      if (isReached(customer)) {
        // The request that makes it may be under way.
        if (isUnknown(customer) && now() < customer.created_at_ms + MADE_WITHIN_MS) continue
        if (now() >= (paused.get(id)?.until_ms ?? 0) && !(await deleteOne(customer))) return
      } else if (now() >= erased_at_ms + UNREACHED_FOR_MS) {
        log.warn(
          { account_id, customer: isUnknown(customer) ? 'its number is unknown' : reference },
          'a customer at Stripe was left there: no key reached it',
        )
        await forgetCustomer(db, customer)
      }
    }
  }
}

/** Deletes a customer. @returns whether Stripe ever made one; it may be gone since. @throws what Stripe's library throws */
export async function deleteAtStripe(
  stripe: Stripe,
  customer: Pick<ErasedCustomer, 'reference' | 'account_id' | 'created_at_ms'>,
  publicUrl: () => string,
): Promise<boolean> {
  const reference = isUnknown(customer) ? await madeFor(stripe, customer, publicUrl()) : customer.reference
  if (reference === undefined) return false
  try {
    await stripe.customers.del(reference)
  } catch (thrown) {
    if (!isMissing(thrown)) throw thrown
  }
  return true
}
