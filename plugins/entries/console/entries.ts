// Console routes of balance entries: list, CSV and sums.
import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { consoleList } from '../../../src/app/list/pages.ts'
import { type ConsoleParts, FAILURES, viewerCalls } from '../../../src/app/surface/console/calls.ts'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import type { Nanos } from '../../../src/domain/money.ts'
import { Closed, Nullable, OneOf } from '../../../src/http/schema.ts'
import { MoneyFields, money, NullableMoneyFields, TimeFields, time } from '../../../src/http/views.ts'
import { openingDebtsOf } from '../../../src/money/ledger/opening-debts.ts'
import { ENTRY_KINDS, type OpeningDebt } from '../../../src/store/schema.ts'
import { entry_list } from '../list.ts'
import { SOURCES, sourceOf, visibleOrder, withOrders } from '../sources.ts'
import { balancedSums } from '../statement.ts'
import { type EntrySum, entrySums, totalOf } from '../sums.ts'
import { statementRoutes } from './statement.ts'

/** All console routes of entries and statements. */
export const consoleRoutes = (gateway: Gateway) =>
  new Elysia({ name: 'console-entries-all' })
    .use(entryRoutes(gateway))
    .use(entrySumRoutes(gateway))
    .use(statementRoutes(gateway))

/** `GET /console/api/entries` and `/console/api/entries.csv`. An account sees its own entries. */
function entryRoutes(gateway: ConsoleParts) {
  const list = consoleList(gateway, entry_list)
  return new Elysia({ name: 'console-entries' })
    .use(viewerCalls(gateway))
    .get('/console/api/entries', ({ viewer, query }) => list.page(viewer, query), list.page_route)
    .get('/console/api/entries.csv', ({ viewer, query }) => list.file(viewer, query), list.file_route)
}

const SumsView = Closed({
  entries: Type.Integer(),
  ...MoneyFields('amount'),
  kinds: Type.Array(Closed({ kind: OneOf(ENTRY_KINDS), entries: Type.Integer(), ...MoneyFields('amount') })),
  /** For one account: balances before the first day and after the last, of all kinds. */
  ...NullableMoneyFields('opening'),
  ...NullableMoneyFields('closing'),
  opening_debts: Type.Array(
    Closed({
      ...MoneyFields('amount'),
      note: Type.String(),
      ...TimeFields('created'),
      account_id: Type.Integer(),
      source: Nullable(OneOf(SOURCES)),
      order_id: Nullable(Type.Integer()),
    }),
    {
      description:
        'debts without a call, for one account: of a lost dispute or a refund, with its source, or imported from another gateway',
    },
  ),
})

/** Weight in the rate limit: a request reads all matching entries. */
const SUMS_COUNT_AS = 50

/** `GET /console/api/entry-sums`: the sums of the entries of a filter. */
function entrySumRoutes(gateway: ConsoleParts) {
  const list = consoleList(gateway, entry_list)
  return new Elysia({ name: 'console-entry-sums' })
    .use(viewerCalls(gateway, { counts_as: SUMS_COUNT_AS }))
    .get(
      '/console/api/entry-sums',
      async ({ viewer, query }) => {
        const { account_id, kind, ...time } = await list.filterOf(viewer, query)
        if (account_id === undefined) return sumsView(await entrySums(gateway.db, { kind, ...time }), [])
        const { sums, ...balances } = await balancedSums(gateway.db, account_id, time)
        const matching = sums.filter((sum) => kind === undefined || sum.kind === kind)
        const debts = await withOrders(gateway.db, await openingDebtsOf(gateway.db, account_id))
        const is_operator = viewer.side === 'operator'
        const visible = debts.map((debt) => ({ ...debt, order_id: visibleOrder(debt, is_operator) }))
        return sumsView(matching, visible, balances)
      },
      { query: list.file_query, response: { 200: SumsView, ...FAILURES } },
    )
}

function sumsView(
  sums: EntrySum[],
  debts: readonly (OpeningDebt & { order_id: number | null })[],
  balances?: { opening_nanos: Nanos; closing_nanos: Nanos },
): Static<typeof SumsView> {
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
    ...money('opening', balances?.opening_nanos ?? null),
    ...money('closing', balances?.closing_nanos ?? null),
    opening_debts: debts.map(({ amount_nanos, note, created_at_ms, account_id, order_id, request_key }) => ({
      ...money('amount', amount_nanos),
      ...{ note, account_id, order_id, source: sourceOf({ request_key }) },
      ...time('created', created_at_ms),
    })),
  }
}
