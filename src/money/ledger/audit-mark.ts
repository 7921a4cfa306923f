// The mark of a clean audit: the last call and entry that it covered, and their sums. A later audit begins there.
import { type Static, Type } from '@sinclair/typebox'
import { readJsonAs } from '../../domain/validation.ts'
import type { AuditMarkRow } from '../../store/audit-marks.ts'
import { MIGRATIONS } from '../../store/engines/sqlite/migrate.ts'
import { INVARIANTS } from './invariants.ts'

/** Ids with amounts, or with other ids. */
const Pairs = Type.Array(Type.Tuple([Type.Integer(), Type.Integer()]))

export const AuditMark = Type.Object({
  /** The hash of the rules and of the number of migrations. A mark with another hash is ignored. */
  rules: Type.String(),
  /** The time of the last audit of all rows. */
  whole_at_ms: Type.Integer(),
  call_id: Type.Integer(),
  entry_id: Type.Integer(),
  /** The numbers of calls up to `call_id`, and of entries up to `entry_id`. */
  calls: Type.Integer(),
  entries: Type.Integer(),
  /** Charges above `entry_id` of calls up to `call_id`: these calls took longer than later ones. */
  late: Pairs,
  /** The latest start of a call up to `call_id`. */
  last_started_ms: Type.Integer(),
  /** By account: `balance` sums its entries; `owed` its unpaid charges less debt payments. */
  balance: Pairs,
  owed: Pairs,
  /** By key: its charges, paid or unpaid, less refunds. */
  spent: Pairs,
  /** By key: the account of its calls. */
  owners: Pairs,
  /** By kind of entry. */
  kinds: Type.Array(Type.Tuple([Type.String(), Type.Integer()])),
})
export type AuditMark = Static<typeof AuditMark>

const hash = (text: string): Uint8Array => new Bun.CryptoHasher('sha256').update(text).digest()

let rules: string | undefined

/** Returns the hash for this version of the program. */
export function hashOfRules(): string {
  rules ??= hash(
    JSON.stringify([MIGRATIONS.length, INVARIANTS.map(({ sql, above }) => [sql, above])]),
  ).toHex()
  return rules
}

export function markRowOf(mark: AuditMark): AuditMarkRow {
  const json = JSON.stringify(mark)
  return { json, sha256: hash(json) }
}

/** @returns undefined if the mark is damaged, or has other rules */
export function markFromRow({ json, sha256 }: AuditMarkRow): AuditMark | undefined {
  if (hash(json).toHex() !== sha256.toHex()) return undefined
  const mark = readJsonAs(AuditMark, json)
  return mark?.rules === hashOfRules() ? mark : undefined
}
