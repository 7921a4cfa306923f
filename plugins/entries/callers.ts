// The entries of an account as its callers ask for them, and as they are shown.
import { type Static, Type } from '@sinclair/typebox'
import { invalidRequest } from '../../src/domain/errors.ts'
import { PAGE_FIELDS, PAGE_PARAMETERS, pageFields, pageOf } from '../../src/http/paging.ts'
import { PERIOD_PARAMETERS, readPeriod } from '../../src/http/period.ts'
import { Closed, OneOf } from '../../src/http/schema.ts'
import type { Db } from '../../src/store/db.ts'
import { ENTRY_KINDS, listEntries } from './listing.ts'
import { ENTRY_FIELDS, entryFields } from './view.ts'

export const EntriesQuery = Closed({
  kind: Type.Optional(OneOf(ENTRY_KINDS, { description: 'Of this kind only.', examples: ['top_up'] })),
  ...PERIOD_PARAMETERS,
  ...PAGE_PARAMETERS,
})

const EntryView = Closed(ENTRY_FIELDS)

export const EntriesView = Closed(
  { entries: Type.Array(EntryView, { description: 'The newest first.' }), ...PAGE_FIELDS },
  { description: 'A page of entries.' },
)

/** @throws GatewayError invalid_request for days that do not exist, or a cursor that is no entry of the account */
export async function entriesPage(db: Db, account_id: number, query: Static<typeof EntriesQuery>) {
  const page = await listEntries(db, { account_id, kind: query.kind, ...readPeriod(query) }, pageOf(query))
  if (!page) throw invalidRequest('cursor: must be the next_cursor of the page before.', { param: 'cursor' })
  return { entries: page.rows.map(entryFields), ...pageFields(page) }
}
