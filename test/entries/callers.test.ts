// GET /api/v1/entries: the movements of an account's balance, to the nano-dollar, and of no other account's.
import { beforeAll, describe, expect, test } from 'bun:test'
import { MODEL } from '../support/catalogue.ts'
import { allPages } from '../support/console-session.ts'
import { ANSWER_NANOS, answer, ask, wholePath } from '../support/native.ts'
import { fileScene } from '../support/scene.ts'
import { whole } from '../support/upstream.ts'

const { gateway, call, key } = await fileScene({ script: whole(answer()), balance_usd: '1' })
const stranger = await gateway.caller('5')

interface ListedEntry {
  id: number
  kind: string
  amount_nanos: number
  balance_nanos: number
  request_id: string | null
}
interface Body {
  entries: ListedEntry[]
  next_cursor: number | null
  error: { param: string; type: string }
}
const list = async (query = '', as = key) => {
  const response = await call(`/api/v1/entries${query}`, undefined, { key: as })
  return { status: response.status, body: (await response.json()) as Body }
}
const request_ids: (string | null)[] = []

beforeAll(async () => {
  for (let made = 0; made < 3; made += 1) {
    const response = await call(wholePath(MODEL), ask())
    request_ids.push(response.headers.get('x-request-id'))
    await response.text()
  }
  await gateway.rest()
})

test('entries are listed newest first, each charge with its call, and the top-up with its note', async () => {
  const { status, body } = await list()
  expect(status).toBe(200)
  expect(body.entries.map(({ request_id }) => request_id)).toEqual([...request_ids.toReversed(), null])
  expect(body.entries[0]).toMatchObject({
    kind: 'charge',
    amount_nanos: -ANSWER_NANOS,
    model: MODEL,
    note: '',
    unpaid_nanos: 0,
  })
  expect(body.entries[3]).toMatchObject({
    kind: 'top_up',
    amount_nanos: 1_000_000_000,
    amount_usd: '1.00',
    note: 'test',
    model: null,
    unpaid_nanos: null,
  })
  expect(body.next_cursor).toBeNull()
})

test('each entry has the balance after it', async () => {
  const { body } = await list()
  const oldest = 1_000_000_000
  expect(body.entries.map(({ balance_nanos }) => balance_nanos)).toEqual([
    oldest - 3 * ANSWER_NANOS,
    oldest - 2 * ANSWER_NANOS,
    oldest - ANSWER_NANOS,
    oldest,
  ])
  const charges = (await list('?kind=charge&limit=1')).body.entries
  expect(charges.map(({ balance_nanos }) => balance_nanos)).toEqual([oldest - 3 * ANSWER_NANOS])
})

test('the sum of all entries is the balance of the account', async () => {
  const { body } = await list()
  const account = (await (await call('/api/v1/account')).json()) as { balance_nanos: number }
  expect(body.entries.reduce((total, { amount_nanos }) => total + amount_nanos, 0)).toBe(
    account.balance_nanos,
  )
})

test('another account sees only its own entries, and cannot continue from a foreign one', async () => {
  const { body } = await list('', stranger)
  expect(body.entries).toMatchObject([{ kind: 'top_up', amount_nanos: 5_000_000_000 }])
  const foreign = (await list()).body.entries[0]?.id
  expect(await list(`?cursor=${foreign}`, stranger)).toMatchObject({
    status: 400,
    body: { error: { param: 'cursor' } },
  })
})

describe('filters and pages', () => {
  const tomorrow = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10)

  test.each<[string, number]>([
    ['?kind=charge', 3],
    ['?kind=top_up', 1],
    ['?kind=withdrawal', 0],
    ['?kind=debt_payment', 0],
    ['?since=2020-01-01', 4],
    [`?since=${tomorrow}`, 0],
    ['?until=2020-01-01', 0],
    [`?until=${tomorrow}&kind=charge`, 3],
  ])('%s: %i entries', async (query, count) => {
    expect((await list(query)).body.entries).toHaveLength(count)
  })

  test('pages have every entry once', async () => {
    const pages = await allPages(async (cursor) => (await list(`?limit=1${cursor}`)).body)
    const ids = pages.flatMap(({ entries }) => entries.map(({ id }) => id))
    expect(ids).toEqual((await list()).body.entries.map(({ id }) => id))
    expect(ids).toHaveLength(4)
  })
})

test.each([
  ['?kind=gift', 'kind'],
  ['?limit=0', 'limit'],
  ['?limit=1001', 'limit'],
  ['?cursor=0', 'cursor'],
  ['?cursor=999999', 'cursor'],
  ['?since=yesterday', 'since'],
  ['?since=2026-02-30', 'since'],
  ['?since=2026-03-02&until=2026-03-01', 'since'],
  ['?account=1', 'account'],
  ['?key=tg_1234567', 'key'],
])('%s: 400', async (query, param) => {
  expect(await list(query)).toMatchObject({
    status: 400,
    body: { error: { type: 'invalid_request', param } },
  })
})

test('without a key: 401', async () => {
  expect((await gateway.call('/api/v1/entries')).status).toBe(401)
})

test('each kind is found by an index', () => {
  const plan = (where: string) =>
    gateway.db
      .query<{ detail: string }, []>(
        `EXPLAIN QUERY PLAN SELECT * FROM entries WHERE account_id = 1 AND created_at_ms >= 0 ${where}
          ORDER BY created_at_ms DESC, id DESC`,
      )
      .all()
      .map(({ detail }) => detail)
  expect(plan('')).toEqual([expect.stringContaining('USING INDEX entries_by_account')])
  expect(plan("AND kind <> 'charge'")).toEqual([expect.stringContaining('USING INDEX entries_without_call')])
})
