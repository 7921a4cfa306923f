// Deletion of erased accounts' customers and saved cards at Stripe. Survives outages and kills: a row stays until Stripe has deleted its customer.
import type Stripe from 'stripe'
import { DAY_MS, HOUR_MS } from '../../../src/domain/ranges.ts'
import { recordAction } from '../../../src/store/actions.ts'
import { messageOf } from '../../../src/utilities/thrown.ts'
import type { MethodParts } from '../method-parts.ts'
import { connection } from './client.ts'
import { deleteCustomerRow, type ErasedCustomer, erasedCustomers, isUnknown } from './customers.ts'
import { isMissing } from './failures.ts'
import { findCustomer } from './find-customer.ts'
import { STRIPE } from './provider.ts'
import { isTestKey } from './settings.ts'

/** Retry pauses double from the first to the longest. */
const FIRST_PAUSE_MS = 60_000
const MAX_PAUSE_MS = 6 * HOUR_MS
/** Longer than the creation of a customer takes: at most three attempts of 8 s each (client.ts). */
const CREATION_TIMEOUT_MS = 10 * 60_000
/** Time for which a customer is reported that no key can delete, since its mode or method is not set up. Then the row is deleted. */
export const UNREACHABLE_MS = 30 * DAY_MS

/** Deletes the due customers one after the other. Stops at the first failure, so that an outage costs one request per round. */
export function createErasedCustomers(parts: MethodParts): () => Promise<void> {
  const { db, now, log, settings, network, publicUrl } = parts
  const connect = connection(() => {
    const { stripe } = settings()
    if (!stripe) throw new Error('Stripe is not set up')
    return stripe
  }, network)
  /** By customer ID. After a start all customers are due. */
  const paused = new Map<number, { pause_ms: number; until_ms: number }>()

  const isReachable = ({ provider, is_live }: ErasedCustomer): boolean => {
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
      // Another gateway may have deleted the row first.
      if ((await deleteCustomerRow(tx, { id, reference })) && was_made)
        await recordAction(tx, { action: 'customer.deleted', account_id, after: { method: provider } })
    })
  }

  return async () => {
    for (const customer of await erasedCustomers(db)) {
      const { id, account_id, erased_at_ms, reference } = customer
      if (isReachable(customer)) {
        // The request that creates the customer may be in progress.
        if (isUnknown(customer) && now() < customer.created_at_ms + CREATION_TIMEOUT_MS) continue
        if (now() >= (paused.get(id)?.until_ms ?? 0) && !(await deleteOne(customer))) return
      } else if (now() >= erased_at_ms + UNREACHABLE_MS) {
        log.warn(
          { account_id, customer: isUnknown(customer) ? 'its number is unknown' : reference },
          'a customer at Stripe was left there: no key reached it',
        )
        await deleteCustomerRow(db, customer)
      }
    }
  }
}

/** Deletes a customer at Stripe. @returns whether Stripe ever had the customer @throws errors of Stripe's library */
export async function deleteAtStripe(
  stripe: Stripe,
  customer: Pick<ErasedCustomer, 'reference' | 'account_id' | 'created_at_ms'>,
  publicUrl: () => string,
): Promise<boolean> {
  const reference = isUnknown(customer)
    ? await findCustomer(stripe, customer, publicUrl())
    : customer.reference
  if (reference === undefined) return false
  try {
    await stripe.customers.del(reference)
  } catch (thrown) {
    if (!isMissing(thrown)) throw thrown
  }
  return true
}
