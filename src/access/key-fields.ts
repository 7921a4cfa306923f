// A key's fields for the audit log: name, prefix and limits, never its secret.
import type { Fields } from '../domain/actions.ts'
import { formatUsd, type Nanos } from '../domain/money.ts'
import type { Key } from '../store/schema.ts'

/** The fields of a key that are set. */
export function keyFields(key: Key): Fields {
  return Object.fromEntries(Object.entries(allFields(key)).filter(([, value]) => value !== null))
}

/** The fields in which two versions of a key differ; undefined if they do not. */
export function changedKeyFields(before: Key, after: Key): { before: Fields; after: Fields } | undefined {
  const [was, is] = [allFields(before), allFields(after)]
  const names = Object.keys(was).filter(
    (name) => !Bun.deepEquals(Reflect.get(was, name), Reflect.get(is, name)),
  )
  if (names.length === 0) return undefined
  const only = (fields: Fields) => Object.fromEntries(names.map((name) => [name, fields[name]]))
  return { before: only(was), after: only(is) }
}

const allFields = ({
  name,
  prefix,
  models,
  spend_limit_nanos,
  concurrent_calls,
  addresses,
  expires_at_ms,
  revoked_at_ms,
}: Key) => ({
  name,
  prefix,
  models,
  spend_limit_usd: usdOrNull(spend_limit_nanos),
  concurrent_calls,
  addresses,
  expires_at: isoOrNull(expires_at_ms),
  revoked_at: isoOrNull(revoked_at_ms),
})

/** Formats an amount for the audit log. */
export const usdOrNull = (nanos: Nanos | null): string | null => (nanos === null ? null : formatUsd(nanos))

const isoOrNull = (time_ms: number | null): string | null =>
  time_ms === null ? null : new Date(time_ms).toISOString()
