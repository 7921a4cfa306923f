// The columns of a list: the fields for each reader in JSON and CSV, and the table of the terminal.
import { expect, test } from 'bun:test'
import { Type } from '@sinclair/typebox'
import { table } from '../../src/app/command-line/table.ts'
import {
  csvFor,
  fieldsFor,
  integer,
  money,
  nullableFields,
  nullableMoney,
  nullableText,
  type Reader,
  rowFor,
  tableColumnsOf,
  tableOnly,
  text,
  time,
} from '../../src/app/list/columns.ts'
import { defineList } from '../../src/app/list/list.ts'
import { faultsIn } from '../../src/domain/validation.ts'
import { csvOf } from '../../src/http/csv.ts'

interface Parcel {
  id: number
  sent_at_ms: number
  to: string
  note: string | null
  route: Record<string, unknown> | null
}

const parcels = defineList<Parcel>()({
  name: 'parcels',
  field: 'parcels',
  of: 'operator',
  max_rows: 10,
  filters: {},
  columns: {
    id: integer(({ id }) => id, { table: { head: 'ID', right: true } }),
    sent: time(({ sent_at_ms }) => sent_at_ms),
    to: text(({ to }, reader) => (reader === 'operator' ? to : 'hidden'), { table: { head: 'TO' } }),
    note: nullableText(({ note }) => note, { seen_by: ['operator', 'account'], table: { head: 'NOTE' } }),
    route: nullableFields(({ route }) => route),
    all: tableOnly({ head: 'ALL', text: ({ id, to }) => `${id} to ${to}` }),
  },
  read: () => ({ rows: [], next_cursor: undefined }),
})

const row: Parcel = { id: 7, sent_at_ms: 0, to: 'Berne', note: null, route: { by: 'rail' } }
const SENT = { sent_at: '1970-01-01T00:00:00.000Z', sent_at_ms: 0 }

test.each<[Reader, object]>([
  ['operator', { id: 7, ...SENT, to: 'Berne', note: null, route: { by: 'rail' } }],
  ['account', { id: 7, ...SENT, to: 'hidden', note: null, route: { by: 'rail' } }],
  ['caller', { id: 7, ...SENT, to: 'hidden', route: { by: 'rail' } }],
])('a row for %s has the fields visible to them, and fits their schema', (reader, expected) => {
  const visible = rowFor(parcels.columns, reader, row)
  expect(visible).toEqual(expected as typeof visible)
  const schema = Type.Object(fieldsFor(parcels.columns, [reader]), { additionalProperties: false })
  expect([...faultsIn(schema, visible)]).toEqual([])
})

test.each<[Reader, string[]]>([
  ['operator', ['id,sent_utc,to,note,route', '7,1970-01-01T00:00:00.000Z,Berne,,"{""by"":""rail""}"']],
  ['caller', ['id,sent_utc,to,route', '7,1970-01-01T00:00:00.000Z,hidden,"{""by"":""rail""}"']],
])('the file for %s', (reader, lines) => {
  expect(csvOf(csvFor(parcels.columns, reader), [row]).trimEnd().split(/\r?\n/)).toEqual(lines)
})

test('the table has the columns with a head, in order', () => {
  expect(table(tableColumnsOf(parcels.columns), [row], 'No parcels.').split('\n')).toEqual([
    'ID  TO     NOTE  ALL',
    ' 7  Berne  -     7 to Berne',
  ])
  expect(table(tableColumnsOf(parcels.columns), [], 'No parcels.')).toBe('No parcels.')
})

interface Payment {
  id: number
  amount_nanos: number
  tip_nanos: number | null
  purpose: string
}

const payments = defineList<Payment>()({
  name: 'payments',
  field: 'payments',
  of: 'operator',
  max_rows: 10,
  filters: {},
  columns: {
    purpose: text(({ purpose }, reader) => `${purpose} for the ${reader}`, {
      seen_by: ['operator', 'caller', 'command'],
    }),
    id: integer(({ id }) => id, { seen_by: ['operator'] }),
    secret: text(() => 'hidden', { seen_by: ['command'] }),
    amount: money(({ amount_nanos }) => amount_nanos, { with_nanos: true }),
    tip: nullableMoney(({ tip_nanos }) => tip_nanos),
  },
  csv: ['id', 'amount', 'tip', 'purpose'],
  read: () => undefined,
})

const payment: Payment = { id: 3, amount_nanos: 1_500_000_000, tip_nanos: null, purpose: 'rent' }
const AMOUNTS = { amount_nanos: 1_500_000_000, amount_usd: '1.50', tip_nanos: null, tip_usd: null }

test.each<[Reader, object]>([
  ['operator', { purpose: 'rent for the operator', id: 3, ...AMOUNTS }],
  ['caller', { purpose: 'rent for the caller', ...AMOUNTS }],
  ['command', { purpose: 'rent for the command', id: 3, secret: 'hidden', ...AMOUNTS }],
])('a row with amounts and with columns for commands, for %s', (reader, expected) => {
  const visible = rowFor(payments.columns, reader, payment)
  expect(visible).toEqual(expected as typeof visible)
})

test('a file has the columns that its list names, in that order', () => {
  const csv = csvFor(payments.columns, 'operator', payments.csv)
  expect(csvOf(csv, [payment]).trimEnd().split(/\r?\n/)).toEqual([
    'id,amount_usd,amount_nanos,tip_usd,purpose',
    '3,1.50,1500000000,,rent for the operator',
  ])
})
