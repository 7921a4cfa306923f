// The list of balance entries for the console, callers, exports and the command line.
import { usdColumn } from '../../src/app/command-line/table.ts'
import { timeColumn } from '../../src/app/command-line/times.ts'
import {
  integer,
  money,
  nullableInteger,
  nullableMoney,
  nullableText,
  tableOnly,
  text,
  time,
  word,
} from '../../src/app/list/columns.ts'
import { type ConsoleRowOf, defineList } from '../../src/app/list/list.ts'
import { formatUsd } from '../../src/domain/money.ts'
import { Nullable, OneOf } from '../../src/http/schema.ts'
import { ENTRY_KINDS } from '../../src/store/schema.ts'
import { visibleLine } from '../../src/utilities/visible-text.ts'
import { allWithBalances, type EntryWithBalance, listWithBalances } from './running-balance.ts'
import { SOURCES, sourceOf, visibleOrder, withOrders } from './sources.ts'

const CONSOLE = ['operator', 'account', 'key'] as const

export const entry_list = defineList<EntryWithBalance & { order_id?: number | null }>()({
  name: 'entries',
  field: 'entries',
  of: 'account',
  max_rows: 1_000,
  begins_with: 'Entry',
  filters: {
    kind: {
      schema: OneOf(ENTRY_KINDS, { description: 'Only entries of this kind.', examples: ['top_up'] }),
      option: ['--kind <kind>', 'only these'],
    },
  },
  columns: {
    account_id: integer(({ account_id }) => account_id, { seen_by: CONSOLE }),
    account: text(({ account_name }) => account_name, { seen_by: CONSOLE }),
    id: integer(({ id }) => id, { description: 'The id of the entry.', table: { head: 'ID', right: true } }),
    time: tableOnly(timeColumn('TIME', ({ created_at_ms }) => created_at_ms)),
    kind: word(OneOf(ENTRY_KINDS), ({ kind }) => kind, {
      description: 'The kind of the entry.',
      table: { head: 'KIND' },
    }),
    amount: money(({ amount_nanos }) => amount_nanos, {
      description: 'The change of the balance, negative for a charge',
      with_nanos: true,
    }),
    usd: tableOnly(usdColumn('USD', ({ amount_nanos }) => amount_nanos)),
    balance: nullableMoney(({ balance_nanos }) => balance_nanos, {
      description: 'The balance of the account after the entry',
      with_nanos: true,
    }),
    balance_after: tableOnly({
      head: 'BALANCE',
      text: ({ balance_nanos }) => (balance_nanos === null ? '-' : formatUsd(balance_nanos)),
      right: true,
    }),
    /** Notes of earlier versions may contain control characters and bidirectional marks. */
    note: text(
      ({ note }, reader) => (reader === 'caller' || reader === 'command' ? note : visibleLine(note)),
      {
        description: 'The note of the entry.',
        seen_by: [...CONSOLE, 'caller', 'command'],
      },
    ),
    request_id: nullableText(({ request_id }) => request_id, {
      description: 'For a charge or a refund: its call.',
    }),
    model: nullableText(({ model }) => model, { description: 'For a charge or a refund: its model.' }),
    unpaid: nullableMoney(({ unpaid_nanos }) => unpaid_nanos, {
      description: 'For a charge: the part that the balance did not cover',
    }),
    source: word(Nullable(OneOf(SOURCES)), sourceOf, {
      description: 'source of the entry: a payment, a voucher, a plan or a referral',
      seen_by: CONSOLE,
    }),
    order_id: nullableInteger((row, reader) => visibleOrder(row, reader === 'operator'), {
      description: 'the order of the payment that the entry is for',
      seen_by: CONSOLE,
    }),
    created: time(({ created_at_ms }) => created_at_ms, { description: 'When', csv_name: 'time_utc' }),
    debt: tableOnly({
      head: 'UNPAID',
      text: ({ unpaid_nanos }) => (unpaid_nanos ? formatUsd(unpaid_nanos) : '-'),
      right: true,
    }),
    call_id: nullableInteger(({ call_id }) => call_id, {
      seen_by: ['command'],
      table: { head: 'CALL', right: true },
    }),
    note_or_model: tableOnly({
      head: 'NOTE',
      text: ({ note, model }) => note || (model ?? ''),
      elastic: true,
    }),
  },
  csv: ['id', 'created', 'account', 'kind', 'amount', 'balance', 'unpaid', 'model', 'request_id', 'note'],
  async read(db, filter, request) {
    const page = await listWithBalances(db, filter, request)
    return page && { ...page, rows: await withOrders(db, page.rows) }
  },
  readAll: allWithBalances,
})

export type ConsoleEntry = ConsoleRowOf<typeof entry_list>
