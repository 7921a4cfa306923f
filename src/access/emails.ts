// Addresses of people: one person has an address, and whoever has shown that it is theirs keeps it.
import { conflict } from '../domain/errors.ts'
import type { Awaitable, Db, Tx } from '../store/db.ts'
import type { PersonRow } from '../store/schema.ts'
import { peopleQueries } from './people-queries.ts'

/**
 * Gives a person an address that they have shown to be theirs. A person for whom it was only written down loses it.
 *
 * @param email as `personsAddress` has it
 * @throws GatewayError conflict if another person has shown that it is theirs
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
 * Writes an address down for a person, who has not shown yet that it is theirs: they sign in by it, and no mail with a link goes there.
 *
 * @param email as `personsAddress` has it
 * @throws GatewayError conflict if another person has it
 */
export async function noteEmail(
  tx: Tx,
  { person_id, email }: { person_id: number; email: string },
): Promise<void> {
  const { byEmail, setEmail } = peopleQueries(tx)
  const holder: PersonRow | undefined = await byEmail.get({ email })
  if (holder && holder.id !== person_id) throw emailTaken()
  if (!holder) await setEmail.run({ id: person_id, email, email_verified_at_ms: null })
}

/** The person of an address, whether or not they have shown that it is theirs. */
export const personOfEmail = (db: Db, email: string): Awaitable<PersonRow | undefined> =>
  peopleQueries(db).byEmail.get({ email })

const emailTaken = () =>
  conflict('This email address belongs to another person here. Choose another one.', {
    code: 'email_taken',
    param: 'email',
  })
