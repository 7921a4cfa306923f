// A small world for tests of orders: accounts 1 and 2, a fake payment provider, a clock, and a database of either engine.
import { afterAll } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createOrder, type OrderRequest, startPayment } from '../../plugins/payments/ordering.ts'
import type { PaymentParts } from '../../plugins/payments/parts.ts'
import { createPoller } from '../../plugins/payments/poller.ts'
import { refundsOf } from '../../plugins/payments/refund-store.ts'
import type { PaymentSettings } from '../../plugins/payments/settings.ts'
import { wasPaid } from '../../plugins/payments/states.ts'
import { orderById } from '../../plugins/payments/store.ts'
import { NO_STRIPE } from '../../plugins/payments/stripe/settings.ts'
import type { Order } from '../../plugins/payments/tables.ts'
import { NANOS_PER_USD } from '../../src/domain/money.ts'
import type { Ledger } from '../../src/money/ledger/operations.ts'
import type { Db } from '../../src/store/db.ts'
import { openPostgres } from '../../src/store/engines/postgres/open.ts'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import { type StateChangeRow, stateChangesOf } from '../../src/store/state-changes.ts'
import { accountText, brokenIn, inOne, LEDGER_TABLES } from '../money/ledger/postgres-world.ts'
import { addAccount } from '../money/ledger/world.ts'
import { makeEmptyDatabase } from '../support/empty-database.ts'
import { dropDatabase, hasPostgres, makeDatabase } from '../support/postgres.ts'
import { openAt } from './connections.ts'
import { type FakeProvider, fakeProvider } from './fake-provider.ts'

export const NOW = 1_764_000_000_000

export const SETTINGS: PaymentSettings = {
  presets: [],
  rates: new Map([
    ['USD', NANOS_PER_USD],
    ['EUR', 1_080_000_000],
    ['JPY', 6_500_000],
  ]),
  bonuses: [{ from_nanos: 100 * NANOS_PER_USD, per_mille: 50 }],
  manual: undefined,
  ...NO_STRIPE,
}

/** 25.00 EUR, for 27.00 USD. */
export const REQUEST: OrderRequest = {
  account_id: 1,
  kind: 'top_up',
  method: 'fake',
  currency: 'EUR',
  amount_minor: 2_500,
}
export const CREDIT = 27 * NANOS_PER_USD

interface Store {
  address: string
  /** Open databases that no test uses now. A connection to PostgreSQL costs the server 10 ms of CPU, and its query plans more. */
  idle?: Db[]
  drop(): Promise<void>
}

export const ENGINES: readonly (readonly [name: string, make: () => Promise<Store>])[] = [
  ['SQLite', onSqlite],
  ...(hasPostgres ? [['PostgreSQL', onPostgres] as const] : []),
]

/** A database with the accounts, of which each test gets a copy: another opening would read the tables once more. */
let template: Buffer | undefined

async function onSqlite(): Promise<Store> {
  const folder = mkdtempSync(join(tmpdir(), 'orders-'))
  const path = join(folder, 'tollgate.db')
  if (template) writeFileSync(path, template, { mode: 0o600 })
  else {
    makeEmptyDatabase(path)
    const file = openDatabase(path)
    for (const id of [1, 2]) addAccount(file, id)
    file.close()
    template = readFileSync(path)
  }
  return { address: path, drop: async () => rmSync(folder, { recursive: true }) }
}

let shared: Promise<{ name: string; url: string }> | undefined
const idle: Db[] = []

afterAll(async () => {
  const made = await shared
  shared = undefined
  for (const db of idle.splice(0)) await db.close()
  if (made) await dropDatabase(made.name)
})

const EMPTIED = [
  ...LEDGER_TABLES,
  'automatic_top_ups',
  'order_refunds',
  'orders',
  'mails',
  'erased_accounts',
  'account_suspensions',
  'closed_accounts',
  'account_details',
]

/** One database for the tests of a process, emptied before each. */
async function onPostgres(): Promise<Store> {
  shared ??= makeDatabase()
  const { url } = await shared
  const db = idle.pop() ?? (await openPostgres(url))
  const emptying = EMPTIED.map((table) => `DELETE FROM ${table}`)
  await db.write((within) => within.rows(inOne([...emptying, ...[1, 2].map(accountText)])))
  idle.push(db)
  return { address: url, idle, drop: async () => {} }
}

export interface World extends AsyncDisposable {
  db: Db
  ledger: Ledger
  /** The address of its database. */
  address: string
  fake: FakeProvider
  clock: { now_ms: number }
  parts: PaymentParts
  /** Lines of the log at the level of a warning or above. */
  warnings: string[]
  /** Removes a method from the settings. */
  remove(method: string): void
  restore(method: string, provider: FakeProvider): void
  /** Another gateway over the same rows, with its own connections. */
  another(): Promise<PaymentParts>
  /** Makes an order and starts its payment. */
  startOrder(request?: Partial<OrderRequest>): Promise<Order & { reference: string }>
  order(id: number): Promise<Order>
  /** Does all that is due now, as the poller does. */
  poll(parts?: PaymentParts): Promise<void>
  money(account_id?: number): Promise<{ balance: number; debt: number }>
  /** The keys of an account's entries and debts, the oldest first. */
  keys(account_id?: number): Promise<string[]>
  /** The states that an order changed to. */
  history(id: number): Promise<string[]>
  lines(id: number): Promise<StateChangeRow[]>
  /** The invariants that do not hold, by name. */
  broken(): Promise<string[]>
}

export async function openWorld(
  make: () => Promise<Store>,
  own: readonly FakeProvider[] = [],
): Promise<World> {
  const store = await make()
  const opened: { db: Db; ledger: Ledger }[] = []
  const fake = fakeProvider()
  const clock = { now_ms: NOW }
  const warnings: string[] = []
  const warn = (_: unknown, text = '') => void warnings.push(text)
  const log = { info: () => {}, warn, error: warn } as unknown as PaymentParts['log']
  const providers = new Map([fake, ...own].map((provider) => [provider.name, provider]))
  const another = async (): Promise<PaymentParts> => {
    const connections = await openAt(store.address, store.idle?.pop())
    opened.push(connections)
    return {
      ...connections,
      now: () => clock.now_ms,
      log,
      providers: () => [...providers.values()],
      publicUrl: () => 'https://gateway.example',
    }
  }
  const parts = await another()
  const { db } = parts
  const order = (id: number) => orderById(db, id)
  return {
    db,
    ledger: parts.ledger as Ledger,
    address: store.address,
    fake,
    clock,
    parts,
    warnings,
    another,
    order,
    remove: (method) => void providers.delete(method),
    restore: (method, provider) => void providers.set(method, provider),
    async startOrder(request = {}) {
      const { id } = await createOrder(parts, SETTINGS, { ...REQUEST, ...request })
      const { reference } = await startPayment(parts, id)
      return { ...(await order(id)), reference }
    },
    poll: (of = parts) => createPoller(of).pollDue(),
    async money(account_id = 1) {
      const [found] = await db.rows<{ balance: number; debt: number }>(
        'SELECT balance_nanos AS balance, debt_nanos AS debt FROM accounts WHERE id = $account_id',
        { account_id },
      )
      return { balance: Number(found?.balance), debt: Number(found?.debt) }
    },
    async keys(account_id = 1) {
      const found = await db.rows<{ request_key: string }>(
        `SELECT request_key FROM entries WHERE account_id = $account_id AND request_key IS NOT NULL
          UNION ALL SELECT request_key FROM opening_debts WHERE account_id = $account_id`,
        { account_id },
      )
      return found.map(({ request_key }) => request_key)
    },
    async history(id) {
      const lines = await stateChangesOf(db, 'orders', id)
      return lines
        .filter(({ from_state, to_state }) => from_state !== to_state)
        .map(({ to_state }) => to_state)
    },
    lines: async (id) => await stateChangesOf(db, 'orders', id),
    broken: async () => [...(await brokenIn(db)), ...(await brokenOrders(db))],
    async [Symbol.asyncDispose]() {
      for (const { db, ledger } of opened) {
        await ledger.close()
        if (store.idle) store.idle.push(db)
        else await db.close()
      }
      await store.drop()
    },
  }
}

interface Movement {
  request_key: string
  amount_nanos: number
}

/** By independent arithmetic: each paid order is credited once; refunds take no more than was paid, and failed ones are credited back. */
async function brokenOrders(db: Db): Promise<string[]> {
  const orders = await db.rows<Order>('SELECT * FROM orders ORDER BY id')
  const moved = await db.rows<Movement>(
    `SELECT request_key, amount_nanos FROM entries WHERE request_key IS NOT NULL
      UNION ALL SELECT request_key, -amount_nanos AS amount_nanos FROM opening_debts`,
  )
  const of = (key: string) =>
    moved.filter(({ request_key }) => request_key === key).map((one) => Number(one.amount_nanos))
  const broken: string[] = []
  const expectKey = (key: string, amounts: number[]) => {
    if (JSON.stringify(of(key)) !== JSON.stringify(amounts))
      broken.push(`${key}: ${of(key)} instead of ${amounts}`)
  }
  for (const order of orders) {
    const whole = Number(order.credit_nanos) + Number(order.bonus_nanos)
    expectKey(`order:${order.id}`, wasPaid(order.state) ? [whole] : [])
    const refunds = await refundsOf(db, order.id)
    let done_minor = 0
    let taken_nanos = 0
    for (const { id, state, amount_minor, debit_nanos } of refunds) {
      const was_debited = debit_nanos > 0 && ['debited', 'done', 'failed'].includes(state)
      expectKey(`refund:${id}`, was_debited ? [-debit_nanos] : [])
      const is_returned = state === 'failed' && debit_nanos > 0
      if (order.state !== 'lost') expectKey(`refund-back:${id}`, is_returned ? [debit_nanos] : [])
      if (state === 'done') done_minor += amount_minor
      if (was_debited) taken_nanos += debit_nanos - (of(`refund-back:${id}`)[0] ?? 0)
    }
    taken_nanos -= of(`dispute:${order.id}`)[0] ?? 0
    if (done_minor !== order.refunded_minor && refunds.every(({ state }) => state === 'done'))
      broken.push(`order ${order.id}: refunded_minor is ${order.refunded_minor}, not ${done_minor}`)
    if (done_minor > order.amount_minor) broken.push(`order ${order.id}: refunds are more than its payment`)
    if (taken_nanos > whole) broken.push(`order ${order.id}: more was taken than it gave`)
    if ((order.state === 'lost' || order.state === 'refunded') && taken_nanos !== whole)
      broken.push(`order ${order.id}: ${order.state}, but ${taken_nanos} of ${whole} was taken`)
  }
  return broken
}
