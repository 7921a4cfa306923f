// One figure, one truth: what pages, files and an account's own API tell of the same calls is the same, over a seeded database.
import { describe, expect, test } from 'bun:test'
import { count, roundedUsd } from '../../plugins/console/web/parts/amounts.ts'
import { utcDay } from '../../plugins/console/web/parts/time-words.ts'
import { addSums } from '../../plugins/refusals/writing.ts'
import { hasFailed, OUTCOMES } from '../../src/domain/outcomes.ts'
import { lastWeek } from '../../src/domain/ranges.ts'
import { NO_USAGE } from '../../src/domain/usage.ts'
import { prepareStatements } from '../../src/money/ledger/statements.ts'
import type { Db } from '../../src/store/db.ts'
import type { Call } from '../../src/store/schema.ts'
import { fileConsole } from '../support/console.ts'
import { allPages, signedIn } from '../support/console-session.ts'

const HOUR_MS = 3_600_000
const DAYS = 16
/** It stands still, so that no day ends during the test. */
const now_ms = Date.now()
const { gateway, visit } = await fileConsole({ now: () => now_ms })
const MODELS = ['sim-flash', 'sim-pro', 'sim-embedding']
for (const name of ['alice', 'bob']) await gateway.account(name, { balance_usd: '50' })
const texts = [await gateway.key('alice', { name: 'laptop' }), await gateway.key('alice', { name: 'phone' })]
texts.push(await gateway.key('bob', { name: 'web' }))

/** Calls of three keys and three models that ended in every way, some of them at the first moment of a day (UTC). */
const calls = seed(gateway.db, 600)
const week = lastWeek(now_ms)
await seedRefusals(gateway.store, 90)
const operator = await signedIn(gateway, 'operator')
const alice = await signedIn(gateway, { account: 'alice' })
const day = (time_ms: number) => new Date(time_ms).toISOString().slice(0, 10)
const DAYS_OF_WEEK = `since=${day(week.from_ms)}&until=${day(now_ms)}`

function seed(db: typeof gateway.db, how_many: number): Call[] {
  const { insertCall, lastHoldId } = prepareStatements(db)
  const first_id = (lastHoldId.get()?.id ?? 0) + 1
  const from_ms = lastWeek(now_ms).from_ms - (DAYS - 7) * 24 * HOUR_MS
  const step_ms = Math.floor((now_ms - from_ms) / how_many)
  return db.transaction(() =>
    Array.from({ length: how_many }, (_, nth) => {
      const started = from_ms + nth * step_ms
      const started_at_ms = nth % 17 === 0 ? Math.floor(started / (24 * HOUR_MS)) * 24 * HOUR_MS : started
      const call = callOf(first_id + nth, nth, Math.max(started_at_ms, from_ms))
      insertCall(call)
      return call
    }),
  )()
}

function callOf(id: number, nth: number, started_at_ms: number): Call {
  const key_id = 1 + (nth % 3)
  const outcome = nth % 5 === 0 ? (OUTCOMES[(nth / 5) % 4] ?? 'completed') : 'completed'
  const cost_nanos = outcome === 'failed' ? 0 : 1_000_000 + nth * 1_237
  return {
    ...NO_USAGE,
    ...{
      id,
      request_id: `req_seed${String(id).padStart(12, '0')}`,
      key_id,
      started_at_ms,
      outcome,
      cost_nanos,
    },
    account_id: key_id === 3 ? 2 : 1,
    surface: 'chat',
    model: MODELS[(nth % 7) % 3] ?? 'sim-flash',
    ...{ provider: 'sim', upstream_model: 'flash', status: outcome === 'failed' ? 502 : 200 },
    ...{ streamed: 0, estimated: 0, input_tokens: 90 + nth, output_tokens: nth, images: nth % 2 },
    ...{ hold_nanos: 9_000_000, unpaid_nanos: 0, price: '', first_byte_ms: 80, duration_ms: 200 },
    ...{ summed: 0, failed_tries: 0, trace: '', price_id: null, counted: '' },
    provider_cost_nanos: nth % 4 === 0 ? null : Math.floor(cost_nanos / 3),
    ...{ reported_cost_nanos: null, computed_cost_nanos: null, refunded_nanos: 0 },
  }
}

/** More refused requests of each key than are recorded one by one, of all hours of the last days. */
async function seedRefusals(db: Db, how_many: number): Promise<void> {
  const hour_s = Math.floor(now_ms / HOUR_MS) * 3_600
  await db.begin(async (tx) => {
    for (let nth = 0; nth < how_many; nth++)
      await addSums(tx, [
        {
          ...{ account_id: nth % 3 === 2 ? 2 : 1, key_id: 1 + (nth % 3), refusals: 1 + (nth % 4) },
          minute_s: hour_s - nth * 2 * 3_600,
          code: nth % 2 === 0 ? 'rate_limited' : 'insufficient_balance',
        },
      ])
  })
}

interface Figures {
  calls: number
  failed: number
  cost_nanos: number
  margin_nanos: number | null
  known_revenue_nanos: number | null
}

/** What is true of some calls. */
function truthOf(some: readonly Call[]): Figures {
  const sum = (of: readonly Call[], amount: (call: Call) => number) =>
    of.reduce((total, call) => total + amount(call), 0)
  const known = some.filter(({ provider_cost_nanos }) => provider_cost_nanos !== null)
  const known_revenue_nanos = sum(known, ({ cost_nanos }) => cost_nanos)
  return {
    calls: some.length,
    failed: some.filter(hasFailed).length,
    cost_nanos: sum(some, ({ cost_nanos }) => cost_nanos),
    margin_nanos: known_revenue_nanos - sum(known, ({ provider_cost_nanos }) => provider_cost_nanos ?? 0),
    known_revenue_nanos,
  }
}

const NAMES = ['calls', 'failed', 'cost_nanos', 'margin_nanos', 'known_revenue_nanos'] as const
const figures = (view: Figures): Figures =>
  Object.fromEntries(NAMES.map((name) => [name, view[name]])) as unknown as Figures

/** Rows of a list added up; amounts that are not known count as nothing. */
const added = (rows: readonly Partial<Figures>[]): Figures =>
  Object.fromEntries(
    NAMES.map((name) => [name, rows.reduce((total, row) => total + (row[name] ?? 0), 0)]),
  ) as unknown as Figures

const inWeek = calls.filter(({ started_at_ms }) => started_at_ms >= week.from_ms)

test('the seed has what could be told apart: all outcomes, known costs and others, before the week and in it', () => {
  expect(new Set(inWeek.map(({ outcome }) => outcome)).size).toBe(4)
  expect(inWeek.length).toBeGreaterThan(200)
  expect(inWeek.length).toBeLessThan(calls.length)
  expect(inWeek.some(({ started_at_ms }) => started_at_ms === week.from_ms)).toBe(true)
  const { known_revenue_nanos, cost_nanos } = truthOf(inWeek)
  expect(known_revenue_nanos).toBeLessThan(cost_nanos)
})

describe('of the last 7 days', () => {
  test.each<[string, () => Promise<Figures>]>([
    ['Overview', async () => (await operator.json('GET', '/overview?range=week')).totals],
    ['Overview, its points', async () => added((await operator.json('GET', '/overview?range=week')).points)],
    [
      'Overview, top models',
      async () => added((await operator.json('GET', '/overview?range=week')).top.models),
    ],
    [
      'Overview, top accounts',
      async () => added((await operator.json('GET', '/overview?range=week')).top.accounts),
    ],
    ['Usage', async () => (await operator.json('GET', '/usage?days=7')).total],
    ['Usage from day to day', async () => (await operator.json('GET', `/usage?${DAYS_OF_WEEK}`)).total],
    ['Usage by day', async () => added((await operator.json('GET', '/usage?days=7')).days)],
    ['Usage by model', async () => added((await operator.json('GET', '/usage?days=7')).models)],
    ['Usage by account', async () => added((await operator.json('GET', '/usage?days=7')).accounts)],
    ['Models', async () => added(weeksOf((await operator.json('GET', '/models')).models))],
    ['Model, its days', async () => added((await Promise.all(MODELS.map(daysOfModel))).flat())],
    ['Calls, their sums', () => operator.json('GET', `/call-sums?${DAYS_OF_WEEK}`)],
    ['Calls, their sums from the calls', () => operator.json('GET', `/call-sums?${DAYS_OF_WEEK}&min_cost=0`)],
  ])('%s', async (_, read) => {
    expect(figures(await read())).toEqual(truthOf(inWeek))
  })

  test('the accounts and the keys have spent what calls cost', async () => {
    const { cost_nanos, calls: made } = truthOf(inWeek)
    const { accounts } = await operator.json('GET', '/accounts')
    const { keys } = await operator.json('GET', '/keys')
    const sum = (rows: Record<string, number>[], name: string) =>
      rows.reduce((total, row) => total + (row[name] ?? 0), 0)
    expect([sum(accounts, 'week_nanos'), sum(keys, 'week_nanos'), sum(keys, 'week_calls')]).toEqual([
      cost_nanos,
      cost_nanos,
      made,
    ])
  })

  test('the list of calls, page by page, and its file have as many, and as many that failed', async () => {
    for (const [filter, some] of [
      ['', inWeek],
      ['&outcome=failed', inWeek.filter(hasFailed)],
      ['&account=bob', inWeek.filter(({ account_id }) => account_id === 2)],
    ] as const) {
      const pages = await allPages((cursor) =>
        operator.json('GET', `/calls?limit=200&${DAYS_OF_WEEK}${filter}${cursor}`),
      )
      const seen = new Set(pages.flatMap(({ calls }) => calls.map(({ request_id }: Call) => request_id)))
      const file = await (await operator.send('GET', `/calls.csv?${DAYS_OF_WEEK}${filter}`)).text()
      expect([seen.size, file.trimEnd().split('\r\n').length - 1]).toEqual([some.length, some.length])
      expect(await operator.json('GET', `/call-sums?${DAYS_OF_WEEK}${filter}`)).toMatchObject(truthOf(some))
    }
  })

  test('an account sees its own on each page, by its API too, and no margin', async () => {
    const own = inWeek.filter(({ account_id }) => account_id === 1)
    const wanted = { ...truthOf(own), margin_nanos: null, known_revenue_nanos: null }
    const overview = await alice.json('GET', '/overview?range=week')
    const usage = await alice.json('GET', '/usage?days=7')
    for (const view of [overview.totals, usage.total, await alice.json('GET', `/call-sums?${DAYS_OF_WEEK}`)])
      expect(figures(view)).toEqual(wanted)
    const { calls: made, failed, cost_nanos } = wanted
    for (const rows of [usage.keys, usage.models, usage.days, overview.top.models])
      expect(added(rows)).toMatchObject({ calls: made, failed, cost_nanos })
    const asked = await gateway.call(`/api/v1/usage?sums=day&${DAYS_OF_WEEK}`, undefined, {
      key: texts[0],
      method: 'GET',
    })
    const { sums } = (await asked.json()) as { sums: { calls: number; cost_nanos: number }[] }
    expect(added(sums)).toMatchObject({ calls: made, cost_nanos })
  })
})

describe('requests that were refused in the last 7 days', () => {
  const refused = async (path: string) => (await operator.json('GET', path)).refused as number
  const ofKeys = () => [1, 2, 3].map((id) => refused(`/refusals?range=week&key=${id}`))
  const sum = async (figures: Promise<number>[]) => (await Promise.all(figures)).reduce((a, b) => a + b, 0)

  test('are as many on Overview, of all accounts, of all keys, by reason, and beside the calls', async () => {
    const { refused: all, reasons } = await operator.json('GET', '/refusals?range=week')
    expect(all).toBeGreaterThan(100)
    const by_reason = reasons.reduce(
      (total: number, reason: { refused: number }) => total + reason.refused,
      0,
    )
    const of_accounts = ['alice', 'bob'].map((name) => refused(`/refusals?range=week&account=${name}`))
    expect([by_reason, await sum(of_accounts), await sum(ofKeys())]).toEqual([all, all, all])
    expect(await refused(`/call-sums?${DAYS_OF_WEEK}`)).toBe(all)
    expect(await refused(`/call-sums?outcome=refused&${DAYS_OF_WEEK}`)).toBe(all)
    expect(await refused(`/call-sums?outcome=call&${DAYS_OF_WEEK}`)).toBe(0)
  })

  test('of an account are as many for the operator, for itself, and by its API, key by key', async () => {
    const own = await refused('/refusals?range=week&account=alice')
    expect((await alice.json('GET', '/refusals?range=week')).refused).toBe(own)
    expect((await alice.json('GET', `/call-sums?${DAYS_OF_WEEK}`)).refused).toBe(own)
    const asked = async (filter: string) => {
      const path = `/api/v1/refusals?${DAYS_OF_WEEK}${filter}`
      const answered = await gateway.call(path, undefined, { key: texts[0], method: 'GET' })
      return ((await answered.json()) as { refused: number }).refused
    }
    const keys = texts.slice(0, 2).map((text) => asked(`&key=${text.slice(0, 10)}`))
    expect([await asked(''), await sum(keys)]).toEqual([own, own])
    expect(await Promise.all(keys)).toEqual((await Promise.all(ofKeys())).slice(0, 2))
  })
})

describe.each(['hour', 'day', 'month'])('of the overview’s %s', (range) => {
  test('the calls are those that Calls adds up over the same time', async () => {
    const { totals, from_at_ms, until_at_ms, top } = await operator.json('GET', `/overview?range=${range}`)
    const iso = (time_ms: number) => encodeURIComponent(new Date(time_ms).toISOString())
    const time = `since=${iso(from_at_ms)}&until=${iso(until_at_ms)}`
    const some = calls.filter(({ started_at_ms: at }) => at >= from_at_ms && at < until_at_ms)
    expect(figures(totals)).toMatchObject(some.length === 0 ? { calls: 0 } : truthOf(some))
    expect(figures(await operator.json('GET', `/call-sums?${time}`))).toEqual(figures(totals))
    for (const rows of [top.models, top.accounts]) expect(added(rows)).toMatchObject(added([totals]))
  })
})

test.each(['Pacific/Auckland', 'America/Los_Angeles', 'Asia/Kolkata'])(
  'a day is the same day of UTC in %s, and a call has its own clock time there',
  async (time_zone) => {
    await using one = await visit('operator', { time_zone })
    await one.open('/console/usage?days=7')
    await one.page.getByRole('button', { name: 'As a table' }).click()
    const rows = one.page.getByRole('table', { name: /by day/ }).locator('tbody tr')
    const shown = await rows.locator('td:first-child').allInnerTexts()
    const newest_first = Array.from({ length: 7 }, (_, ago) => utcDay(now_ms - ago * 24 * HOUR_MS))
    expect(shown).toEqual(newest_first.map((name, at) => `${name} (UTC)${at === 0 ? ', so far' : ''}`))
    await one.go('/console/calls')
    const last = calls.toSorted((a, b) => b.id - a.id)[0]
    const time = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium', timeZone: time_zone })
    const cell = one.page.getByRole('table', { name: 'Calls' }).locator('tbody tr time').first()
    expect(await cell.getAttribute('datetime')).toBe(new Date(last?.started_at_ms ?? 0).toISOString())
    expect(await cell.getAttribute('title')).toContain(time.format(last?.started_at_ms))
  },
)

test('the pages show these figures', async () => {
  const { calls: made, failed, cost_nanos, margin_nanos } = truthOf(inWeek)
  await using one = await visit('operator')
  const text = async (address: string) => {
    await one.go(address)
    await one.page.getByText(count(made)).first().waitFor()
    await one.quiet()
    return (await one.page.locator('main').innerText()).replace(/\s+/g, ' ')
  }
  await one.open('/console/usage?days=7')
  for (const address of ['/console?range=week', '/console/usage?days=7', `/console/calls?${DAYS_OF_WEEK}`]) {
    const shown = await text(address)
    for (const figure of [count(made), count(failed), roundedUsd(cost_nanos), roundedUsd(margin_nanos ?? 0)])
      expect([address, shown.includes(figure), figure]).toEqual([address, true, figure])
  }
  await one.isClean()
})

const weeksOf = (models: { week: Figures }[]): Figures[] => models.map(({ week: figures }) => figures)

const daysOfModel = async (id: string): Promise<Figures[]> =>
  (await operator.json('GET', `/models/detail?id=${id}`)).days
