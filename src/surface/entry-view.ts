// An entry of the ledger in JSON, as callers and the console see it.
import { type Static, Type } from '@sinclair/typebox'
import { Nullable, OneOf } from '../http/schema.ts'
import { MoneyFields, money, NullableMoneyFields, TimeFields, time } from '../http/views.ts'
import { ENTRY_KINDS, type ListedEntry } from '../ledger/entries.ts'

/** The fields of an entry. */
export const ENTRY_FIELDS = {
  id: Type.Integer(),
  kind: OneOf(ENTRY_KINDS),
  /** Signed: the change of the balance. */
  ...MoneyFields('amount'),
  note: Type.String(),
  /** Of the call that a charge pays for; null for the other kinds. */
  request_id: Nullable(Type.String()),
  model: Nullable(Type.String()),
  ...NullableMoneyFields('unpaid'),
  ...TimeFields('created'),
}

const Entry = Type.Object(ENTRY_FIELDS)

export const entryFields = (entry: ListedEntry): Static<typeof Entry> => ({
  id: entry.id,
  kind: entry.kind,
  ...money('amount', entry.amount_nanos),
  note: entry.note,
  request_id: entry.request_id,
  model: entry.model,
  ...money('unpaid', entry.unpaid_nanos),
  ...time('created', entry.created_at_ms),
})
