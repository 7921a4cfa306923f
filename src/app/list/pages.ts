// A list as routes answer it: pages in JSON and all rows as a file, to those who are signed in and to callers with an API key.
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
import { onlyKeyOf, type Viewer } from '../../access/viewer.ts'
import type { Db } from '../../db/db.ts'
import type { Key } from '../../db/schema.ts'
import { PAGE_FIELDS, PAGE_PARAMETERS, pageFields, pageOf } from '../../http/paging.ts'
import { PERIOD_PARAMETERS, readPeriod } from '../../http/period.ts'
import { Closed } from '../../http/schema.ts'
import { KeyPrefix, refuseOtherKeys, type Scope } from '../../surface/account-calls.ts'
import { allNamed, DISPLAY_NAME } from '../../surface/console/account-names.ts'
import { type ConsoleParts, FAILURES } from '../../surface/console/calls.ts'
import { AccountRef, KeyRef } from '../../surface/console/fields.ts'
import { allPages, CsvFile, listCsv } from '../../surface/console/list-csv.ts'
import { requestedAccount, requestedKey } from '../../surface/console/references.ts'
import { type Columns, csvFor, type FieldsOf, fieldsFor, rowFor } from './columns.ts'
import type { FilterOf, Filters, List } from './list.ts'

/** Rows of a file that are read in one turn: some 5 ms. */
const FILE_ROWS_AT_ONCE = 250
/** No key has this number. */
const NO_KEY = -1

/** The parameters of a list's own filters. */
type OwnParameters<F extends Filters> = { [Name in keyof F]: TOptional<F[Name]> }

const ownParameters = <F extends Filters>(filters: F): OwnParameters<F> =>
  Object.fromEntries(
    Object.entries(filters).map(([name, schema]) => [name, Type.Optional(schema)]),
  ) as OwnParameters<F>

type PageOf<Field extends string, Fields extends TProperties, Beside extends TProperties> = TObject<
  Record<Field, TArray<TObject<Fields>>> & Beside & typeof PAGE_FIELDS
>

/** What every list can be narrowed by and paged by, once its schema has let it pass. */
interface Requested {
  account?: string
  key?: string
  since?: string
  until?: string
  limit?: number
  cursor?: number
}

/** The forms of a list at the console: its pages and its file. An account sees its own rows, a limited key its own. */
export function consoleList<
  const Field extends string,
  Row extends { account_id: number | null },
  F extends Filters,
  C extends Columns<Row>,
  Beside extends TProperties,
>(gateway: ConsoleParts, list: List<Field, Row, F, C, Beside>) {
  const { db } = gateway
  const parameters = {
    account: Type.Optional(AccountRef),
    key: Type.Optional(KeyRef),
    ...ownParameters(list.filters),
    ...PERIOD_PARAMETERS,
  }
  const query = Closed({ ...parameters, ...PAGE_PARAMETERS })
  const file_query = Closed(parameters)
  const view = pageSchema<Field, FieldsOf<C> & typeof DISPLAY_NAME, Beside>(list, {
    ...fieldsFor(list.columns, 'operator'),
    ...DISPLAY_NAME,
  })

  /** @throws GatewayError not_found for another's account or key; invalid_request */
  async function filterOf(viewer: Viewer, { account, key, ...rest }: Requested): Promise<FilterOf<F>> {
    const account_id = await requestedAccount(gateway, viewer, account)
    const own_key = list.keys_see_own && viewer.role === 'key' ? viewer.key_id : onlyKeyOf(viewer)
    const key_id = own_key ?? (await requestedKey(gateway, viewer, account_id, key))
    return { ...ownFilters(list, rest), account_id, key_id, ...readPeriod(rest) } as FilterOf<F>
  }

  return {
    /** The schemas of the route of its pages. */
    json: { query, response: { 200: view, ...FAILURES } },
    /** The schemas of the route of its file. */
    csv: { query: file_query, response: { 200: CsvFile, ...FAILURES } },
    async page(viewer: Viewer, requested: object): Promise<Static<typeof view>> {
      const filter = await filterOf(viewer, requested)
      const { rows, ...rest } = await readPage(db, list, filter, requested)
      const shown = rows.map((row) => ({
        account_id: row.account_id,
        ...rowFor(list.columns, viewer.role, row),
      }))
      const page: object = { [list.field]: await allNamed(db, viewer, shown), ...rest }
      return page as Static<typeof view>
    },
    async file(viewer: Viewer, requested: object): Promise<Response> {
      const filter = await filterOf(viewer, requested)
      const parts = allPages(FILE_ROWS_AT_ONCE, (page) => list.read(db, filter, page))
      return listCsv(gateway, viewer, { list: list.name, columns: csvFor(list.columns, viewer.role), parts })
    },
  }
}

/** The form of a list for callers with an API key: its pages. */
export function callersList<
  const Field extends string,
  Row,
  F extends Filters,
  C extends Columns<Row>,
  Beside extends TProperties,
>({ db }: { db: Db }, list: List<Field, Row, F, C, Beside>, description: string) {
  const query = Closed({
    key: KeyPrefix,
    ...ownParameters(list.filters),
    ...PERIOD_PARAMETERS,
    ...PAGE_PARAMETERS,
  })
  const view = pageSchema<Field, FieldsOf<C>, Beside>(list, fieldsFor(list.columns, 'caller'), description)
  return {
    query,
    view,
    /** @throws GatewayError invalid_request for days that do not exist; permission_denied for another's key where the caller's is limited */
    async page({ account_id, only }: Scope, { key, ...rest }: Requested): Promise<Static<typeof view>> {
      refuseOtherKeys(key, only)
      const key_id = only?.id ?? (await keyWith(db, account_id, key))
      const filter = { ...ownFilters(list, rest), account_id, key_id, ...readPeriod(rest) } as FilterOf<F>
      const { rows, ...beside } = await readPage(db, list, filter, rest)
      const page: object = { [list.field]: rows.map((row) => rowFor(list.columns, 'caller', row)), ...beside }
      return page as Static<typeof view>
    },
  }
}

async function keyWith(db: Db, account_id: number, prefix: string | undefined): Promise<number | undefined> {
  if (prefix === undefined) return undefined
  const found: Key[] = await keyQueries(db).keysByPrefix.all({ prefix })
  return found.find((key) => key.account_id === account_id)?.id ?? NO_KEY
}

/** One page, and what stands beside its rows. */
async function readPage<Row, F extends Filters, C extends Columns<Row>, Beside extends TProperties>(
  db: Db,
  list: List<string, Row, F, C, Beside>,
  filter: FilterOf<F>,
  requested: Requested,
) {
  const { limit, cursor } = pageOf(requested)
  const { rows, next_cursor } = await list.read(db, filter, { limit: Math.min(limit, list.max_rows), cursor })
  return { rows, ...(await list.beside?.read(db, filter)), ...pageFields({ next_cursor }) }
}

const ownFilters = ({ filters }: { filters: Filters }, requested: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.keys(filters).map((name) => [
      name,
      Object.entries(requested).find(([other]) => other === name)?.[1],
    ]),
  )

/** The schema of a page: its rows under the list's name, and what stands beside them. */
function pageSchema<Field extends string, Fields extends TProperties, Beside extends TProperties>(
  { field, beside }: { field: Field; beside?: { fields: Beside } },
  fields: TProperties,
  description?: string,
): PageOf<Field, Fields, Beside> {
  const rows = { [field]: Type.Array(Closed(fields), { description: 'The newest first.' }) }
  const about = description === undefined ? {} : { description }
  return Closed({ ...rows, ...beside?.fields, ...PAGE_FIELDS }, about) as TSchema as PageOf<
    Field,
    Fields,
    Beside
  >
}
