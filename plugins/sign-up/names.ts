// Names of accounts that people choose for themselves: stricter rules than for the operator's names, and a proposal from an address.
import { sql } from 'drizzle-orm'
import { checkAccountName, nameTaken } from '../../src/access/accounts.ts'
import { invalidRequest } from '../../src/domain/errors.ts'
import type { Db } from '../../src/store/db.ts'
import { placeholder } from '../../src/store/placeholders.ts'
import { perConnection } from '../../src/store/prepared.ts'
import { accounts } from '../../src/store/schema.ts'

/** Lower case, so that no two names look alike; no "@", since people sign in by name or by address. */
const NAME = /^[a-z][a-z0-9]*(?:[._-][a-z0-9]+)*$/
const MIN_NAME_CHARS = 3
const MAX_NAME_CHARS = 40

/** Names that customers could take for the operator or for a part of the service. */
const RESERVED: ReadonlySet<string> = new Set(
  (
    'admin administrator root operator owner staff support help helpdesk billing payments payment security abuse postmaster ' +
    'webmaster hostmaster noreply no-reply info system service console account accounts api www mail tollgate auditor ' +
    'everyone nobody null undefined test-operator official team moderator'
  ).split(' '),
)

const queries = perConnection({
  byLowerName: (orm) =>
    orm
      .select({ id: accounts.id })
      .from(accounts)
      .where(sql`lower(${accounts.name}) = ${placeholder('name')}`)
      .limit(1),
})

/** @throws GatewayError invalid_request for a malformed or reserved name */
export function checkChosenName(name: string): void {
  if (!NAME.test(name) || name.length < MIN_NAME_CHARS || name.length > MAX_NAME_CHARS)
    throw invalidRequest(
      `name: use ${MIN_NAME_CHARS} to ${MAX_NAME_CHARS} lower-case letters and digits, with single dots, hyphens or underscores between them; begin with a letter.`,
      { param: 'name' },
    )
  checkAccountName(name)
  if (RESERVED.has(name))
    throw invalidRequest(`name: "${name}" is reserved. Choose another one.`, { param: 'name' })
}

/** Whether an account has the name, ignoring case. */
const isTaken = async (db: Db, name: string): Promise<boolean> =>
  (await queries(db).byLowerName.get({ name: name.toLowerCase() })) !== undefined

/** @throws GatewayError invalid_request as `checkChosenName`, and for a taken name */
export async function requireFreeName(db: Db, name: string): Promise<void> {
  checkChosenName(name)
  if (await isTaken(db, name)) throw nameTaken(name)
}

const MAX_TRIES = 50

/**
 * Returns a free name made from the local part of an address, or "" after 50 taken ones. Callers must have verified the address: the proposal reveals
 * which names are taken.
 */
export async function proposeName(db: Db, email: string): Promise<string> {
  const base = nameFrom(email)
  for (let number = 1; number <= MAX_TRIES; number += 1) {
    const name = number === 1 ? base : `${base}-${number}`
    if (!RESERVED.has(name) && !(await isTaken(db, name))) return name
  }
  return ''
}

/** Makes a name that satisfies `checkChosenName`. */
export function nameFrom(email: string): string {
  const words = email
    .slice(0, email.lastIndexOf('@'))
    .toLowerCase()
    .replace(/\+.*$/, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .slice(0, MAX_NAME_CHARS - 4)
    .replace(/-+$/, '')
  return words.length < MIN_NAME_CHARS ? `${words === '' ? 'user' : words}-account` : words
}
