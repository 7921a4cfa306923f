// The queue of mails for all plugins: a mail is a row that the transaction of its cause inserts.
import { and, sql } from 'drizzle-orm'
import { invalidRequest } from '../../src/domain/errors.ts'
import { isMailAddress } from '../../src/domain/mail-address.ts'
import type { Tx } from '../../src/store/db.ts'
import {
  bareColumns,
  equals,
  equalsUnlessNull,
  isNullParameter,
  placeholder,
  placeholders,
  rawPlaceholders,
} from '../../src/store/placeholders.ts'
import { perConnection } from '../../src/store/prepared.ts'
import { visibleLine } from '../../src/utilities/visible-text.ts'
import type { MailFields, Purpose } from './purposes.ts'
import { mails } from './tables.ts'

/** A link with a token. The row keeps it until the mail is sent, failed or cancelled; no list shows it. */
interface SecretLink {
  /** The path below the public URL: `/console/invitation#TOKEN`. */
  path: string
  /** A mail that was not sent by then is cancelled. */
  expires_at_ms: number
}

/** A mail to queue. */
export interface NewMail<P extends Purpose = Purpose> {
  purpose: P
  to: string
  fields: MailFields[P]
  /** The account of the mail, with which it is exported and erased. */
  account_id: number | null
  /** Required for purposes whose link has a token. */
  link?: SecretLink
  /** A BCP 47 tag; English by default. */
  language?: string
  /** Idempotency key: a repeated request with this key queues no second mail. */
  request_key: string
}

/** The columns of a mail that is not sent because its link has stopped working. */
const CANCELLED = { state: 'cancelled', next_at_ms: null, link: null } as const
const REPLACED = 'A newer link replaced it.'

/** Whether the mail's link opens the page; true for any link if the page is null. */
const linkOpensPage = () =>
  sql`(${isNullParameter(mails.link, 'page')}
    OR substr(${mails.link}, 1, length(CAST(${placeholder('page')} AS text)) + 1) = CAST(${placeholder('page')} AS text) || '#')`

const queries = perConnection({
  insert: (orm) =>
    orm
      .insert(mails)
      .values({
        ...placeholders('account_id', 'request_key', 'purpose', 'fields', 'recipient', 'language'),
        ...placeholders('link', 'link_expires_at_ms', 'message_id', 'queued_at_ms', 'next_at_ms'),
        state: 'queued',
        attempts: 0,
      })
      .onConflictDoNothing({ target: bareColumns('request_key') })
      .returning({ id: mails.id }),
  replace: (orm) =>
    orm
      .update(mails)
      .set({ ...CANCELLED, failure: REPLACED })
      .where(
        and(
          sql`${mails.state} = 'queued' AND ${mails.link} IS NOT NULL AND ${mails.id} <> ${placeholder('id')}`,
          equals(mails.purpose, 'purpose'),
          equals(mails.recipient, 'recipient'),
          linkOpensPage(),
          sql`${mails.account_id} IS NOT DISTINCT FROM CAST(${placeholder('account_id')} AS bigint)`,
        ),
      ),
  cancelLinks: (orm) =>
    orm
      .update(mails)
      .set({ ...CANCELLED, ...rawPlaceholders('failure') })
      .where(
        and(
          sql`${mails.state} = 'queued' AND ${mails.link} IS NOT NULL`,
          equalsUnlessNull(mails.account_id, 'account_id'),
          equalsUnlessNull(mails.recipient, 'recipient'),
          linkOpensPage(),
        ),
      ),
})

const MAX_FIELD_CHARS = 200

/**
 * Queues a mail in the caller's transaction. Once that commits, one gateway sends the mail within a second. Check `canMail(catalogue)` first: without
 * a mail server, show the link instead. A mail with a link replaces an unsent one to the same recipient and page.
 *
 * @returns false for a repeated `request_key`
 * @throws GatewayError invalid_request for an address to which no mail can be sent
 */
export async function queueMail<P extends Purpose>(
  tx: Tx,
  { purpose, to, fields, account_id, link, language = 'en', request_key }: NewMail<P>,
  now_ms: number,
): Promise<boolean> {
  if (!isMailAddress(to))
    throw invalidRequest(
      `email: "${visibleLine(to)}" is not an email address. Write one such as anna@example.com.`,
      {
        param: 'email',
      },
    )
  const about = { account_id, purpose, recipient: to }
  const queued = await queries(tx).insert.get({
    ...about,
    request_key,
    fields: JSON.stringify(fields, oneLine),
    language,
    link: link?.path ?? null,
    link_expires_at_ms: link?.expires_at_ms ?? null,
    message_id: crypto.randomUUID(),
    queued_at_ms: now_ms,
    next_at_ms: now_ms,
  })
  if (queued && link) {
    const [page = ''] = link.path.split('#', 1)
    await queries(tx).replace.run({ ...about, id: queued.id, page })
  }
  return queued !== undefined
}

/**
 * Cancels unsent mails whose links have stopped working. In the caller's transaction.
 *
 * @param which selects by account (null: all), page (absent: any) and recipient; `failure` is the reason in the list of mails, by default that a
 * newer link replaced it
 */
export async function cancelLinks(
  tx: Tx,
  which: { account_id: number | null; page?: string; recipient?: string; failure?: string },
): Promise<void> {
  await queries(tx).cancelLinks.run({ failure: REPLACED, recipient: null, page: null, ...which })
}

/** Cuts long texts, and keeps names that people chose on one line. */
const oneLine = (_: string, value: unknown): unknown =>
  typeof value === 'string' ? visibleLine([...value].slice(0, MAX_FIELD_CHARS).join('')) : value
