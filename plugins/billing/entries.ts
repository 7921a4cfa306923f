// The entries of an account as its callers ask for them, and as they are shown.
import type { Database } from 'bun:sqlite'
import { type Static, Type } from '@sinclair/typebox'
import { invalidRequest } from '../../src/domain/errors.ts'
import { PAGE_FIELDS, PAGE_PARAMETERS, pageFields, pageOf } from '../../src/http/paging.ts'
import { PERIOD_PARAMETERS, readPeriod } from '../../src/http/period.ts'
import { Nullable, OneOf } from '../../src/http/schema.ts'
import { MoneyFields, money, NullableMoneyFields, TimeFields, time } from '../../src/http/views.ts'
import { ENTRY_KINDS, type ListedEntry, listEntries } from '../../src/ledger/entries.ts'

const closed = { additionalProperties: false }

export const EntriesQuery = Type.Object(
  {
    kind: Type.Optional(OneOf(ENTRY_KINDS)),
    ...PERIOD_PARAMETERS,
    ...PAGE_PARAMETERS,
  },
  closed,
)

const EntryView = Type.Object(
  {
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
  },
  closed,
)

export const EntriesView = Type.Object({ entries: Type.Array(EntryView), ...PAGE_FIELDS }, closed)

/** @throws GatewayError invalid_request for days that do not exist, or a cursor that is no entry of the account */
export function entriesPage(db: Database, account_id: number, query: Static<typeof EntriesQuery>) {
  const page = listEntries(db, { account_id, kind: query.kind, ...readPeriod(query) }, pageOf(query))
  if (!page) throw invalidRequest('cursor: must be the next_cursor of the page before.', { param: 'cursor' })
  return { entries: page.rows.map(entryView), ...pageFields(page) }
}

const entryView = (entry: ListedEntry): Static<typeof EntryView> => ({
  id: entry.id,
  kind: entry.kind,
  ...money('amount', entry.amount_nanos),
  note: entry.note,
  request_id: entry.request_id,
  model: entry.model,
  ...money('unpaid', entry.unpaid_nanos),
  ...time('created', entry.created_at_ms),
})
