// Mails in the database: due mails, taking one for an attempt, its outcome, and unsubscribed recipients.
import { and, asc, eq, lte, sql } from 'drizzle-orm'
import { conflict, notFound } from '../../src/domain/errors.ts'
import { DAY_MS } from '../../src/domain/ranges.ts'
import { recordAction } from '../../src/store/actions.ts'
import type { Awaitable, Db, Tx } from '../../src/store/db.ts'
import {
  bareColumns,
  equals,
  equalsUnlessNull,
  placeholder,
  placeholders,
  rawPlaceholders,
} from '../../src/store/placeholders.ts'
import { perConnection } from '../../src/store/prepared.ts'
import { isPurpose, PURPOSES } from './purposes.ts'
import { type MailRow, type MailState, mail_recipients, mails } from './tables.ts'

const KEPT_MS = 90 * DAY_MS
/** Per sweep, which runs each minute. */
const MAX_SWEPT = 500

/** The due mails, longest due first. */
export const dueMails = (db: Db, now_ms: number, row_limit: number): Awaitable<MailRow[]> =>
  queries(db).due.all({ next_at_ms: now_ms, row_limit })

/**
 * Takes a mail for an attempt: until the given time no other gateway takes it. Counts the attempt.
 *
 * @returns false if another gateway has taken it since it was read
 */
export async function takeMail(db: Db, mail: MailRow, until_ms: number): Promise<boolean> {
  const values = { id: mail.id, read_next_at_ms: mail.next_at_ms, next_at_ms: until_ms }
  return (await db.write((db) => queries(db).take.get(values))) !== undefined
}

/** The outcome of an attempt. */
export type Outcome =
  | { state: 'sent'; sent_at_ms: number }
  | { state: 'queued'; next_at_ms: number; failure: string }
  | { state: 'failed' | 'cancelled'; failure: string }

/**
 * Records the outcome of an attempt. The link is deleted once the mail is sent, failed or cancelled. A failure is recorded only while this attempt
 * still holds the mail: another gateway may have sent it since.
 *
 * @param taken_until_ms as passed to `takeMail`
 */
export async function recordOutcome(
  db: Db,
  id: number,
  taken_until_ms: number,
  outcome: Outcome,
): Promise<void> {
  const row = {
    id,
    taken_until_ms: outcome.state === 'sent' ? null : taken_until_ms,
    state: outcome.state,
    next_at_ms: outcome.state === 'queued' ? outcome.next_at_ms : null,
    sent_at_ms: outcome.state === 'sent' ? outcome.sent_at_ms : null,
    failure: outcome.state === 'sent' ? null : outcome.failure,
  }
  await db.write((db) => queries(db).record.run(row))
}

/** The subscription of an address to an account's notices; created with the first notice. */
export async function subscriptionOf(
  db: Db,
  { account_id, recipient }: { account_id: number; recipient: string },
  newToken: () => string,
): Promise<{ token: string; unsubscribed_at_ms: number | null }> {
  const find = () => queries(db).subscription.get({ account_id, recipient })
  const found = await find()
  if (found) return found
  await db.write((db) => queries(db).subscribe.run({ account_id, recipient, token: newToken() }))
  const made = await find()
  if (!made) throw new Error('a subscription that was just made is gone: its account was erased')
  return made
}

/** The subscription that a link's token belongs to. */
export const subscriptionByToken = (
  db: Db,
  token: string,
): Awaitable<{ recipient: string; unsubscribed_at_ms: number | null } | undefined> =>
  queries(db).byToken.get({ token })

/** Ends or renews a subscription. @param unsubscribed_at_ms null renews it @returns false for an unknown token */
export async function setSubscription(
  db: Db,
  token: string,
  unsubscribed_at_ms: number | null,
): Promise<boolean> {
  return (
    (await db.write((db) => queries(db).setUnsubscribed.get({ token, unsubscribed_at_ms }))) !== undefined
  )
}

/** Queues a failed mail again. @throws GatewayError not_found; conflict if it has not failed, or its link was deleted */
export async function retryMail(tx: Tx, id: number, now_ms: number): Promise<void> {
  const mail = await lockFailedMail(tx, id)
  if (isPurpose(mail.purpose) && PURPOSES[mail.purpose].has_token)
    throw conflict(
      'Its link was deleted when the mail failed. Create a new one: for an invitation `tollgate account invite NAME`, or the button on the account’s page.',
      { code: 'link_gone' },
    )
  await queries(tx).retry.run({ id, queued_at_ms: now_ms, next_at_ms: now_ms })
  await recordAction(tx, actionOf('mail.retried', mail))
}

/** Deletes a failed mail. @throws GatewayError not_found; conflict if it has not failed */
export async function deleteMail(tx: Tx, id: number): Promise<void> {
  const mail = await lockFailedMail(tx, id)
  await queries(tx).remove.run({ id })
  await recordAction(tx, actionOf('mail.deleted', mail))
}

const actionOf = (action: 'mail.retried' | 'mail.deleted', { id, account_id, purpose }: MailRow) => ({
  action,
  account_id: account_id ?? undefined,
  before: { mail: id, purpose },
})

/** Locks the operator, so that one request at a time retries or deletes a mail. */
async function lockFailedMail(tx: Tx, id: number): Promise<MailRow> {
  await tx.lock(null)
  const mail = await queries(tx).byId.get({ id })
  if (!mail) throw notFound('Mail not found. See the list of mails.', { param: 'id' })
  if (mail.state !== 'failed')
    throw conflict(`Mail ${id} is ${mail.state}: only mails that failed can be sent again or deleted.`, {
      code: 'not_failed',
    })
  return mail
}

/** The number of queued mails, and of the other states since a time. */
export async function countMails(
  db: Db,
  { since_ms, account_id = null }: { since_ms: number; account_id?: number | null },
): Promise<Record<MailState, number>> {
  const counts = { queued: 0, sent: 0, failed: 0, cancelled: 0 }
  for (const { state, count } of await queries(db).counts.all({ since_ms, account_id })) counts[state] = count
  return counts
}

/** Deletes old mails, a limited number per call. */
export async function sweepMails(db: Db, now_ms: number): Promise<void> {
  await db.write((db) => queries(db).sweep.run({ until_ms: now_ms - KEPT_MS, row_limit: MAX_SWEPT }))
}

const queries = perConnection({
  due: (orm) =>
    orm
      .select()
      .from(mails)
      // A literal instead of a parameter, so that the partial index of queued mails applies.
      .where(and(sql`${mails.state} = 'queued'`, lte(mails.next_at_ms, placeholder('next_at_ms'))))
      .orderBy(asc(mails.next_at_ms), asc(mails.id))
      .limit(placeholder('row_limit')),
  byId: (orm) => orm.select().from(mails).where(equals(mails.id, 'id')),
  take: (orm) =>
    orm
      .update(mails)
      .set({ ...rawPlaceholders('next_at_ms'), attempts: sql`${mails.attempts} + 1` })
      .where(
        and(
          equals(mails.id, 'id'),
          sql`${mails.state} = 'queued'`,
          eq(mails.next_at_ms, placeholder('read_next_at_ms')),
        ),
      )
      .returning({ id: mails.id }),
  record: (orm) =>
    orm
      .update(mails)
      .set({
        ...rawPlaceholders('state', 'next_at_ms', 'sent_at_ms', 'failure'),
        link: sql`CASE WHEN CAST(${placeholder('next_at_ms')} AS bigint) IS NULL THEN NULL ELSE ${mails.link} END`,
      })
      .where(
        and(
          equals(mails.id, 'id'),
          sql`${mails.state} = 'queued'`,
          equalsUnlessNull(mails.next_at_ms, 'taken_until_ms'),
        ),
      ),
  retry: (orm) =>
    orm
      .update(mails)
      .set({ ...rawPlaceholders('queued_at_ms', 'next_at_ms'), state: 'queued', attempts: 0, failure: null })
      .where(equals(mails.id, 'id')),
  remove: (orm) => orm.delete(mails).where(equals(mails.id, 'id')),
  counts: (orm) =>
    orm
      .select({ state: mails.state, count: sql<number>`count(*)` })
      .from(mails)
      .where(
        and(
          sql`(${mails.state} = 'queued' OR ${mails.queued_at_ms} >= ${placeholder('since_ms')})`,
          equalsUnlessNull(mails.account_id, 'account_id'),
        ),
      )
      .groupBy(mails.state),
  sweep: (orm) =>
    orm.delete(mails).where(
      sql`${mails.id} IN (SELECT id FROM mails WHERE queued_at_ms < ${placeholder('until_ms')} AND state <> 'queued'
          LIMIT ${placeholder('row_limit')})`,
    ),
  subscription: (orm) =>
    orm
      .select({ token: mail_recipients.token, unsubscribed_at_ms: mail_recipients.unsubscribed_at_ms })
      .from(mail_recipients)
      .where(
        and(equals(mail_recipients.account_id, 'account_id'), equals(mail_recipients.recipient, 'recipient')),
      ),
  subscribe: (orm) =>
    orm
      .insert(mail_recipients)
      .values({ ...placeholders('account_id', 'recipient', 'token'), unsubscribed_at_ms: null })
      .onConflictDoNothing({ target: bareColumns('account_id', 'recipient') }),
  byToken: (orm) =>
    orm
      .select({
        recipient: mail_recipients.recipient,
        unsubscribed_at_ms: mail_recipients.unsubscribed_at_ms,
      })
      .from(mail_recipients)
      .where(equals(mail_recipients.token, 'token')),
  setUnsubscribed: (orm) =>
    orm
      .update(mail_recipients)
      .set(rawPlaceholders('unsubscribed_at_ms'))
      .where(equals(mail_recipients.token, 'token'))
      .returning({ id: mail_recipients.id }),
})
