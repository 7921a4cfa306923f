// silent.md, Account surface: "GET /api/v1/usage (calls, filtered and paged; daily sums by model and key)".
import { describe, expect, test } from 'bun:test'
import { readUsageRequest } from '../../../plugins/calls/usage-views.ts'
import { MODEL, THINKING } from '../../support/catalogue.ts'
import { ANSWER_NANOS, answer, ask, streamPath, wholePath } from '../../support/native.ts'
import { fileScene } from '../../support/scene.ts'
import { events, RESET, whole } from '../../support/upstream.ts'

const DAY_MS = 86_400_000
const DAY_1 = Date.UTC(2026, 1, 27)
const DAY_2 = DAY_1 + DAY_MS
const PATH = '/api/v1/usage'

let now_ms = DAY_1

/**
 * Anna's calls, the oldest first: desk, MODEL, day 1; phone, MODEL, day 1, failed; desk, THINKING, day 2, streamed;
 * phone, MODEL, day 2. Between them one of bert's.
 */
const { gateway, upstream } = await fileScene({ script: whole(answer()), now: () => now_ms })
await gateway.account('anna', { balance_usd: '1' })
await gateway.account('bert', { balance_usd: '1' })
const desk = await gateway.key('anna', { name: 'desk' })
const phone = await gateway.key('anna', { name: 'phone' })
const stranger = await gateway.key('bert')
const call = async (key: string, path: string) => {
  await (await gateway.call(path, ask(), { key })).text()
  now_ms += 1_000
}
await call(desk, wholePath(MODEL))
upstream.answer(RESET)
await call(phone, wholePath(MODEL))
upstream.answer(whole(answer()))
await call(stranger, wholePath(MODEL))
now_ms = DAY_2
upstream.answer(events([answer()]))
await call(desk, streamPath(THINKING))
upstream.answer(whole(answer()))
await call(phone, wholePath(MODEL))
await gateway.rest()

type Row = Record<string, unknown> & { key: string; model: string; outcome: string; started_at: string }
interface Body {
  calls: Row[]
  next_cursor: number | null
  sums: Row[]
  error: { message: string; param: string; type: string }
}
async function get(
  query: Record<string, string> | string,
  key = desk,
): Promise<{ status: number; body: Body }> {
  const response = await gateway.call(`${PATH}?${new URLSearchParams(query)}`, undefined, { key })
  return { status: response.status, body: (await response.json()) as Body }
}

/** Anna's calls, the oldest first. */
const OF_ANNA = ['desk 1', 'phone 1', 'desk 2', 'phone 2']
const briefly = ({ key, started_at }: Row) => `${key} ${started_at.startsWith('2026-02-27') ? 1 : 2}`

describe('calls', () => {
  test('one call, with every field that callers see, and nothing of the provider', async () => {
    const { body } = await get({ limit: '1' })
    expect(body.calls).toEqual([
      {
        request_id: expect.stringMatching(/^req_/),
        key: 'phone',
        key_prefix: phone.slice(0, 10),
        surface: 'native',
        model: MODEL,
        outcome: 'completed',
        status: 200,
        cause: null,
        streamed: false,
        estimated: false,
        input_tokens: 10,
        input_audio_tokens: 0,
        cache_read_tokens: 0,
        cache_write_5m_tokens: 0,
        cache_write_1h_tokens: 0,
        output_tokens: 5,
        thinking_tokens: 0,
        output_image_tokens: 0,
        images: 0,
        hold_nanos: expect.any(Number),
        hold_usd: expect.any(String),
        cost_nanos: ANSWER_NANOS,
        cost_usd: '0.00003',
        free_because: null,
        paid_by: 'balance',
        covered_nanos: 0,
        covered_usd: '0.00',
        unpaid_nanos: 0,
        unpaid_usd: '0.00',
        refunded_nanos: 0,
        refunded_usd: '0.00',
        price: expect.any(Object),
        first_byte_ms: 0,
        duration_ms: 0,
        started_at_ms: DAY_2 + 1_000,
        started_at: '2026-02-28T00:00:01.000Z',
      },
    ])
    expect(JSON.stringify(body)).not.toMatch(/provider-one|upstream-model/)
  })

  test.each<[name: string, query: Record<string, string>, of_anna: number[]]>([
    ['all of the account, of every key, newest first', {}, [3, 2, 1, 0]],
    ['of a model', { model: THINKING }, [2]],
    ['of a model that was never called', { model: 'no-such' }, []],
    ['that completed', { outcome: 'completed' }, [3, 2, 0]],
    ['that failed', { outcome: 'failed' }, [1]],
    ['that were cancelled', { outcome: 'cancelled' }, []],
    ['since a day', { since: '2026-02-28' }, [3, 2]],
    ['until a day, which counts as a whole', { until: '2026-02-27' }, [1, 0]],
    ['since a time, inclusive', { since: '2026-02-27T00:00:01Z' }, [3, 2, 1]],
    ['until a time, exclusive', { until: '2026-02-27T00:00:01Z' }, [0]],
    ['since a time in another zone', { since: '2026-02-28T01:00:01.000+01:00' }, [3]],
    [
      'by several filters at once',
      { model: MODEL, since: '2026-02-27', until: '2026-02-27', outcome: 'failed' },
      [1],
    ],
  ])('%s', async (_name, query, of_anna) => {
    const { status, body } = await get(query)
    expect(status).toBe(200)
    expect(body.calls.map(briefly)).toEqual(of_anna.map((at) => OF_ANNA[at] ?? ''))
    expect(body.next_cursor).toBeNull()
  })

  test('of a key, by its prefix; the prefix of another account’s key finds nothing', async () => {
    expect((await get({ key: phone.slice(0, 10) })).body.calls.map(briefly)).toEqual(['phone 2', 'phone 1'])
    expect((await get({ key: stranger.slice(0, 10) })).body.calls).toEqual([])
  })

  test('every key of an account sees the same calls, and none of another account', async () => {
    expect((await get({}, phone)).body).toEqual((await get({}, desk)).body)
    const { body } = await get({}, stranger)
    expect(body.calls).toHaveLength(1)
    expect(JSON.stringify((await get({}, desk)).body)).not.toContain(String(body.calls[0]?.request_id))
  })

  test.each([1, 2, 3])('pages of %i show every call once', async (limit) => {
    const seen: string[] = []
    let cursor: number | null = null
    do {
      const page: Body = (await get({ limit: String(limit), ...(cursor ? { cursor: String(cursor) } : {}) }))
        .body
      expect(page.calls.length).toBeLessThanOrEqual(limit)
      seen.push(...page.calls.map(briefly))
      cursor = page.next_cursor
    } while (cursor !== null)
    expect(seen).toEqual(OF_ANNA.toReversed())
  })
})

describe('daily sums', () => {
  const line = (sum: Row) => `${sum.day} ${sum.key} ${sum.model} ${sum.calls} ${sum.cost_nanos}`

  test('by model and key, the newest day first', async () => {
    const { body } = await get({ sums: 'day' })
    expect(body.sums.map(line).sort()).toEqual(
      [
        `2026-02-28 desk ${THINKING} 1 ${ANSWER_NANOS}`,
        `2026-02-28 phone ${MODEL} 1 ${ANSWER_NANOS}`,
        `2026-02-27 desk ${MODEL} 1 ${ANSWER_NANOS}`,
        `2026-02-27 phone ${MODEL} 1 0`,
      ].sort(),
    )
    expect(body.sums.map(({ day }) => day)).toEqual(['2026-02-28', '2026-02-28', '2026-02-27', '2026-02-27'])
    expect(Object.keys(body)).toEqual(['sums', 'next_cursor'])
    expect(body.next_cursor).toBeNull()
  })

  test('filtered as calls are', async () => {
    const query = {
      sums: 'day',
      model: MODEL,
      outcome: 'completed',
      key: desk.slice(0, 10),
      since: '2026-01-01',
    }
    expect((await get(query)).body.sums.map(line)).toEqual([`2026-02-27 desk ${MODEL} 1 ${ANSWER_NANOS}`])
  })

  test('in pages of whole days', async () => {
    const { body } = await get({ sums: 'day', limit: '3' })
    expect(body.sums.map(({ day }) => day)).toEqual(['2026-02-28', '2026-02-28'])
    const next = await get({ sums: 'day', limit: '3', cursor: String(body.next_cursor) })
    expect(next.body.sums.map(({ day }) => day)).toEqual(['2026-02-27', '2026-02-27'])
    expect(next.body.next_cursor).toBeNull()
  })

  test('of the last 31 days by default', async () => {
    const at_ms = now_ms
    now_ms = DAY_2 + 31 * DAY_MS
    expect((await get({ sums: 'day' })).body.sums.map(({ day }) => day)).toEqual(['2026-02-28', '2026-02-28'])
    expect((await get({ sums: 'day', since: '2026-01-01' })).body.sums).toHaveLength(4)
    expect((await get({ sums: 'day', until: '2026-02-27' })).body.sums).toHaveLength(2)
    now_ms = at_ms
  })
})

describe('refusals name the parameter', () => {
  test.each<[query: string, params: string[]]>([
    ['account=bert', ['account']],
    ['account_id=2', ['account_id']],
    ['Model=x', ['Model']],
    ['model=', ['model']],
    [`model=${'x'.repeat(129)}`, ['model']],
    ['model=a&model=b', ['model']],
    ['key=desk', ['key']],
    [`key=tg_${'A'.repeat(43)}`, ['key']],
    ['key=', ['key']],
    ['limit=0', ['limit']],
    ['limit=1001', ['limit']],
    ['limit=-1', ['limit']],
    ['limit=1.5', ['limit']],
    ['limit=1e2', ['limit']],
    ['limit=%201', ['limit']],
    ['limit=', ['limit']],
    ['limit=9999999999999999999', ['limit']],
    ['cursor=0', ['cursor']],
    ['cursor=abc', ['cursor']],
    ['outcome=ok', ['outcome']],
    ['outcome=Completed', ['outcome']],
    ['since=yesterday', ['since']],
    ['since=2026-02-30', ['since']],
    ['since=2026-13-01', ['since']],
    ['since=2026-02-28T10:00', ['since']],
    ['since=2026-02-28T25:00Z', ['since']],
    ['since=2026-02-28T10:00:00+01:00', ['since']],
    ['until=1767225600000', ['until']],
    ['until=2026-2-8', ['until']],
    ['since=2026-02-28&until=2026-02-27', ['since']],
    ['since=2026-02-28T00:00Z&until=2026-02-28T00:00Z', ['since']],
    ['sums=week', ['sums']],
    ['sums=', ['sums']],
    ['sums=day&limit=0', ['limit']],
    ['sums=day&cursor=x', ['cursor']],
    ['limit=x&order=up&outcome=no', ['order', 'limit', 'outcome']],
    ['__proto__=1', ['__proto__']],
    ['constructor=1', ['constructor']],
  ])('%s', async (query, params) => {
    const { status, body } = await get(query)
    expect(status).toBe(400)
    expect(body.error.type).toBe('invalid_request')
    expect(params).toContain(body.error.param)
    for (const param of params) expect(body.error.message).toContain(`${param}: `)
  })

  test('a long unknown name is repeated only in part', async () => {
    const { status, body } = await get({ ['x'.repeat(5_000)]: '1' })
    expect(status).toBe(400)
    expect(body.error.message.length).toBeLessThan(300)
  })

  test('a missing key, a wrong key, and a key in the query string are refused', async () => {
    expect((await gateway.call(PATH)).status).toBe(401)
    expect((await gateway.call(PATH, undefined, { key: `tg_${'B'.repeat(43)}` })).status).toBe(401)
    expect((await gateway.call(PATH, undefined, { key: desk, form: 'query' })).status).toBe(401)
  })

  test('without a key, the answer says nothing about parameters', async () => {
    const response = await gateway.call(`${PATH}?nonsense=1`)
    expect(response.status).toBe(401)
    expect(await response.text()).not.toContain('nonsense')
  })
})

test('a page has at most 500 calls, whatever limit is requested', () => {
  const request = readUsageRequest({ limit: 1_000 }, { account_id: 1, now_ms: 0 })
  expect(request).toMatchObject({ kind: 'calls', page: { limit: 500 } })
})
