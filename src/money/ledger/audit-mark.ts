// The mark of a clean audit: the calls and entries up to which it looked, and their sums. A later audit begins there.
import { type Static, Type } from '@sinclair/typebox'
import { readJsonAs } from '../../domain/validation.ts'
import type { AuditMarkRow } from '../../store/audit-marks.ts'
import { MIGRATIONS } from '../../store/engines/sqlite/migrate.ts'
import { INVARIANTS } from './invariants.ts'

/** Ids with amounts, or with other ids. */
const Pairs = Type.Array(Type.Tuple([Type.Integer(), Type.Integer()]))

export const AuditMark = Type.Object({
  /** The hash of the rules and the version of the tables: a mark of another version is not trusted. */
  rules: Type.String(),
  /** When all rows were looked at last. */
  whole_at_ms: Type.Integer(),
  call_id: Type.Integer(),
  entry_id: Type.Integer(),
  /** The counts of rows up to these. */
  calls: Type.Integer(),
  entries: Type.Integer(),
  /** The charges above `entry_id` of calls up to `call_id`, which took longer than later calls. */
  late: Pairs,
  /** The latest begin of a call up to `call_id`. */
  last_started_ms: Type.Integer(),
  /** By account: its entries, and its unpaid charges less debt payments. */
  balance: Pairs,
  owed: Pairs,
  /** By key: its charges, paid or not, less refunds. */
  spent: Pairs,
  /** By key: the account of its calls. */
  owners: Pairs,
  /** By kind of entry. */
  kinds: Type.Array(Type.Tuple([Type.String(), Type.Integer()])),
})
export type AuditMark = Static<typeof AuditMark>

const hash = (text: string): Uint8Array => new Bun.CryptoHasher('sha256').update(text).digest()

let rules: string | undefined

/** Of this version of the program. */
export function hashOfRules(): string {
  rules ??= hash(
    JSON.stringify([MIGRATIONS.length, INVARIANTS.map(({ sql, above }) => [sql, above])]),
  ).toHex()
  return rules
}

export function sealMark(mark: AuditMark): AuditMarkRow {
  const json = JSON.stringify(mark)
  return { json, sha256: hash(json) }
}

/** @returns undefined where it is damaged, or of other rules */
export function unsealMark({ json, sha256 }: AuditMarkRow): AuditMark | undefined {
  if (hash(json).toHex() !== sha256.toHex()) return undefined
  const mark = readJsonAs(AuditMark, json)
  return mark?.rules === hashOfRules() ? mark : undefined
}
