// Database queries on customers: one per account, payment method and mode, with its saved card.
import { and, asc, eq, sql } from 'drizzle-orm'
import type { Awaitable, Db, Tx } from '../../../src/store/db.ts'
import { bareColumns, equals, placeholders, rawPlaceholders } from '../../../src/store/placeholders.ts'
import { perConnection } from '../../../src/store/prepared.ts'
import { account_details, erased_accounts } from '../../../src/store/schema.ts'
import { type PaymentCustomer, payment_customers } from './tables.ts'

type CustomerKey = Pick<PaymentCustomer, 'account_id' | 'provider' | 'is_live'>

/**
 * Placeholder for the provider's ID, stored before the customer is requested. If a kill loses the answer, the gateway finds the customer at the
 * provider by its account and the row's time.
 */
const UNKNOWN = 'requested'

/** Whether the provider's ID of a customer is not known yet. */
export const isUnknown = ({ reference }: Pick<PaymentCustomer, 'reference'>): boolean => reference === UNKNOWN

/** Returns a customer whose ID is known. */
export async function customerOf(db: Db, key: CustomerKey): Promise<PaymentCustomer | undefined> {
  const customer = await queries(db).of.get(keyOf(key))
  return customer && !isUnknown(customer) ? customer : undefined
}

/**
 * Stores a row before a customer is created at the provider.
 *
 * @returns the row, and whether it existed: then the provider may have a customer @throws for an erased account
 */
export async function insertRequested(
  db: Db,
  key: CustomerKey,
  created_at_ms: number,
): Promise<{ row: PaymentCustomer; existed: boolean }> {
  const requested = { ...keyOf(key), reference: UNKNOWN, created_at_ms }
  const [made] = await db.write((db) => queries(db).insert.all(requested))
  const row = await queries(db).of.get(keyOf(key))
  if (!row) throw new Error('the row of a requested customer was not stored')
  return { row, existed: made === undefined }
}

/** Updates the time of the row before a new request: the customer is searched around this time. @throws as `insertRequested` */
export const renewRequested = async (db: Db, key: CustomerKey, created_at_ms: number): Promise<void> => {
  await db.write((db) => queries(db).keep.run({ ...keyOf(key), reference: UNKNOWN, created_at_ms }))
}

const keyOf = ({ account_id, provider, is_live }: CustomerKey): CustomerKey => ({
  account_id,
  provider,
  is_live,
})

/** Stores the provider's ID of a customer, unless another gateway was first. @returns the stored customer */
export async function saveCustomer(
  db: Db,
  key: CustomerKey,
  customer: Pick<PaymentCustomer, 'reference' | 'created_at_ms'>,
): Promise<PaymentCustomer> {
  await db.write((db) => queries(db).keep.run({ ...keyOf(key), ...customer }))
  const kept = await customerOf(db, key)
  if (!kept) throw new Error('a customer was not kept')
  return kept
}

/** Deletes the row of a customer that the provider no longer has, with its card. @returns false if it was deleted before */
export const deleteCustomerRow = async (
  db: Db,
  { id, reference }: Pick<PaymentCustomer, 'id' | 'reference'>,
): Promise<boolean> => (await db.write((db) => queries(db).remove.get({ id, reference }))) !== undefined

/** A customer whose account is erased. */
export type ErasedCustomer = Pick<
  PaymentCustomer,
  'id' | 'account_id' | 'provider' | 'is_live' | 'reference' | 'created_at_ms'
> & {
  erased_at_ms: number
}

/** Customers of erased accounts, oldest first. Without those whose saved card may be in a charge, since the charge is found by its customer. */
export const erasedCustomers = (db: Db): Awaitable<ErasedCustomer[]> => queries(db).erased.all()

/** The mail address for receipts; empty without one. */
export const emailOf = async (db: Db, account_id: number): Promise<string> =>
  (await queries(db).email.get({ account_id }))?.email ?? ''

export const setCardSetup = (db: Db, id: number, card_setup: string | null): Promise<unknown> =>
  db.write((db) => queries(db).setSetup.run({ id, card_setup }))

type SavedCard = Pick<
  PaymentCustomer,
  'card_reference' | 'card_brand' | 'card_last4' | 'card_expires' | 'card_person_id' | 'card_saved_at_ms'
>

export const NO_CARD: SavedCard = {
  card_reference: null,
  card_brand: null,
  card_last4: null,
  card_expires: null,
  card_person_id: null,
  card_saved_at_ms: null,
}

/** Replaces the saved card. */
export const setCard = async (tx: Tx, id: number, card: SavedCard): Promise<void> => {
  await queries(tx).setCard.run({ id, ...card })
}

/** The customer for which a page to save a card was opened. */
export const customerOfSetup = (
  db: Db,
  provider: string,
  card_setup: string,
): Awaitable<PaymentCustomer | undefined> => queries(db).ofSetup.get({ provider, card_setup })

const queries = perConnection({
  of: (orm) =>
    orm
      .select()
      .from(payment_customers)
      .where(
        and(
          equals(payment_customers.account_id, 'account_id'),
          equals(payment_customers.provider, 'provider'),
          equals(payment_customers.is_live, 'is_live'),
        ),
      ),
  insert: (orm) =>
    orm
      .insert(payment_customers)
      .values(placeholders('account_id', 'provider', 'is_live', 'reference', 'created_at_ms'))
      .onConflictDoNothing()
      .returning({ id: payment_customers.id }),
  keep: (orm) =>
    orm
      .insert(payment_customers)
      .values(placeholders('account_id', 'provider', 'is_live', 'reference', 'created_at_ms'))
      .onConflictDoUpdate({
        target: bareColumns('account_id', 'provider', 'is_live'),
        set: { reference: sql`excluded.reference`, created_at_ms: sql`excluded.created_at_ms` },
        setWhere: eq(payment_customers.reference, sql`'${sql.raw(UNKNOWN)}'`),
      }),
  remove: (orm) =>
    orm
      .delete(payment_customers)
      .where(and(equals(payment_customers.id, 'id'), equals(payment_customers.reference, 'reference')))
      .returning({ id: payment_customers.id }),
  erased: (orm) =>
    orm
      .select({
        id: payment_customers.id,
        account_id: payment_customers.account_id,
        provider: payment_customers.provider,
        is_live: payment_customers.is_live,
        reference: payment_customers.reference,
        created_at_ms: payment_customers.created_at_ms,
        erased_at_ms: erased_accounts.erased_at_ms,
      })
      .from(erased_accounts)
      .innerJoin(payment_customers, eq(payment_customers.account_id, erased_accounts.account_id))
      .where(
        sql`NOT EXISTS (SELECT 1 FROM orders WHERE orders.account_id = ${payment_customers.account_id}
              AND orders.provider = ${payment_customers.provider} AND orders.kind = 'automatic' AND orders.state = 'open'
              AND orders.reference IS NULL)`,
      )
      .orderBy(asc(payment_customers.id)),
  email: (orm) =>
    orm
      .select({ email: account_details.email })
      .from(account_details)
      .where(equals(account_details.account_id, 'account_id')),
  setSetup: (orm) =>
    orm
      .update(payment_customers)
      .set(rawPlaceholders('card_setup'))
      .where(equals(payment_customers.id, 'id')),
  setCard: (orm) =>
    orm
      .update(payment_customers)
      .set({
        ...rawPlaceholders('card_reference', 'card_brand', 'card_last4', 'card_expires'),
        ...rawPlaceholders('card_person_id', 'card_saved_at_ms'),
        card_setup: sql`NULL`,
      })
      .where(equals(payment_customers.id, 'id')),
  ofSetup: (orm) =>
    orm
      .select()
      .from(payment_customers)
      .where(
        and(
          equals(payment_customers.provider, 'provider'),
          equals(payment_customers.card_setup, 'card_setup'),
        ),
      ),
})
