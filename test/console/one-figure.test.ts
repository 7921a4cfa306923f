// One figure, one truth: pages, files and an account's own API report the same figures of the same calls, over a seeded database.
import { describe, expect, test } from 'bun:test'
import { count, roundedUsd } from '../../plugins/console/web/parts/amounts.ts'
import { utcDay } from '../../plugins/console/web/parts/time-words.ts'
import { addSums } from '../../plugins/refusals/writing.ts'
import { hasFailed, OUTCOMES } from '../../src/domain/outcomes.ts'
import { lastDays, lastWeek } from '../../src/domain/ranges.ts'
import { NO_USAGE } from '../../src/domain/usage.ts'
import { daysIn, UTC } from '../../src/domain/zones.ts'
import { prepareStatements } from '../../src/money/ledger/statements.ts'
import type { Db } from '../../src/store/db.ts'
import type { Call } from '../../src/store/schema.ts'
import { fileConsole } from '../support/console.ts'
import type { ConsolePage } from '../support/console-page.ts'
import { allPages, signedIn } from '../support/console-session.ts'
import { SCREENS } from '../support/screens.ts'

const HOUR_MS = 3_600_000
const DAYS = 16
/** The clock stands still, so that no day ends during the test. */
const now_ms = Date.now()
const { gateway, visit } = await fileConsole({ now: () => now_ms })
const MODELS = ['sim-flash', 'sim-pro', 'sim-embedding']
/** A model sold for half of its cost. */
const LOSING = 'sim-embedding'
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
  const model = MODELS[(nth % 7) % 3] ?? 'sim-flash'
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
    model,
    ...{ provider: 'sim', upstream_model: 'flash', status: outcome === 'failed' ? 502 : 200 },
    ...{ streamed: 0, estimated: 0, input_tokens: 90 + nth, output_tokens: nth, images: nth % 2 },
    ...{ hold_nanos: 9_000_000, unpaid_nanos: 0, price: '', first_byte_ms: 80, duration_ms: 200 },
    ...{ summed: 0, failed_tries: 0, trace: '', price_id: null, counted: '' },
    provider_cost_nanos:
      nth % 4 === 0 ? null : Math.floor(model === LOSING ? cost_nanos * 2 : cost_nanos / 3),
    ...{ reported_cost_nanos: null, computed_cost_nanos: null, costs_elsewhere: null, refunded_nanos: 0 },
    ...{ covered_nanos: 0, plan_period_id: null },
  }
}

/** More refused requests of each key than are recorded one by one, over all hours of the last days. */
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

/** The true figures of some calls. */
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

/** Figures under the names of a list: the Overview calls charges revenue, and an account's own page calls them spent. */
const charged = (view: Figures & { revenue_nanos?: number; spent_nanos?: number }): Figures => ({
  ...view,
  cost_nanos: view.revenue_nanos ?? view.spent_nanos ?? 0,
})

/** The sum of a list's rows; unknown amounts count as 0. */
const added = (rows: readonly Partial<Figures>[]): Figures =>
  Object.fromEntries(
    NAMES.map((name) => [name, rows.reduce((total, row) => total + (row[name] ?? 0), 0)]),
  ) as unknown as Figures

const inWeek = calls.filter(({ started_at_ms }) => started_at_ms >= week.from_ms)

test('the seed has all outcomes, known and unknown costs, before the week and in it', () => {
  expect(new Set(inWeek.map(({ outcome }) => outcome)).size).toBe(4)
  expect(inWeek.length).toBeGreaterThan(200)
  expect(inWeek.length).toBeLessThan(calls.length)
  expect(inWeek.some(({ started_at_ms }) => started_at_ms === week.from_ms)).toBe(true)
  const { known_revenue_nanos, cost_nanos } = truthOf(inWeek)
  expect(known_revenue_nanos).toBeLessThan(cost_nanos)
})

describe('figures of the last 7 days', () => {
  test.each<[string, () => Promise<Figures>]>([
    ['Overview', async () => charged((await operator.json('GET', '/overview?range=7')).totals)],
    [
      'Overview, its points',
      async () => added((await operator.json('GET', '/overview?range=7')).points.map(charged)),
    ],
    [
      'Overview from day to day',
      async () => charged((await operator.json('GET', `/overview?${DAYS_OF_WEEK}`)).totals),
    ],
    ...['model', 'account', 'key', 'provider', 'route', 'day', 'month'].flatMap(
      (by): [string, () => Promise<Figures>][] => [
        [
          `Overview by ${by}`,
          async () => added((await operator.json('GET', `/usage?range=7&by=${by}`)).rows.map(charged)),
        ],
        [
          `Overview by ${by}, its total`,
          async () => charged((await operator.json('GET', `/usage?range=7&by=${by}`)).total),
        ],
      ],
    ),
    ['Models', async () => added(weeksOf((await operator.json('GET', '/models')).models))],
    ['Model, its week', async () => added((await Promise.all(MODELS.map(weekOfModel))).map(charged))],
    ['Calls, their sums', () => operator.json('GET', `/call-sums?${DAYS_OF_WEEK}`)],
    ['Calls, their sums from the calls', () => operator.json('GET', `/call-sums?${DAYS_OF_WEEK}&min_cost=0`)],
  ])('%s', async (_, read) => {
    expect(figures(await read())).toEqual(truthOf(inWeek))
  })

  test('accounts and keys have spent the cost of their calls', async () => {
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

  // Zones whose weeks begin hours apart from that of UTC, at any time.
  test.each(['America/Los_Angeles', 'Asia/Kathmandu', 'Pacific/Kiritimati', 'Pacific/Pago_Pago'])(
    'in days of %s, Models, Accounts and Keys agree with the Overview, and accounts are in its order',
    async (zone) => {
      const local = lastWeek(now_ms, zone)
      const some = calls.filter(({ started_at_ms }) => started_at_ms >= local.from_ms)
      expect(some.length).not.toBe(inWeek.length)
      const truth = truthOf(some)
      const read = (path: string) =>
        operator.json('GET', `${path}${path.includes('?') ? '&' : '?'}zone=${zone}`)
      expect(figures(charged((await read('/overview?range=7')).totals))).toEqual(truth)
      expect(figures(added(weeksOf((await read('/models')).models)))).toEqual(truth)
      const spentBy = (is: (call: Call) => boolean) => truthOf(some.filter(is))
      const { accounts } = await read('/accounts?order=-spent')
      const of_accounts = [1, 2].map((id) => ({
        id,
        week_nanos: spentBy(({ account_id }) => account_id === id).cost_nanos,
      }))
      expect(accounts).toMatchObject(of_accounts.toSorted((one, other) => other.week_nanos - one.week_nanos))
      const { keys } = await read('/keys')
      for (const { id, week_calls, week_nanos } of keys) {
        const { calls: made, cost_nanos } = spentBy(({ key_id }) => key_id === id)
        expect([id, week_calls, week_nanos]).toEqual([id, made, cost_nanos])
      }
      const own = await alice.json('GET', `/models?zone=${zone}`)
      expect(added(weeksOf(own.models)).cost_nanos).toBe(
        spentBy(({ account_id }) => account_id === 1).cost_nanos,
      )
      const file = await (await operator.send('GET', `/models.csv?zone=${zone}`)).text()
      expect(file).toContain(`,${spentBy(({ model }) => model === 'sim-pro').calls},`)
    },
  )

  test.each(['/accounts', '/keys', '/models', '/models.csv'])(
    '%s refuses a zone that does not exist',
    async (path) => {
      const answer = await operator.send('GET', `${path}?zone=Europe/Atlantis`)
      expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('time zone')])
    },
  )

  test('the list of calls, page by page, and its file have the same number of calls and of failed calls', async () => {
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

  test('an account sees its own figures on each page and by its API, and no margin', async () => {
    const own = inWeek.filter(({ account_id }) => account_id === 1)
    const wanted = { ...truthOf(own), margin_nanos: null, known_revenue_nanos: null }
    const overview = await alice.json('GET', '/overview?range=7')
    expect(figures(await alice.json('GET', `/call-sums?${DAYS_OF_WEEK}`))).toEqual(wanted)
    const { calls: made, failed, cost_nanos } = wanted
    expect(charged(overview.totals)).toMatchObject({ calls: made, failed, cost_nanos })
    for (const by of ['model', 'key', 'day']) {
      const { rows, total } = await alice.json('GET', `/usage?range=7&by=${by}`)
      for (const sum of [added(rows.map(charged)), charged(total)])
        expect(sum).toMatchObject({ calls: made, failed, cost_nanos })
    }
    const response = await gateway.call(`/api/v1/usage?sums=day&${DAYS_OF_WEEK}`, undefined, {
      key: texts[0],
      method: 'GET',
    })
    const { sums } = (await response.json()) as { sums: { calls: number; cost_nanos: number }[] }
    expect(added(sums)).toMatchObject({ calls: made, cost_nanos })
  })
})

describe('refused requests of the last 7 days', () => {
  const refused = async (path: string) => (await operator.json('GET', path)).refused as number
  const ofKeys = () => [1, 2, 3].map((id) => refused(`/refusals?range=week&key=${id}`))
  const sum = async (figures: Promise<number>[]) => (await Promise.all(figures)).reduce((a, b) => a + b, 0)

  test('are counted alike on the Overview, over all accounts, over all keys, by reason, and beside the calls', async () => {
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

  test('of an account are counted alike for the operator, for the account, and by its API, key by key', async () => {
    const own = await refused('/refusals?range=week&account=alice')
    expect((await alice.json('GET', '/refusals?range=week')).refused).toBe(own)
    expect((await alice.json('GET', `/call-sums?${DAYS_OF_WEEK}`)).refused).toBe(own)
    const refusedByApi = async (filter: string) => {
      const path = `/api/v1/refusals?${DAYS_OF_WEEK}${filter}`
      const response = await gateway.call(path, undefined, { key: texts[0], method: 'GET' })
      return ((await response.json()) as { refused: number }).refused
    }
    const keys = texts.slice(0, 2).map((text) => refusedByApi(`&key=${text.slice(0, 10)}`))
    expect([await refusedByApi(''), await sum(keys)]).toEqual([own, own])
    expect(await Promise.all(keys)).toEqual((await Promise.all(ofKeys())).slice(0, 2))
  })
})

describe.each(['today', '30', 'mtd'])('the range %s of the Overview', (range) => {
  test('has the calls that the page Calls sums up over the same time', async () => {
    const { totals, from_at_ms, until_at_ms } = await operator.json('GET', `/overview?range=${range}`)
    const iso = (time_ms: number) => encodeURIComponent(new Date(time_ms).toISOString())
    const time = `since=${iso(from_at_ms)}&until=${iso(until_at_ms)}`
    const some = calls.filter(({ started_at_ms: at }) => at >= from_at_ms && at < until_at_ms)
    expect(figures(charged(totals))).toMatchObject(some.length === 0 ? { calls: 0 } : truthOf(some))
    expect(figures(await operator.json('GET', `/call-sums?${time}`))).toEqual(figures(charged(totals)))
  })
})

test.each(['America/Los_Angeles', 'Asia/Kolkata'])(
  'a day is a day of the viewer in %s, and a call has its own clock time there',
  async (time_zone) => {
    await using one = await visit('operator', { time_zone })
    await one.open('/console/usage?days=7&by=day')
    await one.page.getByRole('button', { name: 'As a table' }).first().click()
    const days = daysIn(lastDays(now_ms, 7, time_zone), time_zone).map(({ name }) => utcDay(name))
    for (const [name, newest] of [
      ['Revenue, cost and margin by day, as figures', `${days.at(-1)}, so far`],
      ['Figures by day', days.at(-1) ?? ''],
    ] as const) {
      const rows = one.page.getByRole('table', { name }).locator('tbody tr')
      await rows.nth(6).waitFor()
      expect(await rows.locator('td:first-child').allInnerTexts()).toEqual([
        newest,
        ...days.toReversed().slice(1),
      ])
    }
    await one.go('/console/calls')
    const last = calls.toSorted((a, b) => b.id - a.id)[0]
    const time = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium', timeZone: time_zone })
    const cell = one.page.getByRole('table', { name: 'Calls' }).locator('tbody tr time').first()
    expect(await cell.getAttribute('datetime')).toBe(new Date(last?.started_at_ms ?? 0).toISOString())
    expect(await cell.getAttribute('title')).toContain(time.format(last?.started_at_ms))
  },
)

let shared: ConsolePage | undefined
/** The operator's page, which tests share, wide. */
async function asOperator(): Promise<ConsolePage> {
  if (shared === undefined) {
    shared = await visit('operator')
    await shared.open('/console/usage?days=7')
  }
  await shared.page.setViewportSize(SCREENS.wide)
  return shared
}

test('the pages show these figures', async () => {
  const { calls: made, failed, cost_nanos, margin_nanos } = truthOf(inWeek)
  const one = await asOperator()
  const text = async (address: string) => {
    await one.go(address)
    await one.page.getByText(count(made)).first().waitFor()
    await one.quiet()
    return (await one.page.locator('main').innerText()).replace(/\s+/g, ' ')
  }
  for (const address of ['/console?range=7', '/console/usage?days=7', `/console/calls?${DAYS_OF_WEEK}`]) {
    const content = await text(address)
    for (const figure of [count(made), count(failed), roundedUsd(cost_nanos), roundedUsd(margin_nanos ?? 0)])
      expect([address, content.includes(figure), figure]).toEqual([address, true, figure])
  }
  await one.isClean()
})

describe('links of the Overview', () => {
  test('a model sold below cost leads to its calls', async () => {
    const some = inWeek.filter(({ model }) => model === LOSING)
    const { margin_nanos } = truthOf(some)
    expect(margin_nanos).toBeLessThan(0)
    const one = await asOperator()
    await one.go('/console?range=7')
    const table = one.page.getByRole('table', { name: 'Models sold below cost' })
    await table.waitFor()
    expect(await table.locator('tbody tr').count()).toBe(1)
    const row = table.getByRole('row', { name: LOSING })
    expect(await row.innerText()).toContain(roundedUsd(margin_nanos ?? 0))
    await one.looksRight()
    await row.getByRole('link', { name: `${count(some.length)} calls` }).click()
    await one.page
      .getByText(`${count(some.length)} calls`)
      .first()
      .waitFor()
    expect(new URL(one.page.url()).searchParams.get('model')).toBe(LOSING)
    await one.isClean()
  })

  test('a point of the chart leads to the calls of its day, by keyboard and by a press', async () => {
    const one = await asOperator()
    const days = daysIn(lastDays(now_ms, 7, UTC), UTC)
    const callsOn = ({ start_ms, end_ms }: (typeof days)[number]) =>
      calls.filter(({ started_at_ms: at }) => at >= start_ms && at < end_ms).length
    await one.go('/console?range=7')
    const points = one.page.getByRole('slider', { name: /Revenue, cost and margin/ })
    await points.focus()
    await points.press('End')
    for (const _ of ['yesterday', 'the day before']) await points.press('ArrowLeft')
    const [day] = days.slice(-3)
    if (!day) throw new Error('no day')
    expect(await points.getAttribute('aria-valuetext')).toStartWith(utcDay(day.name))
    await points.press('Enter')
    await one.page
      .getByText(`${count(callsOn(day))} calls`)
      .first()
      .waitFor()
    expect(new URL(one.page.url()).searchParams.get('since')).toBe(day.name)
    await one.go('/console?range=7')
    await one.page.locator('canvas').first().waitFor()
    const position = { x: 120, y: 60 }
    await points.hover({ position })
    await one.page.locator('[role=slider]:not([aria-valuenow="6"])').waitFor()
    await points.click({ position })
    await one.page.waitForURL(/\/console\/calls\?/)
    expect(days.map(({ name }) => name)).toContain(new URL(one.page.url()).searchParams.get('since') ?? '')
    await one.isClean()
  })

  test('the address has the order of the columns, and the file has the visible rows', async () => {
    const one = await asOperator()
    await one.page.setViewportSize(SCREENS.phone)
    await one.go('/console?range=7&by=model&order=-margin')
    const table = one.page.getByRole('table', { name: 'Figures by model' })
    await table.waitFor()
    await one.looksRight()
    const rows = (await table.locator('tbody td:first-child').allInnerTexts()).map((text) => text.trim())
    expect(rows.at(-1)).toBe(LOSING)
    const href = (await one.page.getByRole('link', { name: 'Export CSV' }).first().getAttribute('href')) ?? ''
    const file = await (await operator.send('GET', href.slice(href.indexOf('/usage.csv')))).text()
    expect(
      file
        .trimEnd()
        .split('\r\n')
        .slice(1)
        .map((line) => line.split(',')[0]),
    ).toEqual(rows)
  })
})

const weeksOf = (models: { week: Figures }[]): Figures[] => models.map(({ week: figures }) => figures)

const weekOfModel = async (id: string) => (await operator.json('GET', `/overview?range=7&model=${id}`)).totals
