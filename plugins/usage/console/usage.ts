// Sums of calls: GET /console/api/usage, by day, model, account and key, of an account or of all; and as a file.
import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { listedAccounts } from '../../../src/access/account-listing.ts'
import { listedKey } from '../../../src/access/key-listing.ts'
import { keysByNumber } from '../../../src/access/rows-by-number.ts'
import { accountOf, type Viewer } from '../../../src/access/viewer.ts'
import { DISPLAY_NAME } from '../../../src/app/surface/console/account-names.ts'
import { type ConsoleParts, FAILURES, viewerCalls } from '../../../src/app/surface/console/calls.ts'
import { AccountRef, KeyRef } from '../../../src/app/surface/console/fields.ts'
import { CsvFile, listCsv } from '../../../src/app/surface/console/list-csv.ts'
import { requestedAccount, requestedKey } from '../../../src/app/surface/console/references.ts'
import { USED_SUM_FIELDS, usedSumView } from '../../../src/app/surface/console/sum-views.ts'
import { lastDays } from '../../../src/domain/ranges.ts'
import { type CsvColumns, csvUsd } from '../../../src/http/csv.ts'
import { ModelName } from '../../../src/http/parameters.ts'
import { Closed, Nullable, OneOf } from '../../../src/http/schema.ts'
import { TimeFields, time } from '../../../src/http/views.ts'
import type { CallTotals } from '../../../src/money/ledger/totals.ts'
import { type Usage, usageOf } from '../usage.ts'
import { DAY_RANGE, daysOf } from './day-range.ts'

const MAX_LISTED = 200
/** It reads some thousand sums. */
const COUNTS_AS = 10

const FILTERS = {
  account: Type.Optional(AccountRef),
  model: Type.Optional(ModelName),
  key: Type.Optional(KeyRef),
  ...DAY_RANGE,
}
const UsageQuery = Closed(FILTERS)
const PARTS = ['day', 'model', 'account', 'key'] as const
const FileQuery = Closed({ ...FILTERS, by: Type.Optional(OneOf(PARTS)) })

const UsageView = Closed({
  account: Nullable(Type.String({ description: 'null: all accounts' })),
  ...TimeFields('from'),
  ...TimeFields('until'),
  unfinished: Type.Boolean({ description: 'whether the last day is not over yet' }),
  total: Closed(USED_SUM_FIELDS),
  days: Type.Array(Closed({ day: Type.String(), ...USED_SUM_FIELDS })),
  models: Type.Array(Closed({ model: Type.String(), ...USED_SUM_FIELDS })),
  accounts: Type.Array(
    Closed({ account_id: Type.Integer(), account: Type.String(), ...DISPLAY_NAME, ...USED_SUM_FIELDS }),
  ),
  further_accounts: Type.Integer({ description: 'accounts that cost less than those listed' }),
  keys: Type.Array(
    Closed({ key_id: Type.Integer(), key: Type.String(), key_prefix: Type.String(), ...USED_SUM_FIELDS }),
  ),
  further_keys: Type.Integer({ description: 'keys that were used, too, and cost less than those listed' }),
})

/** Days are in UTC. The operator sees all accounts together, or one. */
export function usageRoutes(gateway: ConsoleParts) {
  const { db } = gateway
  const { now } = gateway.calls
  const uses = (viewer: Viewer, query: Static<typeof UsageQuery>) => readUsage(gateway, viewer, query)

  return new Elysia({ name: 'console-usage' })
    .use(viewerCalls(gateway, { counts_as: COUNTS_AS }))
    .get(
      '/console/api/usage',
      async ({ viewer, query }): Promise<Static<typeof UsageView>> => {
        const { account_id, from_ms, until_ms, used } = await uses(viewer, query)
        const is_operator = viewer.role === 'operator'
        const view = (sum: CallTotals) => usedSumView(sum, is_operator)
        const is_all = account_id === undefined
        const [account] = is_all ? [] : await listedAccounts(db, [account_id])
        const accounts = is_all ? await accountsNamed(db, used.accounts.slice(0, MAX_LISTED)) : []
        const keys = await keysNamed(db, used.keys.slice(0, MAX_LISTED))
        return {
          account: account?.name ?? null,
          ...time('from', from_ms),
          ...time('until', until_ms),
          unfinished: until_ms === lastDays(now(), 1).until_ms,
          total: view(used.total),
          days: used.days.map((sum) => ({ day: sum.day, ...view(sum) })),
          models: used.models.map((sum) => ({ model: sum.model, ...view(sum) })),
          accounts: accounts.map((sum) => ({
            account_id: sum.account_id,
            account: sum.account,
            account_display_name: sum.account_display_name,
            ...view(sum),
          })),
          further_accounts: is_all ? Math.max(0, used.accounts.length - MAX_LISTED) : 0,
          keys: keys.map(({ key_id, key, key_prefix, ...sum }) => ({
            key_id,
            key,
            key_prefix,
            ...view(sum),
          })),
          further_keys: Math.max(0, used.keys.length - MAX_LISTED),
        }
      },
      { query: UsageQuery, response: { 200: UsageView, ...FAILURES } },
    )
    .get(
      '/console/api/usage.csv',
      ({ viewer, query: { by = 'day', ...query } }) =>
        listCsv(gateway, viewer, {
          list: `usage-by-${by}`,
          columns: { [by]: ({ name }: Named) => name, ...columnsFor(viewer) },
          parts: rowsBy(db, by, () => uses(viewer, query)),
        }),
      { query: FileQuery, response: { 200: CsvFile, ...FAILURES } },
    )
}

/** @throws GatewayError not_found for another's account or key; invalid_request for a range as `daysOf` */
async function readUsage(
  gateway: Pick<ConsoleParts, 'db' | 'calls'>,
  viewer: Viewer,
  { account, key, model, ...range }: Static<typeof UsageQuery>,
) {
  const { db, calls } = gateway
  const requested_id = await requestedAccount(gateway, viewer, account)
  const key_id = await requestedKey(gateway, viewer, requested_id, key)
  const account_id =
    requested_id ?? (key_id === undefined ? undefined : (await listedKey(db, key_id, undefined))?.account_id)
  const { from_ms, until_ms } = daysOf(range, calls.now())
  return {
    account_id,
    from_ms,
    until_ms,
    used: await usageOf(db, { account_id, key_id, model, from_ms, until_ms }),
  }
}

type Named = CallTotals & { name: string }

async function* rowsBy(
  db: ConsoleParts['db'],
  by: (typeof PARTS)[number],
  read: () => Promise<{ used: Usage }>,
): AsyncGenerator<Named[]> {
  const { used } = await read()
  if (by === 'day') yield used.days.map((sum) => ({ ...sum, name: sum.day }))
  else if (by === 'model') yield used.models.map((sum) => ({ ...sum, name: sum.model }))
  else if (by === 'account')
    yield (await accountsNamed(db, used.accounts)).map((sum) => ({ ...sum, name: sum.account }))
  else yield (await keysNamed(db, used.keys)).map((sum) => ({ ...sum, name: `${sum.key} ${sum.key_prefix}` }))
}

const COLUMNS: CsvColumns<Named> = {
  calls: ({ calls }) => calls,
  failed: ({ failed }) => failed,
  input_tokens: ({ input_tokens }) => input_tokens,
  output_tokens: ({ output_tokens }) => output_tokens,
  images: ({ images }) => images,
  cost_usd: ({ cost_nanos }) => csvUsd(cost_nanos),
}

/** A margin stands beside the revenue that it is of. */
const columnsFor = (viewer: Viewer): CsvColumns<Named> =>
  accountOf(viewer) !== undefined
    ? COLUMNS
    : {
        ...COLUMNS,
        revenue_with_known_cost_usd: ({ known_revenue_nanos }) => csvUsd(known_revenue_nanos),
        provider_cost_usd: ({ provider_cost_nanos }) => csvUsd(provider_cost_nanos),
      }

/** Sums with the names of their accounts. */
export async function accountsNamed<Sum extends { account_id: number }>(
  db: ConsoleParts['db'],
  sums: readonly Sum[],
) {
  const ids = sums.map(({ account_id }) => account_id)
  const accounts = await listedAccounts(db, ids)
  const listed = new Map(accounts.map((account) => [account.id, account]))
  return sums.map((sum) => ({
    ...sum,
    account: listed.get(sum.account_id)?.name ?? '',
    account_display_name: listed.get(sum.account_id)?.display_name ?? '',
  }))
}

async function keysNamed(db: ConsoleParts['db'], sums: Usage['keys']) {
  const keys = await keysByNumber(
    db,
    sums.map(({ key_id }) => key_id),
  )
  return sums.map((sum) => {
    const key = keys.get(sum.key_id)
    return { ...sum, key: key?.name ?? '', key_prefix: key?.prefix ?? '' }
  })
}
