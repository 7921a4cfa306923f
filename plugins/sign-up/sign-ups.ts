// Rows of sign-ups: pending ones, found by the token of the mailed link, and completed ones.
import { and, desc, eq, getTableColumns, lt, sql } from 'drizzle-orm'
import { hashKey } from '../../src/access/secret.ts'
import { notFound } from '../../src/domain/errors.ts'
import { HOUR_MS } from '../../src/domain/ranges.ts'
import type { Db, Orm, Tx } from '../../src/store/db.ts'
import { type Page, type PageRequest, pageOf, pageValues } from '../../src/store/page.ts'
import { equals, placeholder, placeholders, rawPlaceholders } from '../../src/store/placeholders.ts'
import { perAccount, perConnection } from '../../src/store/prepared.ts'
import { accounts } from '../../src/store/schema.ts'
import { type SignUpRow, sign_ups } from './tables.ts'

export const LINK_HOURS = 24
/** 192 bits in base64url. */
export const TOKEN_BYTES = 24
const TOKEN = /^[A-Za-z0-9_-]{32}$/

const is_pending = sql`${sign_ups.completed_at_ms} IS NULL`

const queries = perConnection({
  renew: (orm) =>
    orm
      .update(sign_ups)
      .set({ ...rawPlaceholders('sha256', 'code_id', 'expires_at_ms'), mails: sql`${sign_ups.mails} + 1` })
      .where(and(equals(sign_ups.email, 'email'), is_pending))
      .returning({ id: sign_ups.id }),
  insert: (orm) =>
    orm
      .insert(sign_ups)
      .values({
        ...placeholders('email', 'proof', 'sha256', 'network', 'code_id', 'mails'),
        ...placeholders('account_id', 'created_at_ms', 'expires_at_ms', 'completed_at_ms'),
      })
      .onConflictDoNothing()
      .returning({ id: sign_ups.id }),
  byHash: (orm) =>
    orm
      .select()
      .from(sign_ups)
      .where(and(equals(sign_ups.sha256, 'sha256'), is_pending)),
  complete: (orm) =>
    orm
      .update(sign_ups)
      .set({ ...rawPlaceholders('account_id', 'completed_at_ms'), sha256: null })
      .where(and(equals(sign_ups.id, 'id'), is_pending))
      .returning({ id: sign_ups.id }),
  removePending: (orm) => orm.delete(sign_ups).where(and(equals(sign_ups.email, 'email'), is_pending)),
  sweep: (orm) =>
    orm.delete(sign_ups).where(sql`${is_pending} AND ${sign_ups.expires_at_ms} <= ${placeholder('now_ms')}`),
  countPending: (orm) => orm.select({ count: sql<number>`count(*)` }).from(sign_ups).where(is_pending),
})

interface Pending {
  email: string
  token: string
  network: string | undefined
  code_id: number | null
  now_ms: number
}

/** Creates the pending sign-up of an address, or renews its link; the earlier link stops working. */
export async function setPending(tx: Tx, { email, token, network, code_id, now_ms }: Pending): Promise<void> {
  const values = { email, sha256: hashKey(token), code_id, expires_at_ms: now_ms + LINK_HOURS * HOUR_MS }
  if (await queries(tx).renew.get(values)) return
  await queries(tx).insert.get({
    ...values,
    proof: 'mail',
    network: network ?? null,
    mails: 1,
    account_id: null,
    created_at_ms: now_ms,
    completed_at_ms: null,
  })
}

/** @throws GatewayError not_found for a link that was used or replaced, has expired, or is unknown */
export async function pendingByToken(db: Db, token: string, now_ms: number): Promise<SignUpRow> {
  const found = TOKEN.test(token) ? await queries(db).byHash.get({ sha256: hashKey(token) }) : undefined
  if (!found || found.expires_at_ms <= now_ms) throw linkNotValid()
  return found
}

/** Completes a pending sign-up, which uses up its link. @throws GatewayError not_found if another request has completed it */
export async function setCompleted(
  tx: Tx,
  { id, account_id, now_ms }: { id: number; account_id: number; now_ms: number },
): Promise<void> {
  const completed = await queries(tx).complete.get({ id, account_id, completed_at_ms: now_ms })
  if (!completed) throw linkNotValid()
}

interface ByIdentity {
  email: string
  account_id: number
  network: string | undefined
  now_ms: number
}

/** Records a sign-up by an identity, and deletes a pending sign-up of the same address. */
export async function recordByIdentity(
  tx: Tx,
  { email, account_id, network = undefined, now_ms }: ByIdentity,
): Promise<void> {
  await queries(tx).removePending.run({ email })
  await queries(tx).insert.get({
    email,
    account_id,
    proof: 'identity',
    sha256: null,
    network: network ?? null,
    code_id: null,
    mails: 0,
    created_at_ms: now_ms,
    expires_at_ms: now_ms,
    completed_at_ms: now_ms,
  })
}

/** Deletes pending sign-ups whose link has expired. */
export async function sweepPending(db: Db, now_ms: number): Promise<void> {
  await db.write((db) => queries(db).sweep.run({ now_ms }))
}

/** The number of pending sign-ups, also of those whose link has expired but that are not swept yet. */
export const countPending = async (db: Db): Promise<number> =>
  (await queries(db).countPending.get())?.count ?? 0

/** A row with the name of its account; null while it is pending. */
export type ListedSignUp = Omit<SignUpRow, 'sha256'> & { account_name: string | null }

export const listSignUps = async (
  db: Db,
  { account_id, state, since_ms, until_ms }: SignUpFilter,
  request: PageRequest,
): Promise<Page<ListedSignUp>> => {
  const values = {
    ...pageValues(request),
    account_id,
    is_pending: state === undefined ? null : Number(state === 'pending'),
    since_ms: since_ms ?? Number.MIN_SAFE_INTEGER,
    until_ms: until_ms ?? Number.MAX_SAFE_INTEGER,
  }
  return pageOf(await pages(db, account_id).page.all(values), request)
}

interface SignUpFilter {
  account_id: number | undefined
  state: 'pending' | 'completed' | undefined
  since_ms: number | undefined
  until_ms: number | undefined
}

const pages = perAccount((account) => ({
  page: (orm: Orm) => {
    const { sha256: _, ...columns } = getTableColumns(sign_ups)
    return orm
      .select({ ...columns, account_name: accounts.name })
      .from(sign_ups)
      .leftJoin(accounts, eq(accounts.id, sign_ups.account_id))
      .where(
        and(
          account(sign_ups),
          lt(sign_ups.id, placeholder('below_id')),
          sql`(CAST(${placeholder('is_pending')} AS bigint) IS NULL
            OR (CASE WHEN ${is_pending} THEN 1 ELSE 0 END) = ${placeholder('is_pending')})`,
          sql`${sign_ups.created_at_ms} >= ${placeholder('since_ms')}`,
          sql`${sign_ups.created_at_ms} < ${placeholder('until_ms')}`,
        ),
      )
      .orderBy(desc(sign_ups.id))
      .limit(placeholder('row_limit'))
  },
}))

const linkNotValid = () =>
  notFound(
    'This link was already used, was replaced by a newer one, or has expired. Sign up again to get a new one.',
    {
      code: 'link_not_valid',
      param: 'token',
    },
  )
