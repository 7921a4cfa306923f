// Additional ways to sign in, which plugins add, and the rule that people cannot remove their last one.
import { conflict } from '../domain/errors.ts'
import type { Awaitable, Db, Tx } from '../store/db.ts'
import { passwordQueries } from './session-queries.ts'

export interface SignInWay {
  /** Name of its form part in `plugins/page-parts.ts`. */
  name: string
  /** Whether visitors can use it now. */
  isOffered: () => boolean
  /** Whether a person can sign in by it with the current settings. Absent if it never signs in existing people. */
  isOf?: (db: Db, person_id: number) => Awaitable<boolean>
  /** Whether a signed-in person can also confirm their identity by it. */
  confirms?: boolean
}

/**
 * Refuses a change that leaves a person without a way to sign in. Called after the change in its transaction, which has locked the person, so that
 * two concurrent changes cannot remove the last two ways.
 *
 * @throws GatewayError conflict last_way_to_sign_in
 */
export async function requireSignInWay(tx: Tx, ways: readonly SignInWay[], person_id: number): Promise<void> {
  if (await passwordQueries(tx).ofPerson.get({ person_id })) return
  if ((await waysOf(tx, ways, person_id)).length > 0) return
  throw conflict(
    'This is your only way to sign in. Add another one first: a passkey, an identity, or a password by a link from the operator.',
    { code: 'last_way_to_sign_in' },
  )
}

/** The ways by which a person can sign in now. */
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
