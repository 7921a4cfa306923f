// Checks that rows of an earlier import are still the same: another database has the same numbers, and SQLite reuses those of deleted rows.
import { conflict } from '../../../src/domain/errors.ts'
import type { IncomingAccount, IncomingKey, MoveIn } from '../move-in.ts'
import { accountIdentity, keyIdentity } from './identity.ts'
import { type Known, rowName } from './known.ts'

type Rows = Known['rows']

/** @returns true also for a new key */
export function isSameKey(key: IncomingKey, rows: Rows): boolean {
  const row = rows.get(rowName('key', key.source_id))
  return row === undefined || row.identity === '' || row.identity === keyIdentity(key)
}

/**
 * An account keeps its identity if its name or its email is the same, or else if one of its keys is.
 * @returns true also for new and erased accounts
 */
export function isSameAccount(account: IncomingAccount, rows: Rows): boolean {
  const row = rows.get(rowName('account', account.source_id))
  if (!row || row.identity === '') return true
  const [name, email] = row.identity.split(' ')
  const [other_name, other_email] = accountIdentity(account).split(' ')
  if (name === other_name || (email === other_email && email !== '-')) return true
  return account.keys.some(
    (key) => rows.get(rowName('key', key.source_id))?.account_id === row.account_id && isSameKey(key, rows),
  )
}

/** @throws GatewayError conflict if most imported rows have changed identity, or if most keys exist here from an import of another name */
export function refuseOtherDatabase({ accounts }: MoveIn, { rows, keys }: Known, source: string): void {
  const incoming_keys = accounts.flatMap((account) => account.keys)
  const known_accounts = accounts.filter(({ source_id }) => rows.has(rowName('account', source_id)))
  const known_keys = incoming_keys.filter(({ source_id }) => rows.has(rowName('key', source_id)))
  const other =
    firstOfMajority(known_accounts, (account) => !isSameAccount(account, rows)) ??
    firstOfMajority(known_keys, (key) => !isSameKey(key, rows))
  if (other)
    throw conflict(
      `Rows of this database, such as ${other.source_id}, are not those that were imported as "${source}" before. If it is another ` +
        'database, give this import a name of its own with --as NAME. Nothing was imported.',
    )
  if (rows.size > 0) return
  const hashes = new Set(keys.map(({ sha256 }) => sha256.toString('hex')))
  if (firstOfMajority(incoming_keys, ({ sha256 }) => hashes.has(sha256.toString('hex'))))
    throw conflict(
      'Most keys of this database are here already: it was imported under another name. Its balances would be imported twice. Give the ' +
        'name that it had then with --as NAME. Nothing was imported.',
    )
}

/** @returns the first of the chosen rows if more than half are chosen */
function firstOfMajority<Row>(rows: readonly Row[], isChosen: (row: Row) => boolean): Row | undefined {
  const chosen = rows.filter(isChosen)
  return chosen.length * 2 > rows.length ? chosen[0] : undefined
}
