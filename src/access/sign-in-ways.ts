// Ways to sign in beside a password and a key, as plugins add them, and the rule that nobody takes the last one from themselves.
import { conflict } from '../domain/errors.ts'
import type { Awaitable, Db, Tx } from '../store/db.ts'
import { passwordQueries } from './session-queries.ts'

export interface SignInWay {
  /** As the form's part of it is called in `plugins/page-parts.ts`. */
  name: string
  /** Whether visitors have it at this moment. */
  isOffered: () => boolean
  /** Whether a person can sign in by it, as things are configured; absent: it lets in nobody who is here already. */
  isOf?: (db: Db, person_id: number) => Awaitable<boolean>
  /** Whether a person of it who is signed in also confirms by it that it is them. */
  confirms?: boolean
}

/**
 * Refuses a change that leaves a person without any way to sign in. After the change, in its transaction, which has locked the person: two changes
 * at once do not take the last two ways.
 *
 * @throws GatewayError conflict last_way_to_sign_in
 */
export async function requireWayLeft(tx: Tx, ways: readonly SignInWay[], person_id: number): Promise<void> {
  if (await passwordQueries(tx).ofPerson.get({ person_id })) return
  if ((await waysOf(tx, ways, person_id)).length > 0) return
  throw conflict(
    'This is your only way to sign in. Add another one first: a passkey, an identity, or a password by a link from the operator.',
    { code: 'last_way_to_sign_in' },
  )
}

/** Those by which a person can sign in at this moment. */
export async function waysOf(
  db: Db,
  ways: readonly SignInWay[],
  person_id: number,
): Promise<readonly SignInWay[]> {
  const found: SignInWay[] = []
  // One after the other: a transaction has one connection.
  for (const way of ways) if (way.isOffered() && (await way.isOf?.(db, person_id))) found.push(way)
  return found
}
