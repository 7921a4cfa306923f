// The argument of commands that names a person of an account: an address, or a number.
import { teamQueries } from '../../access/team-queries.ts'
import { notFound } from '../../domain/errors.ts'
import type { Db } from '../../store/db.ts'
import type { Account } from '../../store/schema.ts'

/**
 * Finds a person of an account by email address. A number is used as their ID without a check.
 *
 * @throws GatewayError not_found if no person of the account has the address
 */
export async function personIn(
  db: Db,
  { id: account_id, name }: Account,
  reference: string,
): Promise<{ account_id: number; person_id: number }> {
  const number = /^\d{1,15}$/.test(reference) ? Number(reference) : undefined
  const person_id =
    number ?? (await teamQueries(db).byEmail.get({ account_id, email: reference.toLowerCase() }))?.person_id
  if (person_id === undefined)
    throw notFound(
      `"${reference}" is not in the account "${name}". \`tollgate account team list ${name}\` shows its people.`,
    )
  return { account_id, person_id }
}
