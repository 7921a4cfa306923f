// An entry of the ledger in JSON, as callers and the console see it.
import { type Static, Type } from '@sinclair/typebox'
import { Nullable, OneOf } from '../../src/http/schema.ts'
import { MoneyFields, money, NullableMoneyFields, TimeFields, time } from '../../src/http/views.ts'
import { ENTRY_KINDS, type ListedEntry } from './listing.ts'

/** The fields of an entry. */
export const ENTRY_FIELDS = {
  id: Type.Integer({ description: 'The id of the entry.' }),
  kind: OneOf(ENTRY_KINDS, { description: 'What moved the balance.' }),
  ...MoneyFields('amount', 'The change of the balance, negative for a charge'),
  note: Type.String({ description: 'What the operator wrote of it.' }),
  request_id: Nullable(Type.String({ description: 'Of a charge: the call.' })),
  model: Nullable(Type.String({ description: 'Of a charge: the model.' })),
  ...NullableMoneyFields('unpaid', 'Of a charge: what the balance did not cover'),
  ...TimeFields('created', 'When'),
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
