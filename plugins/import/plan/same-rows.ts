// Whether rows that came in before are the same today: another database has the same numbers, and SQLite gives that of a deleted row to a new one.
import { conflict } from '../../../src/domain/errors.ts'
import type { IncomingAccount, IncomingKey, MoveIn } from '../move-in.ts'
import { accountIdentity, keyIdentity } from './identity.ts'
import { type Known, rowName } from './known.ts'

type Rows = Known['rows']

/** @returns true, too, for a key that is new */
export function isSameKey(key: IncomingKey, rows: Rows): boolean {
  const row = rows.get(rowName('key', key.source_id))
  return row === undefined || row.identity === '' || row.identity === keyIdentity(key)
}

/**
 * An account may have another name or another email by now. With another of both, one of its keys tells that it is the same.
 * @returns true, too, for an account that is new or erased
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

/** @throws GatewayError conflict where most rows that came in before are others, or where most keys are here under another name of the import */
export function refuseOtherDatabase({ accounts }: MoveIn, { rows, keys }: Known, source: string): void {
  const incoming_keys = accounts.flatMap((account) => account.keys)
  const known_accounts = accounts.filter(({ source_id }) => rows.has(rowName('account', source_id)))
  const known_keys = incoming_keys.filter(({ source_id }) => rows.has(rowName('key', source_id)))
  const other =
    mostOf(known_accounts, (account) => !isSameAccount(account, rows)) ??
    mostOf(known_keys, (key) => !isSameKey(key, rows))
  if (other)
    throw conflict(
      `Rows of this database, such as ${other.source_id}, are not those that were imported as "${source}" before. If it is another ` +
        'database, give this import a name of its own with --as NAME. Nothing was imported.',
    )
  if (rows.size > 0) return
  const hashes = new Set(keys.map(({ sha256 }) => sha256.toString('hex')))
  if (mostOf(incoming_keys, ({ sha256 }) => hashes.has(sha256.toString('hex'))))
    throw conflict(
      'Most keys of this database are here already: it was imported under another name. Its balances would be imported twice. Give the ' +
        'name that it had then with --as NAME. Nothing was imported.',
    )
}

/** @returns the first of the chosen ones, where they are more than half */
function mostOf<Row>(rows: readonly Row[], isChosen: (row: Row) => boolean): Row | undefined {
  const chosen = rows.filter(isChosen)
  return chosen.length * 2 > rows.length ? chosen[0] : undefined
}
