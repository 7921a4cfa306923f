// The list of orders for the console, exports and the command line.
import { and, desc, eq, getTableColumns, lt, sql } from 'drizzle-orm'
import {
  boolean,
  integer,
  money,
  nullableText,
  nullableTime,
  tableOnly,
  text,
  time,
  word,
} from '../../src/app/list/columns.ts'
import { type ConsoleRowOf, defineList } from '../../src/app/list/list.ts'
import { decimalMinor, formatMinor } from '../../src/domain/currencies.ts'
import { OneOf } from '../../src/http/schema.ts'
import type { Db, Orm } from '../../src/store/db.ts'
import { pageOf, pageValues } from '../../src/store/page.ts'
import { equals, equalsUnlessNull, placeholder } from '../../src/store/placeholders.ts'
import { perAccount } from '../../src/store/prepared.ts'
import { accounts, people } from '../../src/store/schema.ts'
import { methodName } from './settings.ts'
import { wasPaid } from './states.ts'
import { type Attention, attentionOf, STUCK } from './stuck.ts'
import { ORDER_KINDS, ORDER_STATES, type Order, orders } from './tables.ts'

/** An order with the names of its account and its creator, and the problem that the operator has to solve. */
export interface ListedOrder extends Order {
  account_name: string
  person_name: string | null
  attention: Attention | undefined
}

const OPERATOR = { seen_by: ['operator'] } as const

export const order_list = defineList<ListedOrder>()({
  name: 'orders',
  field: 'orders',
  of: 'account',
  begins_with: 'Order',
  max_rows: 500,
  filters: {
    state: { schema: OneOf(ORDER_STATES), option: ['--state <state>', 'only these'] },
    method: { schema: methodName, option: ['--method <name>', 'only by this payment method'] },
    stuck: {
      schema: OneOf(['yes'], { description: 'only orders that need attention' }),
    },
  },
  columns: {
    id: integer(({ id }) => id, { table: { head: 'ID', right: true } }),
    created: time(({ created_at_ms }) => created_at_ms, { table: { head: 'TIME' } }),
    account_id: integer(({ account_id }) => account_id),
    account: text(({ account_name }) => account_name, { table: { head: 'ACCOUNT', elastic: true } }),
    person: nullableText(({ person_name }) => person_name, {
      description: 'the person who created it; null: the gateway, a command, or an erased person',
    }),
    kind: word(OneOf(ORDER_KINDS), ({ kind }) => kind),
    method: text(({ provider }) => provider, { table: { head: 'METHOD' } }),
    state: word(OneOf(ORDER_STATES), ({ state }) => state, { table: { head: 'STATE' } }),
    is_pending: boolean(isPending, { description: 'paid, but the money has not arrived yet' }),
    is_test: boolean(({ is_live }) => is_live === 0, { description: 'in test mode: no real money moves' }),
    currency: text(({ currency }) => currency),
    amount: text((order) => decimalMinor(order.amount_minor, order.currency), {
      description: 'amount of the payment, as a decimal number of the currency',
    }),
    paid_amount: tableOnly<ListedOrder>({
      head: 'AMOUNT',
      right: true,
      text: ({ amount_minor, currency }) => formatMinor(amount_minor, currency),
    }),
    refunded: text((order) => decimalMinor(order.refunded_minor, order.currency), {
      description: 'the refunded part',
    }),
    credit: money(({ credit_nanos, bonus_nanos }) => credit_nanos + bonus_nanos, {
      description: 'credit to the balance, with the bonus',
      table: { head: 'CREDIT' },
    }),
    bonus: money(({ bonus_nanos }) => bonus_nanos),
    expires: time(({ expires_at_ms }) => expires_at_ms, {
      description: 'end of the time to pay',
    }),
    paid: nullableTime(({ paid_at_ms }) => paid_at_ms),
    receipt_url: nullableText(({ receipt_url }) => receipt_url, {
      description: 'the receipt of its payment method',
    }),
    reference: nullableText(({ reference }) => reference, OPERATOR),
    attention: nullableText(({ attention }) => attention?.why ?? null, {
      ...OPERATOR,
      description: 'the problem that needs attention',
    }),
    advice: nullableText(({ attention }) => attention?.advice ?? null, {
      ...OPERATOR,
      description: 'how to solve it',
      csv_name: false,
    }),
  },
  async read(db, { account_id, state, method, stuck, since_ms, until_ms }, page, { now_ms }) {
    const values = {
      ...pageValues({
        ...page,
        cursor: page.cursor ?? (page.first === undefined ? undefined : page.first + 1),
      }),
      account_id,
      state: state ?? null,
      provider: method ?? null,
      stuck: stuck ?? null,
      now_ms,
      since_ms: since_ms ?? Number.MIN_SAFE_INTEGER,
      until_ms: until_ms ?? Number.MAX_SAFE_INTEGER,
    }
    const { rows, next_cursor } = pageOf(await queries(db, account_id).page.all(values), page)
    return { rows: rows.map((row) => ({ ...row, attention: attentionOf(row, now_ms) })), next_cursor }
  },
})

export type OrderRow = ConsoleRowOf<typeof order_list>

/** @returns undefined if the order does not exist or belongs to another account */
export async function listedOrder(
  db: Db,
  { id, account_id, now_ms }: { id: number; account_id: number | undefined; now_ms: number },
): Promise<ListedOrder | undefined> {
  const order = await queries(db, account_id).one.get({ id, account_id })
  return order && { ...order, attention: attentionOf(order, now_ms) }
}

/** Whether the person has paid and the money has not arrived yet. */
function isPending({ state, pending_since_ms }: Pick<Order, 'state' | 'pending_since_ms'>): boolean {
  return pending_since_ms !== null && !wasPaid(state)
}

const selected = (orm: Orm) =>
  orm
    .select({ ...getTableColumns(orders), account_name: accounts.name, person_name: people.name })
    .from(orders)
    .innerJoin(accounts, eq(accounts.id, orders.account_id))
    .leftJoin(people, eq(people.id, orders.person_id))

const queries = perAccount((account) => ({
  page: (orm) =>
    selected(orm)
      .where(
        and(
          account(orders),
          lt(orders.id, placeholder('below_id')),
          equalsUnlessNull(orders.state, 'state'),
          equalsUnlessNull(orders.provider, 'provider'),
          sql`(CAST(${placeholder('stuck')} AS TEXT) IS NULL OR ${STUCK})`,
          sql`${orders.created_at_ms} >= ${placeholder('since_ms')}`,
          sql`${orders.created_at_ms} < ${placeholder('until_ms')}`,
        ),
      )
      .orderBy(desc(orders.id))
      .limit(placeholder('row_limit')),
  one: (orm) => selected(orm).where(and(account(orders), equals(orders.id, 'id'))),
}))
