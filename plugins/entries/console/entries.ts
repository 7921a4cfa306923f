// Entries of the ledger: every movement of a balance, in pages and as a file.
import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { requireWholeAccount, type Viewer } from '../../../src/access/viewer.ts'
import { allNamed, DISPLAY_NAME, type Unnamed } from '../../../src/app/surface/console/account-names.ts'
import { type ConsoleParts, FAILURES, viewerCalls } from '../../../src/app/surface/console/calls.ts'
import { AccountRef } from '../../../src/app/surface/console/fields.ts'
import { CsvFile, listCsv } from '../../../src/app/surface/console/list-csv.ts'
import { requestedAccount } from '../../../src/app/surface/console/references.ts'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import { invalidRequest, notFound } from '../../../src/domain/errors.ts'
import { PAGE_FIELDS, PAGE_PARAMETERS, pageFields, pageOf } from '../../../src/http/paging.ts'
import { WholeNumber } from '../../../src/http/parameters.ts'
import { PERIOD_PARAMETERS, readPeriod } from '../../../src/http/period.ts'
import { Closed, OneOf } from '../../../src/http/schema.ts'
import { MoneyFields, money } from '../../../src/http/views.ts'
import { visibleLine } from '../../../src/utilities/visible-text.ts'
import { allEntries, type EntriesFilter, listNamedEntries, type NamedEntry } from '../all-entries.ts'
import { ENTRY_COLUMNS } from '../csv.ts'
import { ENTRY_KINDS } from '../listing.ts'
import { type EntrySum, entrySums, totalOf } from '../sums.ts'
import { ENTRY_FIELDS, entryFields } from '../view.ts'

const FILTERS = {
  account: Type.Optional(AccountRef),
  kind: Type.Optional(OneOf(ENTRY_KINDS)),
  ...PERIOD_PARAMETERS,
}
const EntriesQuery = Closed({
  ...FILTERS,
  ...PAGE_PARAMETERS,
  first: Type.Optional(WholeNumber({ minimum: 1 }, 'the number of an entry')),
})
const ExportQuery = Closed(FILTERS)

const EntryView = Closed({
  account_id: Type.Integer(),
  account: Type.String(),
  ...DISPLAY_NAME,
  ...ENTRY_FIELDS,
})
export type EntriesAsked = Static<typeof EntriesQuery>
export type ShownEntry = Static<typeof EntryView>
const EntriesView = Closed({ entries: Type.Array(EntryView), ...PAGE_FIELDS })

const SumsView = Closed({
  entries: Type.Integer(),
  ...MoneyFields('amount'),
  kinds: Type.Array(Closed({ kind: OneOf(ENTRY_KINDS), entries: Type.Integer(), ...MoneyFields('amount') })),
})

/** It looks at all entries that match. */
const SUMS_COUNT_AS = 50

/** `GET /console/api/entry-sums`: what the entries of a filter come to. */
export function entrySumRoutes(gateway: ConsoleParts) {
  return new Elysia({ name: 'console-entry-sums' })
    .use(viewerCalls(gateway, { counts_as: SUMS_COUNT_AS }))
    .get(
      '/console/api/entry-sums',
      async ({ viewer, query }) =>
        sumsView(await entrySums(gateway.db, await filterOf(gateway, viewer, query))),
      { query: ExportQuery, response: { 200: SumsView, ...FAILURES } },
    )
}

function sumsView(sums: EntrySum[]): Static<typeof SumsView> {
  const view = ({ entries, amount_nanos }: Pick<EntrySum, 'entries' | 'amount_nanos'>) => ({
    entries,
    ...money('amount', amount_nanos),
  })
  return {
    ...view(totalOf(sums)),
    kinds: ENTRY_KINDS.map((kind) => ({
      kind,
      ...view(totalOf(sums.filter((sum) => sum.kind === kind))),
    })).filter(({ entries }) => entries > 0),
  }
}

/** `GET /console/api/entries`, and `/console/api/entries.csv`: an account sees its own. */
export function entryRoutes(gateway: ConsoleParts) {
  const { db } = gateway
  return new Elysia({ name: 'console-entries' })
    .use(viewerCalls(gateway))
    .get(
      '/console/api/entries',
      async ({ viewer, query }) => {
        const { first, ...filters } = query
        const page = await listNamedEntries(db, await filterOf(gateway, viewer, filters), {
          ...pageOf(query),
          first,
        })
        if (!page) throw noSuchPlace(query)
        return { entries: await allNamed(db, viewer, page.rows.map(entryView)), ...pageFields(page) }
      },
      { query: EntriesQuery, response: { 200: EntriesView, ...FAILURES } },
    )
    .get(
      '/console/api/entries.csv',
      async ({ viewer, query }) => {
        const parts = allEntries(db, await filterOf(gateway, viewer, query))
        return listCsv(gateway, viewer, { list: 'entries', columns: ENTRY_COLUMNS, parts })
      },
      { query: ExportQuery, response: { 200: CsvFile, ...FAILURES } },
    )
}

const noSuchPlace = ({ cursor }: Static<typeof EntriesQuery>) =>
  cursor === undefined
    ? notFound('Entry not found. See the list of entries.', { param: 'first' })
    : invalidRequest('cursor: must be the next_cursor of the page before.', { param: 'cursor' })

/** @throws GatewayError not_found, invalid_request; permission_denied for a viewer who sees the calls of one key only */
async function filterOf(
  gateway: Pick<Gateway, 'db'>,
  viewer: Viewer,
  query: Static<typeof ExportQuery>,
): Promise<EntriesFilter> {
  requireWholeAccount(viewer)
  return {
    account_id: await requestedAccount(gateway, viewer, query.account),
    kind: query.kind,
    ...readPeriod(query),
  }
}

/** Notes of earlier versions may hold control characters, and marks that turn the direction of writing. */
const entryView = (entry: NamedEntry): Unnamed<Static<typeof EntryView>> => ({
  account_id: entry.account_id,
  account: entry.account_name,
  ...entryFields(entry),
  note: visibleLine(entry.note),
})
