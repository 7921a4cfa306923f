// Imported rows that the source has since deleted or disabled. They still work here.
import type { MoveIn } from '../move-in.ts'
import type { ChangedValue } from './identity.ts'
import { type Known, rowName } from './known.ts'

/** Returns accounts and keys that are still active here, by their names here: the operator may suspend or revoke them. */
export function deletedOrDisabledRows({ accounts }: MoveIn, known: Known, now_ms: number): ChangedValue[] {
  // An import of LiteLLM's configuration alone has no accounts.
  if (accounts.length === 0) return []
  const present = new Set(
    accounts.flatMap(({ source_id, keys }) => [
      rowName('account', source_id),
      ...keys.map((key) => rowName('key', key.source_id)),
    ]),
  )
  const keys = new Map(known.keys.map((key) => [key.id, key]))
  return [...known.rows.values()].flatMap(({ kind, source_id, account_id, key_id }) => {
    const account = known.accounts.get(account_id)
    if (kind === 'link' || present.has(rowName(kind, source_id)) || !account) return []
    if (account.status !== 'active' || known.closed.has(account_id)) return []
    const change = { field: 'state', was: 'in use', is: 'deleted or disabled' }
    if (kind === 'account') return [{ ...change, row: `${source_id}, ${account.name}` }]
    const key = keys.get(key_id ?? 0)
    const ends_ms = [key?.revoked_at_ms, key?.expires_at_ms].map(
      (end_ms) => end_ms ?? Number.POSITIVE_INFINITY,
    )
    return key && Math.min(...ends_ms) > now_ms
      ? [{ ...change, row: `${source_id}, "${key.name}" of ${account.name}` }]
      : []
  })
}
