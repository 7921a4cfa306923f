// Challenges: random bytes that a device signs once, within five minutes, for the browser that has the cookie's token.
import { and, gt, lte, sql } from 'drizzle-orm'
import { hashKey, type RandomBytes } from '../../src/access/secret.ts'
import { cookieForms, type SiteSettings } from '../../src/app/surface/console/site.ts'
import { invalidRequest } from '../../src/domain/errors.ts'
import { type CookieForm, cookieOf } from '../../src/http/cookies.ts'
import type { Db } from '../../src/store/db.ts'
import { equals, placeholder, placeholders } from '../../src/store/placeholders.ts'
import { perConnection } from '../../src/store/prepared.ts'
import { passkey_challenges } from './tables.ts'

export const CHALLENGE_LASTS_MS = 5 * 60_000
const BYTES = 32
/** Visitors can request challenges: beyond this number the oldest are deleted. */
const MAX_OPEN = 10_000

/** The purpose of a challenge, with its session; null when signing in. */
export type ChallengeFor =
  | { purpose: 'add' | 'confirm'; session_id: number }
  | { purpose: 'sign_in'; session_id: null }

const queries = perConnection({
  insert: (orm) =>
    orm
      .insert(passkey_challenges)
      .values(placeholders('sha256', 'challenge', 'purpose', 'session_id', 'expires_at_ms')),
  /** One statement, so that of two requests at once only one gets the challenge. */
  take: (orm) =>
    orm
      .delete(passkey_challenges)
      .where(
        and(
          equals(passkey_challenges.sha256, 'sha256'),
          equals(passkey_challenges.purpose, 'purpose'),
          gt(passkey_challenges.expires_at_ms, placeholder('now_ms')),
          sql`${passkey_challenges.session_id} IS NOT DISTINCT FROM CAST(${placeholder('session_id')} AS bigint)`,
        ),
      )
      .returning({ challenge: passkey_challenges.challenge }),
  removeOldest: (orm) =>
    orm
      .delete(passkey_challenges)
      .where(
        sql`${passkey_challenges.id} <= (SELECT id FROM passkey_challenges ORDER BY id DESC LIMIT 1 OFFSET ${sql.raw(String(MAX_OPEN))})`,
      ),
  removeExpired: (orm) =>
    orm.delete(passkey_challenges).where(lte(passkey_challenges.expires_at_ms, placeholder('now_ms'))),
})

interface NewChallenge {
  challenge: Uint8Array<ArrayBuffer>
  /** For the browser's cookie; only its hash is stored. */
  token: string
}

export async function makeChallenge(
  db: Db,
  of: ChallengeFor,
  { randomBytes, now_ms }: { randomBytes: RandomBytes; now_ms: number },
): Promise<NewChallenge> {
  const challenge = Uint8Array.from(randomBytes(BYTES))
  const token = toBase64Url(randomBytes(BYTES))
  const row = {
    ...of,
    sha256: hashKey(token),
    challenge: toBase64Url(challenge),
    expires_at_ms: now_ms + CHALLENGE_LASTS_MS,
  }
  await db.begin((tx) => storeChallenge(tx, row))
  return { challenge, token }
}

async function storeChallenge(tx: Db, row: Record<string, unknown>): Promise<void> {
  await queries(tx).insert.run(row)
  await queries(tx).removeOldest.run()
}

const toBase64Url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')

/**
 * Uses up the challenge of a browser.
 *
 * @throws GatewayError invalid_request for a used or expired challenge, one of another session or purpose, and an unknown one
 */
export async function takeChallenge(
  db: Db,
  token: string | undefined,
  { purpose, session_id }: ChallengeFor,
  now_ms: number,
): Promise<string> {
  const values = { sha256: hashKey(token ?? ''), purpose, session_id, now_ms }
  const [taken] = await db.write((db) => queries(db).take.all(values))
  if (!taken) throw noChallenge()
  return taken.challenge
}

export const sweepChallenges = (db: Db, now_ms: number): Promise<void> =>
  db.write(async (db) => {
    await queries(db).removeExpired.run({ now_ms })
  })

/** The form of the cookie with the challenge's token. */
export const challengeCookie = ({ name, secure }: CookieForm): CookieForm => ({
  name: `${name}-passkey`,
  secure,
})

/** Reads the challenge's token from the cookie. */
export const challengeToken = (request: Request, settings: SiteSettings): string | undefined =>
  cookieForms(settings)
    .map((form) => cookieOf(request, challengeCookie(form).name))
    .find((token) => token !== undefined)

const noChallenge = () =>
  invalidRequest('This took longer than 5 minutes, or was done already. Start again.', {
    code: 'challenge_not_valid',
  })
