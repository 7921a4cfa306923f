// Invitations to sign up: links with a code that the operator makes, for one address or for several people.
import { and, desc, lt, sql } from 'drizzle-orm'
import { hashKey, type RandomBytes } from '../../src/access/secret.ts'
import { conflict, invalidRequest, notFound } from '../../src/domain/errors.ts'
import { personsAddress } from '../../src/domain/mail-address.ts'
import { DAY_MS } from '../../src/domain/ranges.ts'
import { recordAction } from '../../src/store/actions.ts'
import type { Awaitable, Db, Tx } from '../../src/store/db.ts'
import { type Page, type PageRequest, pageOf, pageValues } from '../../src/store/page.ts'
import { equals, placeholder, placeholders } from '../../src/store/placeholders.ts'
import { perConnection } from '../../src/store/prepared.ts'
import { queueMail } from '../mail/index.ts'
import { type SignUpCodeRow, sign_up_codes } from './tables.ts'

export const MAX_USES = 10_000
export const MAX_DAYS = 365
export const DEFAULT_DAYS = 14
/** 192 bits. */
const CODE_BYTES = 24
const CODE = /^[A-Za-z0-9_-]{32}$/
const KEPT_MS = 90 * DAY_MS

const queries = perConnection({
  insert: (orm) =>
    orm
      .insert(sign_up_codes)
      .values({
        ...placeholders('sha256', 'email', 'max_uses', 'created_at_ms', 'expires_at_ms'),
        uses: 0,
        revoked_at_ms: null,
      })
      .returning(),
  byHash: (orm) => orm.select().from(sign_up_codes).where(equals(sign_up_codes.sha256, 'sha256')),
  byId: (orm) => orm.select().from(sign_up_codes).where(equals(sign_up_codes.id, 'id')),
  /** Clears the address, which the account has from now on. */
  use: (orm) =>
    orm
      .update(sign_up_codes)
      .set({ uses: sql`${sign_up_codes.uses} + 1`, email: null })
      .where(
        and(
          equals(sign_up_codes.id, 'id'),
          sql`${sign_up_codes.uses} < ${sign_up_codes.max_uses}`,
          sql`${sign_up_codes.revoked_at_ms} IS NULL`,
        ),
      )
      .returning({ id: sign_up_codes.id }),
  revoke: (orm) =>
    orm
      .update(sign_up_codes)
      .set({ revoked_at_ms: sql`${placeholder('now_ms')}` })
      .where(and(equals(sign_up_codes.id, 'id'), sql`${sign_up_codes.revoked_at_ms} IS NULL`))
      .returning(),
  page: (orm) =>
    orm
      .select()
      .from(sign_up_codes)
      .where(lt(sign_up_codes.id, placeholder('below_id')))
      .orderBy(desc(sign_up_codes.id))
      .limit(placeholder('row_limit')),
  sweep: (orm) =>
    orm.delete(sign_up_codes).where(
      sql`${sign_up_codes.expires_at_ms} < ${placeholder('until_ms')}
          AND NOT EXISTS (SELECT 1 FROM sign_ups WHERE sign_ups.code_id = ${sign_up_codes.id})`,
    ),
})

/** A new invitation. */
interface CodeRequest {
  /** The invitation is mailed to this address, which alone may use it. */
  email?: string | undefined
  uses?: number | undefined
  days?: number | undefined
}

/** An invitation with its code, which is shown only once. */
interface CreatedCode {
  row: SignUpCodeRow
  /** The path below the public URL. */
  path: string
  is_mailed: boolean
}

/**
 * Creates an invitation, and queues its mail if it is for one address. In the caller's transaction.
 *
 * @throws GatewayError invalid_request for a malformed address, and for several uses of one address
 */
export async function makeCode(
  tx: Tx,
  { email, uses = 1, days = DEFAULT_DAYS }: CodeRequest,
  { randomBytes, now_ms }: { randomBytes: RandomBytes; now_ms: number },
): Promise<CreatedCode> {
  const address = email === undefined ? null : personsAddress(email)
  if (address !== null && uses !== 1)
    throw invalidRequest('uses: an invitation for one address works once. Leave it out.', { param: 'uses' })
  const code = Buffer.from(randomBytes(CODE_BYTES)).toString('base64url')
  const expires_at_ms = now_ms + days * DAY_MS
  const values = {
    sha256: hashKey(code),
    email: address,
    max_uses: uses,
    created_at_ms: now_ms,
    expires_at_ms,
  }
  const row: SignUpCodeRow = await queries(tx).insert.get(values)
  const path = `/console/sign-up#${code}`
  if (address !== null)
    await queueMail(
      tx,
      {
        purpose: 'sign_up_invitation',
        to: address,
        account_id: null,
        fields: {},
        link: { path, expires_at_ms },
        request_key: `sign_up_invitation:${row.id}`,
      },
      now_ms,
    )
  await recordAction(tx, {
    action: 'sign_up.invited',
    after: { invitation: row.id, email: address, uses, expires_at: new Date(expires_at_ms).toISOString() },
  })
  return { row, path, is_mailed: address !== null }
}

export function stateOf(row: SignUpCodeRow, now_ms: number): 'open' | 'used' | 'revoked' | 'expired' {
  if (row.revoked_at_ms !== null) return 'revoked'
  if (row.uses >= row.max_uses) return 'used'
  return row.expires_at_ms <= now_ms ? 'expired' : 'open'
}

/**
 * Returns the invitation of a code that can still be used.
 *
 * @param email of the person who signs up
 * @throws GatewayError not_found for a code that was used up, revoked, has expired, is unknown, or is for another address
 */
export async function readCode(
  db: Db,
  code: string,
  { email, now_ms }: { email: string; now_ms: number },
): Promise<SignUpCodeRow> {
  const row = await rowOf(db, code)
  const is_theirs = row !== undefined && (row.email === null || row.email === email)
  if (!row || !is_theirs || stateOf(row, now_ms) !== 'open') throw codeNotValid()
  return row
}

const rowOf = (db: Db, code: string): Awaitable<SignUpCodeRow | undefined> =>
  CODE.test(code) ? queries(db).byHash.get({ sha256: hashKey(code) }) : undefined

/**
 * Checks an invitation before its form is filled in, without using it.
 *
 * @throws GatewayError not_found, with the reason, for an invitation that cannot be used
 */
export async function checkCode(db: Db, code: string, now_ms: number): Promise<void> {
  const row = await rowOf(db, code)
  const state = row ? stateOf(row, now_ms) : 'unknown'
  if (state === 'open') return
  throw notFound(WHY_NOT[state], { code: 'invitation_not_valid', param: 'code' })
}

const WHY_NOT = {
  used: 'This invitation was used already. If you have an account, sign in. If not, ask the sender for a new one.',
  revoked: 'This invitation was revoked. Ask the sender for a new one.',
  expired: 'This invitation has expired. Ask the sender for a new one.',
  unknown:
    'This invitation is not known here. Open the whole link of your invitation, or ask the sender for a new one.',
} as const

/** Counts a use of an invitation. In the caller's transaction. @throws GatewayError not_found if it is used up or revoked */
export async function useCode(tx: Tx, id: number): Promise<void> {
  if (!(await queries(tx).use.get({ id }))) throw codeNotValid()
}

/** Ends an invitation. In the caller's transaction. @throws GatewayError not_found; conflict if it is revoked */
export async function revokeCode(tx: Tx, id: number, now_ms: number): Promise<SignUpCodeRow> {
  const revoked: SignUpCodeRow | undefined = await queries(tx).revoke.get({ id, now_ms })
  if (!revoked) {
    if (!(await queries(tx).byId.get({ id })))
      throw notFound('Invitation not found. See the list of invitations.')
    throw conflict(`Invitation ${id} is revoked already.`)
  }
  await recordAction(tx, {
    action: 'sign_up.invitation_revoked',
    before: { invitation: id, uses: revoked.uses },
  })
  return revoked
}

/** One page, newest first. */
export const listCodes = async (db: Db, request: PageRequest): Promise<Page<SignUpCodeRow>> =>
  pageOf(await queries(db).page.all(pageValues(request)), request)

/** Deletes invitations that expired over 90 days ago and that no sign-up refers to. */
export async function sweepCodes(db: Db, now_ms: number): Promise<void> {
  await db.write((db) => queries(db).sweep.run({ until_ms: now_ms - KEPT_MS }))
}

const codeNotValid = () =>
  notFound(
    'This invitation was used up, was revoked, has expired, or is for another address. Ask the sender for a new one.',
    { code: 'invitation_not_valid', param: 'code' },
  )
