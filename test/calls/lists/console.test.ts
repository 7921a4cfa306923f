// Calls in the console: filters, pages, and details; the views of an account and of the operator.
import { afterAll, describe, expect, test } from 'bun:test'
import { MODEL, PROVIDER, TIERED, UPSTREAM_MODEL } from '../../support/catalogue.ts'
import { allPages, signedIn } from '../../support/console-session.ts'
import { fileGateway } from '../../support/gateway.ts'
import { ANSWER_NANOS, answering, ask, wholePath } from '../../support/native.ts'
import { heldBack, refusal, startUpstream } from '../../support/upstream.ts'

const upstream = await startUpstream(answering)
const gateway = await fileGateway({ upstream })
afterAll(() => upstream[Symbol.asyncDispose]())
/** alice: completed twice, refused; bob: completed. */
await gateway.account('alice', { balance_usd: '10' })
await gateway.account('bob', { balance_usd: '10' })
const keys = {
  alice: await gateway.key('alice'),
  desk: await gateway.key('alice', { name: 'desk' }),
  bob: await gateway.key('bob'),
}
await (await gateway.call(wholePath(), ask(), { key: keys.alice })).text()
await (await gateway.call(wholePath(TIERED), ask(), { key: keys.desk })).text()
upstream.answer(refusal(400, { error: { code: 400, message: 'such a field is unknown' } }))
await (await gateway.call(wholePath(), ask(), { key: keys.alice })).text()
upstream.answer(answering)
await (await gateway.call(wholePath(), ask(), { key: keys.bob })).text()
const calls = (await gateway.atRest()).calls
const operator = await signedIn(gateway, 'operator')
const alice = await signedIn(gateway, { account: 'alice' })

const idsOf = ({ calls }: { calls: { request_id: string }[] }) => calls.map(({ request_id }) => request_id)
/** Ids of the calls at these places, newest first; 1 is the oldest call. */
const idsAt = (...places: number[]) => places.map((place) => calls[place - 1]?.request_id ?? '').reverse()

describe('the list', () => {
  test.each<[string, number[]]>([
    ['', [1, 2, 3, 4]],
    ['?account=1', [1, 2, 3]],
    ['?account=2', [4]],
    ['?account=bob', [4]],
    ['?key=2', [2]],
    [`?key=${keys.desk.slice(0, 10)}`, [2]],
    [`?model=${TIERED}`, [2]],
    ['?model=none', []],
    [`?provider=${PROVIDER}`, [1, 2, 3, 4]],
    ['?provider=none', []],
    ['?outcome=failed', [3]],
    ['?outcome=cancelled', []],
    ['?status=400', [3]],
    ['?status=4xx', [3]],
    ['?status=2xx', [1, 2, 4]],
    ['?min_cost=0.000001', [1, 2, 4]],
    ['?min_cost=1', []],
    ['?since=2020-01-01', [1, 2, 3, 4]],
    ['?until=2020-01-01', []],
    ['?account=1&status=2xx&limit=1', [2]],
  ])('%s', async (query, places) => {
    expect(idsOf(await operator.json('GET', `/calls${query}`))).toEqual(idsAt(...places))
  })

  test.each<[string, number[]]>([
    ['', [1, 2, 3, 4]],
    ['?account=alice', [1, 2, 3]],
    ['?outcome=failed', [3]],
    [`?provider=${PROVIDER}`, [1, 2, 3, 4]],
    ['?min_cost=1', []],
  ])('%s: the sums and the file cover the same calls', async (query, places) => {
    const { calls: rows } = await operator.json('GET', `/calls${query}`)
    const cost_nanos = rows.reduce((sum: number, row: { cost_nanos: number }) => sum + row.cost_nanos, 0)
    expect(await operator.json('GET', `/call-sums${query}`)).toMatchObject({
      calls: places.length,
      failed: places.filter((place) => place === 3).length,
      cost_nanos,
      margin_nanos: null,
    })
    const file = await operator.send('GET', `/calls.csv${query}`)
    expect(file.headers.get('content-disposition')).toMatch(/tollgate-calls-\d{4}-\d\d-\d\d\.csv/)
    const [head = '', ...lines] = (await file.text()).trimEnd().split('\r\n')
    expect(head).toContain('request_id,started_utc,account,key,')
    expect(lines.map((line) => line.split(',')[0])).toEqual(idsAt(...places))
  })

  test('continues where the previous page ended', async () => {
    const pages = await allPages((cursor) => operator.json('GET', `/calls?limit=1${cursor}`))
    expect(pages.flatMap(idsOf)).toEqual(idsAt(1, 2, 3, 4))
  })

  test('shows the operator the account, key, model, and route of each call', async () => {
    const { calls: rows } = await operator.json('GET', '/calls?key=2')
    expect(rows).toMatchObject([
      {
        account: 'alice',
        key: 'desk',
        model: TIERED,
        provider: PROVIDER,
        upstream_model: UPSTREAM_MODEL,
        outcome: 'completed',
        input_tokens: 10,
        output_tokens: 5,
        cost_nanos: ANSWER_NANOS,
        failed_tries: 0,
      },
    ])
  })

  test.each([
    ['?status=999', 'status'],
    ['?status=40x', 'status'],
    ['?min_cost=-1', 'min_cost'],
    ['?min_cost=1e3', 'min_cost'],
    ['?min_cost=99999999999', 'min_cost'],
    ['?outcome=lost', 'outcome'],
    ['?since=2026-02-30', 'since'],
    ['?since=2026-03-02&until=2026-03-01', 'since'],
    ['?cursor=0', 'cursor'],
    ['?limit=0', 'limit'],
    ['?model=a&model=b', 'model'],
    ['?colour=red', 'colour'],
  ])('refuses %s, and names %s', async (query, param) => {
    const answer = await operator.send('GET', `/calls${query}`)
    const { error } = (await answer.json()) as { error: { param: string; message: string } }
    expect([answer.status, error.param]).toEqual([400, param])
    expect(error.message).toContain(param)
  })
})

describe('one call', () => {
  test('has all its details', async () => {
    const call = await operator.json('GET', `/calls/${calls[0]?.request_id}`)
    expect(call).toMatchObject({
      model: MODEL,
      provider: PROVIDER,
      tried: [],
      failure: null,
      usage: { input_tokens: 10, output_tokens: 5 },
      reported: { input_tokens: 10, output_tokens: 5 },
      hold_nanos: calls[0]?.hold_nanos,
      ceiling_nanos: null,
      idempotency: null,
      parts: [],
      image_ids: [],
    })
    const { held_ms, sent_ms, head_ms, first_byte_ms, settled_ms } = call.timings
    const times = [0, held_ms, sent_ms, head_ms, first_byte_ms, settled_ms]
    expect(times).toEqual(times.toSorted((one, other) => one - other))
  })

  test('has lines and an entry that equal its cost', async () => {
    const { entries } = gateway.rows()
    for (const { request_id, id, cost_nanos } of calls) {
      const { lines, entry, ...call } = await operator.json('GET', `/calls/${request_id}`)
      const sum = lines.reduce(
        (total: number, line: { amount_nanos: number }) => total + line.amount_nanos,
        0,
      )
      expect([call.cost_nanos, sum, 0 - (entry?.amount_nanos ?? 0)]).toEqual([
        cost_nanos,
        cost_nanos,
        cost_nanos,
      ])
      expect(entry?.id).toBe(entries.find(({ call_id }) => call_id === id)?.id)
    }
  })

  test("that failed shows the operator the attempt and the provider's message", async () => {
    expect(await operator.json('GET', `/calls/${calls[2]?.request_id}`)).toMatchObject({
      outcome: 'failed',
      status: 400,
      lines: [],
      entry: null,
      reported: null,
      tried: [
        { provider: PROVIDER, failure_class: 'bad_request', status: 400, words: 'such a field is unknown' },
      ],
      failure: { kind: 'invalid_request', message: 'such a field is unknown' },
    })
  })

  test('under way is a conflict until it is settled; an unknown one is not found', async () => {
    const held = heldBack(answering)
    upstream.answer(held.script)
    const answer = gateway.call(wholePath(), ask(), { key: keys.alice })
    await held.received
    await gateway.written()
    const { holds } = gateway.rows()
    const pending = holds.find(({ state }) => state === 'pending')
    const early = await operator.send('GET', `/calls/${pending?.request_id}`)
    expect([early.status, await early.json()]).toMatchObject([409, { error: { code: 'call_under_way' } }])
    const others = await (await signedIn(gateway, { account: 'bob' })).send(
      'GET',
      `/calls/${pending?.request_id}`,
    )
    expect(others.status).toBe(404)
    held.release()
    await (await answer).text()
    await gateway.rest()
    expect(await operator.json('GET', `/calls/${pending?.request_id}`)).toMatchObject({
      outcome: 'completed',
    })
    expect((await operator.send('GET', '/calls/req_nothing')).status).toBe(404)
    upstream.answer(answering)
  })
})

describe('an account', () => {
  test('sees its own calls, without the routes that served them', async () => {
    const { calls: rows } = await alice.json('GET', '/calls?until=2100-01-01')
    expect(rows.length).toBeGreaterThanOrEqual(3)
    for (const row of rows)
      expect(row).toMatchObject({
        account: 'alice',
        provider: null,
        upstream_model: null,
        failed_tries: null,
      })
  })

  test('sees one call without attempts and without the internal cause of its failure', async () => {
    const call = await alice.json('GET', `/calls/${calls[2]?.request_id}`)
    expect(call).toMatchObject({ tried: null, failure: { message: 'such a field is unknown', cause: null } })
    const text = JSON.stringify(call)
    expect(text).not.toContain(PROVIDER)
    expect(text).not.toContain(UPSTREAM_MODEL)
  })

  test.each([
    ["another's call", () => `/calls/${calls[3]?.request_id}`, 404],
    ["another's list", () => '/calls?account=2', 404],
    ["another's list by name", () => '/calls?account=bob', 404],
    ["another's key", () => '/calls?key=3', 404],
    ["another's sums", () => '/call-sums?account=2', 404],
    ["another's file", () => '/calls.csv?account=2', 404],
    ["another's filters", () => '/call-filters?account=2', 404],
    ['a filter by provider', () => `/calls?provider=${PROVIDER}`, 403],
  ])('is refused %s', async (_, path, status) => {
    for (const client of [alice, await signedIn(gateway, { key: keys.alice })])
      expect((await client.send('GET', path())).status).toBe(status)
  })

  test('gets a file with the columns of `tollgate usage --csv`, except those of routes and margins', async () => {
    const headOf = async (client: typeof operator) =>
      (await (await client.send('GET', '/calls.csv')).text()).split('\r\n')[0]
    const columns =
      'request_id,started_utc,account,key,key_prefix,surface,model,outcome,status,input_tokens,output_tokens,images,' +
      'cost_usd,unpaid_usd,refunded_usd,first_byte_ms,duration_ms,refusal,cause,paid_by,covered_usd'
    expect(await headOf(alice)).toBe(columns)
    expect(await headOf(operator)).toBe(
      `${columns},provider,upstream_model,failed_tries,provider_cost_usd,margin_usd`,
    )
  })

  test('gets a file of its own calls, without the routes that served them', async () => {
    const text = await (await alice.send('GET', '/calls.csv')).text()
    expect(text.split('\r\n').length).toBeGreaterThan(3)
    for (const hidden of ['bob', PROVIDER, UPSTREAM_MODEL, 'provider']) expect(text).not.toContain(hidden)
  })
})

test('filter choices are limited to what the viewer may see', async () => {
  expect(await operator.json('GET', '/call-filters')).toMatchObject({
    accounts: [
      { id: 1, name: 'alice' },
      { id: 2, name: 'bob' },
    ],
    keys: [],
    providers: [PROVIDER],
    models: expect.arrayContaining([MODEL, TIERED]),
  })
  expect((await operator.json('GET', '/call-filters?account=1')).keys).toMatchObject([{ name: 'desk' }, {}])
  expect(await alice.json('GET', '/call-filters')).toMatchObject({
    accounts: [],
    providers: [],
    keys: [{ name: 'desk' }, {}],
  })
})
