// Email addresses of people. An address belongs to one person; a verified owner keeps it.
import { conflict } from '../domain/errors.ts'
import type { Awaitable, Db, Tx } from '../store/db.ts'
import type { PersonRow } from '../store/schema.ts'
import { peopleQueries } from './people-queries.ts'

/**
 * Sets a person's verified address. A person with the same unverified address loses it.
 *
 * @param email result of `personsAddress`
 * @throws GatewayError conflict if another person has verified the address
 */
export async function claimEmail(
  tx: Tx,
  { person_id, email, now_ms }: { person_id: number; email: string; now_ms: number },
): Promise<void> {
  const { byEmail, setEmail } = peopleQueries(tx)
  const holder: PersonRow | undefined = await byEmail.get({ email })
  if (holder && holder.id !== person_id) {
    if (holder.email_verified_at_ms !== null) throw emailTaken()
    await setEmail.run({ id: holder.id, email: null, email_verified_at_ms: null })
  }
  await setEmail.run({ id: person_id, email, email_verified_at_ms: now_ms })
}

/**
 * Sets a person's unverified address. They can sign in with it, but get no mails with links.
 *
 * @param email result of `personsAddress`
 * @throws GatewayError conflict if another person has it
 */
export async function setUnverifiedEmail(
  tx: Tx,
  { person_id, email }: { person_id: number; email: string },
): Promise<void> {
  const { byEmail, setEmail } = peopleQueries(tx)
  const holder: PersonRow | undefined = await byEmail.get({ email })
  if (holder && holder.id !== person_id) throw emailTaken()
  if (!holder) await setEmail.run({ id: person_id, email, email_verified_at_ms: null })
}

/** The person with an address, verified or not. */
export const personOfEmail = (db: Db, email: string): Awaitable<PersonRow | undefined> =>
  peopleQueries(db).byEmail.get({ email })

const emailTaken = () =>
  conflict('This email address belongs to another person here. Choose another one.', {
    code: 'email_taken',
    param: 'email',
  })
