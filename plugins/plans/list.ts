// The list of plan months for the console, exports and the command line.
import { and, desc, eq, getTableColumns, gte, lt } from 'drizzle-orm'
import { usdColumn } from '../../src/app/command-line/table.ts'
import { timeColumn } from '../../src/app/command-line/times.ts'
import {
  boolean,
  integer,
  money,
  nullableText,
  tableOnly,
  text,
  time,
  word,
} from '../../src/app/list/columns.ts'
import { type ConsoleRowOf, defineList, type ListPageRequest } from '../../src/app/list/list.ts'
import { OneOf } from '../../src/http/schema.ts'
import type { Db } from '../../src/store/db.ts'
import { type Page, pageOf, pageValues } from '../../src/store/page.ts'
import { equalsUnlessNull, placeholder } from '../../src/store/placeholders.ts'
import { perConnection } from '../../src/store/prepared.ts'
import { accounts } from '../../src/store/schema.ts'
import { PERIOD_STATES, type PeriodState, type PlanPeriod, plan_periods } from './tables.ts'

interface ListedMonth extends PlanPeriod {
  account_name: string
}

interface MonthFilter {
  account_id?: number | undefined
  state?: PeriodState | undefined
  since_ms?: number | undefined
  until_ms?: number | undefined
}

export const month_list = defineList<ListedMonth>()({
  name: 'plans',
  field: 'months',
  of: 'account',
  max_rows: 500,
  filters: {
    state: {
      schema: OneOf(PERIOD_STATES, { description: 'In this state only.', examples: ['active'] }),
      option: ['--state <state>', 'only these'],
    },
  },
  columns: {
    account_id: integer(({ account_id }) => account_id, { seen_by: ['operator', 'account', 'key'] }),
    id: integer(({ id }) => id, {
      description: 'The ID of the month.',
      table: { head: 'ID', right: true },
    }),
    account: text(({ account_name }) => account_name, { table: { head: 'ACCOUNT' } }),
    plan: text(({ plan }) => plan, { description: 'The name of the plan.', table: { head: 'PLAN' } }),
    title: text(({ title }) => title, { description: 'Its title.' }),
    state: word(OneOf(PERIOD_STATES), ({ state }) => state, {
      description: 'The state of the month.',
      table: { head: 'STATE' },
    }),
    price: money(({ price_nanos }) => price_nanos, { description: 'The price of a month' }),
    due: money(({ due_nanos }) => due_nanos, { description: 'The amount to pay' }),
    usd: tableOnly(usdColumn('USD', ({ due_nanos }) => due_nanos)),
    starts: time(({ starts_ms }) => starts_ms, {
      description: 'The start of the month',
      csv_name: 'starts_utc',
    }),
    begins: tableOnly(timeColumn('BEGINS', ({ starts_ms }) => starts_ms)),
    ends: time(({ ends_ms }) => ends_ms, { description: 'The end of the month', csv_name: 'ends_utc' }),
    until: tableOnly(timeColumn('ENDS', ({ ends_ms }) => ends_ms)),
    covers_until: time(({ covers_until_ms }) => covers_until_ms, {
      description: 'End of the coverage of calls, with the grace period',
      csv_name: 'covers_until_utc',
    }),
    renews: boolean(({ renews }) => renews === 1, { description: 'Whether another month follows.' }),
    next_plan: nullableText(({ next_plan }) => next_plan, {
      description: 'The plan from the end of the month on; null: the same.',
    }),
    created: time(({ created_at_ms }) => created_at_ms, {
      description: 'Time of the order',
      csv_name: 'time_utc',
    }),
  },
  csv: ['id', 'created', 'account', 'plan', 'title', 'state', 'price', 'due', 'starts', 'ends'],
  read: listMonths,
})

export type ConsoleMonth = ConsoleRowOf<typeof month_list>

async function listMonths(
  db: Db,
  { account_id, state, since_ms, until_ms }: MonthFilter,
  request: ListPageRequest,
): Promise<Page<ListedMonth>> {
  const rows = await queries(db).page.all({
    account_id: account_id ?? null,
    state: state ?? null,
    since_ms: since_ms ?? Number.MIN_SAFE_INTEGER,
    until_ms: until_ms ?? Number.MAX_SAFE_INTEGER,
    ...pageValues(request),
  })
  return pageOf(rows, request)
}

const queries = perConnection({
  page: (orm) =>
    orm
      .select({ ...getTableColumns(plan_periods), account_name: accounts.name })
      .from(plan_periods)
      .innerJoin(accounts, eq(accounts.id, plan_periods.account_id))
      .where(
        and(
          equalsUnlessNull(plan_periods.account_id, 'account_id'),
          equalsUnlessNull(plan_periods.state, 'state'),
          gte(plan_periods.created_at_ms, placeholder('since_ms')),
          lt(plan_periods.created_at_ms, placeholder('until_ms')),
          lt(plan_periods.id, placeholder('below_id')),
        ),
      )
      .orderBy(desc(plan_periods.id))
      .limit(placeholder('row_limit')),
})
