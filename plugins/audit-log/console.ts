// The audit log: who changed what, in pages and as a file. An account sees what was done in its own, without the operator's whereabouts.
import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Viewer } from '../../src/access/viewer.ts'
import type { PageRequest } from '../../src/db/page.ts'
import { AREAS, type Area, titleOf } from '../../src/domain/actions.ts'
import { type CsvColumns, csvTime } from '../../src/http/csv.ts'
import { PAGE_FIELDS, PAGE_PARAMETERS, pageFields, pageOf } from '../../src/http/paging.ts'
import { WholeNumber } from '../../src/http/parameters.ts'
import { PERIOD_PARAMETERS, readPeriod } from '../../src/http/period.ts'
import { Closed, Nullable, OneOf } from '../../src/http/schema.ts'
import { TimeFields, time } from '../../src/http/views.ts'
import { allNamed, DISPLAY_NAME, type Unnamed } from '../../src/surface/console/account-names.ts'
import { type ConsoleParts, FAILURES, viewerCalls } from '../../src/surface/console/calls.ts'
import { AccountRef } from '../../src/surface/console/fields.ts'
import { allPages, CsvFile, listCsv } from '../../src/surface/console/list-csv.ts'
import { requestedAccount } from '../../src/surface/console/references.ts'
import type { Gateway } from '../../src/surface/gateway.ts'
import { visibleLine } from '../../src/utilities/visible-text.ts'
import { type ActionFilter, type ListedAction, listActions } from './listing.ts'

const ROWS_AT_ONCE = 250

const ACTORS = ['operator', 'account', 'key', 'command', 'system'] as const

const FILTERS = {
  account: Type.Optional(AccountRef),
  key: Type.Optional(WholeNumber({ minimum: 1 }, 'the number of a key')),
  area: Type.Optional(OneOf(Object.keys(AREAS) as Area[])),
  by: Type.Optional(OneOf(ACTORS)),
  subject: Type.Optional(Type.String({ minLength: 1, maxLength: 500, must: 'at most 500 characters' })),
  ...PERIOD_PARAMETERS,
}
const LogQuery = Closed({ ...FILTERS, ...PAGE_PARAMETERS })
const ExportQuery = Closed(FILTERS)

const ChangedFields = Nullable(Type.Record(Type.String(), Type.Unknown()))

const ActionView = Closed({
  id: Type.Integer(),
  ...TimeFields('created'),
  action: Type.String({ description: 'such as `key.revoked`' }),
  title: Type.String({ description: 'the same in words' }),
  by: OneOf(ACTORS),
  session_id: Nullable(Type.Integer()),
  address: Nullable(Type.String({ description: 'of the session' })),
  command: Nullable(Type.String({ description: 'such as `key create`' })),
  machine_user: Nullable(Type.String({ description: 'who ran the command' })),
  request_id: Nullable(Type.String()),
  account_id: Nullable(Type.Integer()),
  account: Nullable(Type.String()),
  ...DISPLAY_NAME,
  key_id: Nullable(Type.Integer()),
  key_name: Nullable(Type.String()),
  key_prefix: Nullable(Type.String()),
  subject: Nullable(Type.String({ description: 'a model, provider, setting or backup' })),
  before: ChangedFields,
  after: ChangedFields,
})
export type AuditLogQuery = Static<typeof LogQuery>
export type ShownAction = Static<typeof ActionView>
const LogView = Closed({ actions: Type.Array(ActionView), ...PAGE_FIELDS })

/** `GET /console/api/audit-log`, and `/console/api/audit-log.csv`. */
export function auditLogRoutes(gateway: ConsoleParts) {
  const reader = async (viewer: Viewer, query: Static<typeof ExportQuery>) => {
    const filter = await filterOf(gateway, viewer, query)
    return async (asked: PageRequest) => {
      const { rows, next_cursor } = await listActions(gateway.db, filter, asked)
      return { rows: rows.map((row) => actionView(row, viewer)), next_cursor }
    }
  }
  return new Elysia({ name: 'console-audit-log' })
    .use(viewerCalls(gateway))
    .get(
      '/console/api/audit-log',
      async ({ viewer, query }) => {
        const read = await reader(viewer, query)
        const { rows, next_cursor } = await read(pageOf(query))
        return { actions: await allNamed(gateway.db, viewer, rows), ...pageFields({ next_cursor }) }
      },
      { query: LogQuery, response: { 200: LogView, ...FAILURES } },
    )
    .get(
      '/console/api/audit-log.csv',
      async ({ viewer, query }) => {
        const parts = allPages(ROWS_AT_ONCE, await reader(viewer, query))
        return listCsv(gateway, viewer, { list: 'audit-log', columns: COLUMNS, parts })
      },
      { query: ExportQuery, response: { 200: CsvFile, ...FAILURES } },
    )
}

/** @throws GatewayError not_found, invalid_request */
async function filterOf(
  gateway: Pick<Gateway, 'db'>,
  viewer: Viewer,
  { account, key, area, by, subject, ...period }: Static<typeof ExportQuery>,
): Promise<ActionFilter> {
  return {
    account_id: await requestedAccount(gateway, viewer, account),
    // Who signed in with a key sees what was done to that key.
    key_id: viewer.role === 'key' ? viewer.key_id : key,
    area,
    actor: by,
    subject,
    ...readPeriod(period),
  }
}

function actionView(row: ListedAction, viewer: Viewer): Unnamed<ShownAction> {
  const { id, action, account_id, account_name, key_id, key_name, key_prefix, subject } = row
  return {
    id,
    ...time('created', row.created_at_ms),
    action,
    title: titleOf(action),
    ...actorView(row, viewer),
    account_id,
    account: account_name,
    key_id,
    key_name,
    key_prefix,
    subject: subject === null ? null : visibleLine(subject),
    before: fieldsOf(row, row.before, viewer),
    after: fieldsOf(row, row.after, viewer),
  }
}

/** An account sees that the operator did something, not from where, nor by which command; a key sees the same of its account. */
function actorView(row: ListedAction, viewer: Viewer) {
  const { actor: by, session_id, address, command, machine_user, request_id } = row
  const is_told =
    viewer.role === 'operator' || by === 'key' || (by === 'account' && viewer.role === 'account')
  if (is_told) return { by, session_id, address, command, machine_user, request_id }
  const hidden = { session_id: null, address: null, command: null, machine_user: null, request_id: null }
  return { by: by === 'command' ? ('operator' as const) : by, ...hidden }
}

/** What only operators see, by actions: what they wrote down of an account. */
const OPERATORS_FIELDS: Readonly<Record<string, readonly string[]>> = {
  'account.changed': ['display_name', 'email', 'note'],
}

/** What callers wrote, such as a browser's name, is made visible. */
function fieldsOf(
  { action }: Pick<ListedAction, 'action'>,
  json: string | null,
  viewer: Viewer,
): Record<string, unknown> | null {
  if (json === null) return null
  const hidden = viewer.role === 'operator' ? [] : (OPERATORS_FIELDS[action] ?? [])
  const entries = Object.entries<unknown>(JSON.parse(json)).filter(([name]) => !hidden.includes(name))
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === 'string' ? visibleLine(value) : value]),
  )
}

const COLUMNS: CsvColumns<Unnamed<ShownAction>> = {
  id: ({ id }) => id,
  time_utc: ({ created_at_ms }) => csvTime(created_at_ms),
  action: ({ action }) => action,
  title: ({ title }) => title,
  by: ({ by }) => by,
  session_id: ({ session_id }) => session_id,
  address: ({ address }) => address,
  command: ({ command }) => command,
  machine_user: ({ machine_user }) => machine_user,
  account_id: ({ account_id }) => account_id,
  account: ({ account }) => account,
  key_id: ({ key_id }) => key_id,
  key: ({ key_name }) => key_name,
  subject: ({ subject }) => subject,
  before: ({ before }) => before && JSON.stringify(before),
  after: ({ after }) => after && JSON.stringify(after),
  request_id: ({ request_id }) => request_id,
}
