// A list as routes: pages in JSON and all rows as a file, for console viewers and for callers with an API key.
import {
  type Static,
  type TArray,
  type TObject,
  type TOptional,
  type TProperties,
  type TSchema,
  Type,
} from '@sinclair/typebox'
import { keyQueries } from '../../access/queries.ts'
import { requireRight } from '../../access/rights.ts'
import { requireWholeAccount, type Viewer } from '../../access/viewer.ts'
import { conflict, invalidRequest, notFound } from '../../domain/errors.ts'
import { PAGE_FIELDS, PAGE_PARAMETERS, pageFields, pageOf } from '../../http/paging.ts'
import { WholeNumber } from '../../http/parameters.ts'
import { PERIOD_PARAMETERS, readPeriod, ZONE_PARAMETER } from '../../http/period.ts'
import { Closed } from '../../http/schema.ts'
import type { Db } from '../../store/db.ts'
import type { Page } from '../../store/page.ts'
import type { Key } from '../../store/schema.ts'
import { KeyPrefix, refuseOtherKeys, type Scope, seesOwnOnly } from '../surface/account-calls.ts'
import { allNamed, DISPLAY_NAME } from '../surface/console/account-names.ts'
import { type ConsoleParts, FAILURES } from '../surface/console/calls.ts'
import { AccountRef, KeyRef } from '../surface/console/fields.ts'
import { allPages, CsvFile, listCsv } from '../surface/console/list-csv.ts'
import { requestedAccount, requestedKeys } from '../surface/console/references.ts'
import { type Columns, csvFor, type FieldsOf, fieldsFor, type Reader, rowFor } from './columns.ts'
import {
  type ConsoleFields,
  checkedParts,
  checkOwner,
  type FilterOf,
  type Filters,
  type List,
  type ListPageRequest,
  type Reading,
} from './list.ts'

/** Rows of a file per read: about 5 ms. */
const FILE_ROWS_AT_ONCE = 250

const CONSOLE_READERS: readonly Viewer['side'][] = ['operator', 'account', 'key']
const CALLERS: readonly Reader[] = ['caller']

type Parameters<F extends Filters> = { [Name in keyof F]: TOptional<F[Name]['schema']> }

type PageSchema<Field extends string, Fields extends TProperties, Totals extends TProperties> = TObject<
  Record<Field, TArray<TObject<Fields>>> & Totals & typeof PAGE_FIELDS
>

/** The parameters of every list, already checked by a schema. */
interface Requested {
  account?: string
  key?: string
  since?: string
  until?: string
  zone?: string
  limit?: number
  cursor?: number
  first?: number
}

const FIRST = { first: Type.Optional(WholeNumber({ minimum: 1 }, 'the number of a row')) }

/** Returns the schemas and handlers of a list's console routes: its pages and its file. */
export function consoleList<
  const Field extends string,
  Row extends object,
  F extends Filters,
  C extends Columns<Row>,
  Totals extends TProperties,
  Named extends boolean = true,
>(gateway: ConsoleParts, list: List<Field, Row, F, C, Totals, Named>) {
  const { db } = gateway
  const { selects = ['account', 'key', 'period'] } = list
  const parameters = {
    ...onlyIf(selects.includes('account'), { account: Type.Optional(AccountRef) }),
    ...onlyIf(list.of === 'key' && selects.includes('key'), { key: Type.Optional(KeyRef) }),
    ...parametersOf(list.filters),
    ...onlyIf(selects.includes('period'), PERIOD_PARAMETERS),
  }
  const query = Closed({
    ...parameters,
    ...PAGE_PARAMETERS,
    ...onlyIf(list.begins_with !== undefined, FIRST),
  })
  const file_query = Closed({ ...parameters, ...ZONE_PARAMETER })
  const fields = consoleFields<C, Named>(list)
  const page_schema = pageSchema<Field, typeof fields, Totals>(list, { ...fields })
  const readingOf = (viewer: Viewer): Reading => ({ now_ms: gateway.calls.now(), viewer })

  /** @throws GatewayError not_found for an account or key of another owner; permission_denied, also for the operator's list; invalid_request */
  async function filterOf(viewer: Viewer, { account, key, ...rest }: Requested): Promise<FilterOf<F>> {
    if (list.of === 'operator') requireRight(viewer, 'read_all')
    if (list.of === 'account') requireWholeAccount(viewer)
    if (list.of === 'viewer')
      return { ...ownFilters(list, rest), account_id: undefined, key_ids: undefined } as FilterOf<F>
    const account_id = await requestedAccount(gateway, viewer, account)
    const own_key = list.keys_see_own && viewer.side === 'key' ? [viewer.key_id] : undefined
    const key_ids = own_key ?? (await requestedKeys(gateway, viewer, account_id, key))
    return { ...ownFilters(list, rest), account_id, key_ids, ...readPeriod(rest) } as FilterOf<F>
  }

  return {
    filterOf,
    file_query,
    page_route: { query, response: { 200: page_schema, ...FAILURES } },
    file_route: { query: file_query, response: { 200: CsvFile, ...FAILURES } },
    async page(viewer: Viewer, requested: Static<typeof query>): Promise<Static<typeof page_schema>> {
      const values: object = requested
      const filter = await filterOf(viewer, values)
      const { rows, ...rest } = await readPage(db, list, filter, { ...values, reading: readingOf(viewer) })
      const page: object = { [list.field]: await consoleRows(db, viewer, list, rows), ...rest }
      return page as Static<typeof page_schema>
    },
    async file(viewer: Viewer, requested: Static<typeof file_query>): Promise<Response> {
      const values: Requested = { ...requested }
      const filter = await filterOf(viewer, values)
      const reading = readingOf(viewer)
      const parts =
        list.readAll?.(db, filter) ??
        allPages(FILE_ROWS_AT_ONCE, async (page) =>
          foundIn(list, await list.read(db, filter, page, reading), page),
        )
      return listCsv(gateway, viewer, {
        list: list.name,
        columns: csvFor(list.columns, viewer.side, list.csv),
        parts: checkedParts(list, filter, parts),
        zone: values.zone,
      })
    },
  }
}

/** Returns the schemas of a console row, for the view of a single row with more fields. */
export const consoleFields = <C extends Columns<never>, Named extends boolean>({
  columns,
  names_accounts,
}: {
  columns: C
  names_accounts?: Named
}): ConsoleFields<C, Named> =>
  ({
    ...fieldsFor(columns, CONSOLE_READERS),
    ...(names_accounts !== false && DISPLAY_NAME),
  }) as ConsoleFields<C, Named>

/** Returns one console row, for its view. */
export async function consoleRow<Row extends object, C extends Columns<Row>, Named extends boolean>(
  db: Db,
  viewer: Viewer,
  list: { columns: C; names_accounts?: Named },
  row: Row,
) {
  const [fields] = await consoleRows(db, viewer, list, [row])
  return fields as Static<TObject<ConsoleFields<C, Named>>>
}

async function consoleRows<Row extends object>(
  db: Db,
  viewer: Viewer,
  { columns, names_accounts }: { columns: Columns<Row>; names_accounts?: boolean },
  rows: readonly Row[],
): Promise<object[]> {
  const names = names_accounts === false ? [] : await allNamed(db, viewer, rows.map(ownerOf))
  return rows.map((row, at) => ({
    ...rowFor(columns, viewer.side, row),
    ...(names[at] && { account_display_name: names[at].account_display_name }),
  }))
}

const ownerOf = (row: { account_id?: number | null }) => ({ account_id: row.account_id ?? null })

/** Returns the schemas and handler of a list's route for callers with an API key. @param description of a page */
export function callersList<
  const Field extends string,
  Row,
  F extends Filters,
  C extends Columns<Row>,
  Totals extends TProperties,
>(
  { db, calls: { now } }: Pick<ConsoleParts, 'db' | 'calls'>,
  list: List<Field, Row, F, C, Totals, boolean, 'account' | 'key'>,
  description: string,
) {
  const query = Closed({
    ...onlyIf(list.of === 'key', { key: KeyPrefix }),
    ...parametersOf(list.filters),
    ...PERIOD_PARAMETERS,
    ...PAGE_PARAMETERS,
  })
  const fields = fieldsFor(list.columns, CALLERS)
  const page_schema = pageSchema<Field, FieldsOf<C, 'caller'>, Totals>(list, fields, description)
  return {
    query,
    page_schema,
    /** @throws GatewayError invalid_request for days that do not exist; permission_denied for rows that a limited key may not see */
    async page(
      { account_id, only }: Scope,
      { key, ...rest }: Requested,
    ): Promise<Static<typeof page_schema>> {
      if (list.of === 'account' && only) throw seesOwnOnly()
      refuseOtherKeys(key, only)
      const key_ids = only ? [only.id] : await keysWith(db, account_id, key)
      const filter = { ...ownFilters(list, rest), account_id, key_ids, ...readPeriod(rest) } as FilterOf<F>
      const { rows, ...others } = await readPage(db, list, filter, { ...rest, reading: { now_ms: now() } })
      const page: object = { [list.field]: rows.map((row) => rowFor(list.columns, 'caller', row)), ...others }
      return page as Static<typeof page_schema>
    },
  }
}

async function keysWith(
  db: Db,
  account_id: number,
  prefix: string | undefined,
): Promise<readonly number[] | undefined> {
  if (prefix === undefined) return undefined
  const found: Key[] = await keyQueries(db).keysByPrefix.all({ prefix })
  const own = found.filter((key) => key.account_id === account_id)
  if (own.length > 1)
    throw conflict(`More than one key of the account begins with "${prefix}". Leave out "key".`, {
      param: 'key',
    })
  return own.map(({ id }) => id)
}

async function readPage<Row, F extends Filters, C extends Columns<Row>, Totals extends TProperties>(
  db: Db,
  list: List<string, Row, F, C, Totals>,
  filter: FilterOf<F>,
  { reading, ...requested }: Requested & { reading: Reading },
) {
  const { limit, cursor } = pageOf(requested)
  const page = { limit: Math.min(limit, list.max_rows), cursor, first: requested.first }
  const { rows, next_cursor } = foundIn(list, await list.read(db, filter, page, reading), page)
  checkOwner(list, filter, rows)
  return { rows, ...(await list.totals?.read(db, filter, reading)), ...pageFields({ next_cursor }) }
}

/** @throws GatewayError not_found for an unknown first row, invalid_request for an unknown cursor */
function foundIn<Row>(
  { begins_with = 'Row', field }: { begins_with?: string; field: string },
  page: Page<Row> | undefined,
  { cursor }: ListPageRequest,
): Page<Row> {
  if (page) return page
  throw cursor === undefined
    ? notFound(`${begins_with} not found. See the list of ${field}.`, { param: 'first' })
    : invalidRequest('cursor: must be the next_cursor of the page before.', { param: 'cursor' })
}

/** Parameters that only some lists have. All are optional, so their type can be the same for every list. */
const onlyIf = <Some extends TProperties>(condition: boolean, parameters: Some): Some =>
  (condition ? parameters : {}) as Some

const parametersOf = <F extends Filters>(filters: F): Parameters<F> =>
  Object.fromEntries(
    Object.entries(filters).map(([name, { schema }]) => [name, Type.Optional(schema)]),
  ) as Parameters<F>

function ownFilters({ filters }: { filters: Filters }, requested: object): Record<string, unknown> {
  const values = new Map<string, unknown>(Object.entries(requested))
  return Object.fromEntries(Object.keys(filters).map((name) => [name, values.get(name)]))
}

function pageSchema<Field extends string, Fields extends TProperties, Totals extends TProperties>(
  { field, totals }: { field: Field; totals?: { fields: Totals } },
  fields: TProperties,
  description?: string,
): PageSchema<Field, Fields, Totals> {
  const rows = { [field]: Type.Array(Closed(fields), { description: 'Newest first.' }) }
  const about = description === undefined ? {} : { description }
  const schema: TSchema = Closed({ ...rows, ...totals?.fields, ...PAGE_FIELDS }, about)
  return schema as PageSchema<Field, Fields, Totals>
}
