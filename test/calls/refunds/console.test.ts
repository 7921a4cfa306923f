// Refunds in the console: of one call, whole or in part, after a preview; of the calls of a filter; and how every viewer sees them.
import { afterAll, describe, expect, test } from 'bun:test'
import { errorOf, signedIn } from '../../support/console-session.ts'
import { fileGateway } from '../../support/gateway.ts'
import { ANSWER_NANOS, answering, ask, wholePath } from '../../support/native.ts'
import { heldBack, refusal, startUpstream } from '../../support/upstream.ts'

const upstream = await startUpstream(answering)
const gateway = await fileGateway({ upstream })
afterAll(() => upstream[Symbol.asyncDispose]())
await gateway.account('alice', { balance_usd: '1' })
await gateway.account('bob', { balance_usd: '1' })
const keys = { alice: await gateway.key('alice'), bob: await gateway.key('bob') }
const operator = await signedIn(gateway, 'operator')
const alice = await signedIn(gateway, { account: 'alice' })

/** @returns the request id of a paid call */
async function makeCall(key = keys.alice): Promise<string> {
  await (await gateway.call(wholePath(), ask(), { key })).text()
  return (await gateway.lastCall()).request_id
}

const post = (path: string, body: object, key?: string) =>
  operator.send('POST', path, { body, headers: key === undefined ? {} : { 'idempotency-key': key } })
const refund = (request_id: string, body: object, key?: string) =>
  post(`/calls/${request_id}/refund`, body, key)
const balanceOf = (name: string) =>
  gateway.rows().accounts.find((account) => account.name === name)?.balance_nanos ?? 0
// biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever fields it needs
async function asCaller(path: string, key: string): Promise<any> {
  const answer = await fetch(new URL(path, gateway.url), { headers: { authorization: `Bearer ${key}` } })
  return await answer.json()
}
const PART = '0.00001'
const PART_NANOS = 10_000

describe('a call', () => {
  test('is refunded whole: page, entry, statement, file, callers’ lists, and audit log show it', async () => {
    const request_id = await makeCall()
    const before = balanceOf('alice')
    const preview = await operator.json('GET', `/calls/${request_id}/refund`)
    expect(preview).toMatchObject({
      account: 'alice',
      left_nanos: ANSWER_NANOS,
      amount_nanos: ANSWER_NANOS,
      balance_nanos: before,
      balance_after_nanos: before + ANSWER_NANOS,
      debt_after_nanos: 0,
    })
    const answer = await refund(request_id, { reason: 'outage of Sunday' })
    expect(await answer.json()).toMatchObject({
      account: 'alice',
      refunded_nanos: ANSWER_NANOS,
      balance_nanos: before + ANSWER_NANOS,
      again: false,
    })
    expect(balanceOf('alice')).toBe(before + ANSWER_NANOS)
    for (const viewer of [operator, alice]) {
      const call = await viewer.json('GET', `/calls/${request_id}`)
      expect(call).toMatchObject({ cost_nanos: ANSWER_NANOS, refunded_nanos: ANSWER_NANOS })
      expect(call.refunds).toMatchObject([
        { amount_nanos: ANSWER_NANOS, reason: 'outage of Sunday', by: 'operator' },
      ])
    }
    const {
      entries: [entry],
    } = await alice.json('GET', '/entries?kind=refund')
    expect(entry).toMatchObject({
      ...{ kind: 'refund', amount_nanos: ANSWER_NANOS, request_id, note: 'outage of Sunday' },
      unpaid_nanos: null,
    })
    const statement = await alice.json('GET', '/statement')
    expect(statement.movements).toContainEqual(
      expect.objectContaining({ kind: 'refund', entries: 1, amount_nanos: ANSWER_NANOS }),
    )
    expect(statement.closing_nanos).toBe(balanceOf('alice'))
    const file = await (await alice.send('GET', '/calls.csv')).text()
    expect(file.split('\r\n')[0]).toContain(',unpaid_usd,refunded_usd,')
    expect((await asCaller('/api/v1/entries?kind=refund', keys.alice)).entries).toMatchObject([
      { kind: 'refund', request_id },
    ])
    for (const viewer of [operator, alice]) {
      const { actions } = await viewer.json('GET', '/audit-log?area=balance')
      expect(actions[0]).toMatchObject({
        ...{ action: 'call.refunded', account: 'alice', by: 'operator', subject: request_id },
        after: { amount_usd: '0.00003', note: 'outage of Sunday' },
      })
    }
  })

  test('is refunded in parts: the sums of the list and of usage count the rest', async () => {
    const request_id = await makeCall(keys.bob)
    await refund(request_id, { amount: PART })
    await refund(request_id, { amount: PART })
    expect(await operator.json('GET', `/calls/${request_id}`)).toMatchObject({
      cost_nanos: ANSWER_NANOS,
      refunded_nanos: 2 * PART_NANOS,
      refunds: [{ amount_nanos: PART_NANOS }, { amount_nanos: PART_NANOS }],
    })
    const rest = ANSWER_NANOS - 2 * PART_NANOS
    expect(await operator.json('GET', '/call-sums?account=bob')).toMatchObject({ calls: 1, cost_nanos: rest })
    expect(await operator.json('GET', '/call-sums?account=bob&status=2xx')).toMatchObject({
      cost_nanos: rest,
    })
    expect((await asCaller('/api/v1/usage?sums=day', keys.bob)).sums).toMatchObject([
      { calls: 1, cost_nanos: rest },
    ])
    expect(gateway.rows().keys.find(({ account_id }) => account_id === 2)?.spent_nanos).toBe(rest)
  })

  test('is refunded once under an Idempotency-Key, and another amount under the same key is refused', async () => {
    const request_id = await makeCall()
    const key = crypto.randomUUID()
    await refund(request_id, { amount: PART }, key)
    const before = balanceOf('alice')
    expect(await (await refund(request_id, { amount: PART }, key)).json()).toMatchObject({
      refunded_nanos: PART_NANOS,
      again: true,
    })
    expect(await errorOf(await refund(request_id, { amount: '0.00002' }, key))).toMatchObject({
      status: 422,
      code: 'idempotency_key_reused',
    })
    expect(balanceOf('alice')).toBe(before)
  })

  test.each([
    ['more than was charged', { amount: '0.000030001' }, 422, 'amount'],
    ['zero', { amount: '0' }, 400, 'amount'],
    ['a negative amount', { amount: '-1' }, 400, 'amount'],
    ['half a nano-dollar', { amount: '0.0000000005' }, 400, 'amount'],
    ['a text as the amount', { amount: 'all' }, 400, 'amount'],
    ['a reason of 501 characters', { reason: 'x'.repeat(501) }, 400, 'reason'],
    ['a reason of two lines', { reason: 'a\nb' }, 400, 'reason'],
    ['an unknown field', { sum: '1' }, 400, 'sum'],
  ])('%s is refused, and no money moves', async (_, body, status, param) => {
    const request_id = await makeCall()
    const before = balanceOf('alice')
    expect(await errorOf(await refund(request_id, body))).toMatchObject({ status, param })
    expect(balanceOf('alice')).toBe(before)
  })

  test('is refused with 422 and the reason if it is refunded already or free, with 404 if it is unknown', async () => {
    const request_id = await makeCall()
    await refund(request_id, {})
    expect(await errorOf(await refund(request_id, {}))).toMatchObject({
      status: 422,
      code: 'nothing_to_refund',
      message: expect.stringContaining('is refunded already: 0.00003 USD'),
    })
    upstream.answer(refusal(500, { error: { code: 500, message: 'down' } }))
    const free = await makeCall()
    upstream.answer(answering)
    expect(await errorOf(await refund(free, {}))).toMatchObject({
      status: 422,
      message: expect.stringContaining('was free'),
    })
    for (const method of ['GET', 'POST'])
      expect(
        await errorOf(
          await operator.send(method, '/calls/req_unknown/refund', method === 'GET' ? {} : { body: {} }),
        ),
      ).toMatchObject({ status: 404 })
  })

  test('is refused with 409 while it is running', async () => {
    const held = heldBack(answering)
    upstream.answer(held.script)
    const running = gateway.call(wholePath(), ask(), { key: keys.alice })
    await held.received
    await gateway.written()
    const request_id =
      gateway.rows().holds.find(({ state }: { state: string }) => state === 'pending')?.request_id ?? ''
    expect(await errorOf(await refund(request_id, {}))).toMatchObject({ status: 409, code: 'call_under_way' })
    upstream.answer(answering)
    held.release()
    await (await running).text()
  })

  test('is refused with 403 for an account holder, and so is the preview', async () => {
    const request_id = await makeCall()
    for (const [method, path] of [
      ['GET', `/calls/${request_id}/refund`],
      ['POST', `/calls/${request_id}/refund`],
      ['GET', '/refunds'],
      ['POST', '/refunds'],
    ] as const)
      expect((await alice.send(method, path, method === 'POST' ? { body: {} } : {})).status).toBe(403)
  })
})

describe('the calls of a filter', () => {
  test('are counted, then refunded as counted; a repetition moves no money', async () => {
    await gateway.account('carl', { balance_usd: '1' })
    const key = await gateway.key('carl')
    for (let nth = 0; nth < 4; nth++) await makeCall(key)
    const [partly = ''] = (await operator.json('GET', '/calls?account=carl')).calls.map(
      ({ request_id }: { request_id: string }) => request_id,
    )
    await refund(partly, { amount: PART })
    const found = await operator.json('GET', '/refunds?account=carl&outcome=completed')
    expect(found).toMatchObject({
      ...{ calls: 4, accounts: 1, amount_nanos: 4 * ANSWER_NANOS - PART_NANOS, has_more: false },
    })
    await makeCall(key)
    const body = { call_ids: found.call_ids, reason: 'outage' }
    const done = { calls: 4, amount_nanos: found.amount_nanos, skipped: 0 }
    const repeat = crypto.randomUUID()
    expect(await (await post('/refunds', body, repeat)).json()).toMatchObject({ ...done, again: false })
    expect(await (await post('/refunds', body, repeat)).json()).toMatchObject({ ...done, again: true })
    expect(await (await post('/refunds', body)).json()).toMatchObject({ calls: 0, skipped: 4 })
    expect(balanceOf('carl')).toBe(1_000_000_000 - ANSWER_NANOS)
    expect(await operator.json('GET', '/refunds?account=carl')).toMatchObject({ calls: 1 })
    expect(await operator.json('GET', '/refunds?outcome=refused')).toMatchObject({ calls: 0 })
  })

  test.each([
    ['no calls', { call_ids: [] }],
    ['a call twice', { call_ids: [1, 1] }],
    ['more than a thousand', { call_ids: Array.from({ length: 1_001 }, (_, at) => at + 1) }],
    ['a fractional id', { call_ids: [1.5] }],
    ['request ids', { call_ids: ['req_1'] }],
  ])('%s: 400', async (_, body) => {
    expect((await post('/refunds', body)).status).toBe(400)
  })
})

test('calls of closed accounts can be refunded, those of erased accounts cannot', async () => {
  await gateway.account('dora', { balance_usd: '1' })
  const request_id = await makeCall(await gateway.key('dora'))
  await operator.json('POST', '/accounts/dora/close', { name: 'dora' })
  await operator.json('POST', `/calls/${request_id}/refund`, { amount: PART })
  expect(balanceOf('dora')).toBe(1_000_000_000 - ANSWER_NANOS + PART_NANOS)
  const [{ id } = { id: 0 }] = gateway.rows().accounts.filter(({ name }) => name === 'dora')
  await gateway.store.write((tx) => tx.rows(`INSERT INTO erased_accounts VALUES (${id}, 5)`))
  expect(await errorOf(await refund(request_id, {}))).toMatchObject({ status: 409 })
  const before = balanceOf('dora')
  const call_id = gateway.rows().calls.find((call) => call.request_id === request_id)?.id
  expect(await (await post('/refunds', { call_ids: [call_id] })).json()).toMatchObject({
    calls: 0,
    skipped: 1,
  })
  expect(balanceOf('dora')).toBe(before)
  expect(await operator.json('GET', `/refunds?account=${id}`)).toMatchObject({ calls: 0 })
})
