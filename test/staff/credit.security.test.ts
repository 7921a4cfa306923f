// The credit limit of support: never exceeded in a day, by simultaneous requests, several accounts, refunds, or another role.
import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { catalogueOf } from '../support/catalogue.ts'
import { type ConsoleClient, errorOf, signedIn } from '../support/console-session.ts'
import { fileGateway } from '../support/gateway.ts'
import { ANSWER_NANOS, answering, ask, wholePath } from '../support/native.ts'
import { newPerson } from '../support/people.ts'
import { startUpstream } from '../support/upstream.ts'

const DAY_MS = 86_400_000
const USD = 1_000_000_000
const upstream = await startUpstream(answering)
afterAll(() => upstream[Symbol.asyncDispose]())
const catalogueWith = (limit: string) =>
  catalogueOf({ upstream_url: upstream.url, more: `[staff]\nsupport_credit_usd = ${limit}` })
const clock = { now_ms: Date.now() }
const gateway = await fileGateway({
  catalogue: catalogueWith('10'),
  now: () => clock.now_ms,
  sweep_every_ms: 10 * DAY_MS,
})
const { store } = gateway
for (const name of ['anna', 'bert', 'carl']) await gateway.account(name, { balance_usd: '1' })
const key = await gateway.key('anna')
const operator = await signedIn(gateway, 'operator')
let support: ConsoleClient
let person_id: number

beforeEach(async () => {
  person_id = await newPerson(store, { account_id: null, role: 'support' })
  support = await signedIn(gateway, { person_id, account_id: null }, clock.now_ms)
})

const credit = (client: ConsoleClient, name: string, amount: string, request_key?: string) =>
  client.send('POST', `/accounts/${name}/top-up`, {
    body: { amount, note: 'goodwill' },
    headers: request_key === undefined ? {} : { 'idempotency-key': request_key },
  })
const balances = async () =>
  (await store.rows<{ sum: number }>('SELECT sum(balance_nanos) AS sum FROM accounts')).map(({ sum }) =>
    Number(sum),
  )[0] ?? 0
async function makeCall(): Promise<string> {
  await (await gateway.call(wholePath(), ask(), { key })).text()
  return (await gateway.lastCall()).request_id
}

test('of a hundred simultaneous credits in three accounts as many succeed as fit the limit', async () => {
  const before = await balances()
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, at) => credit(support, ['anna', 'bert', 'carl'][at % 3] ?? '', '0.30')),
  )
  const statuses = answers.map(({ status }) => status)
  expect(statuses.filter((status) => status === 200).length).toBe(33)
  expect(statuses.filter((status) => status === 422).length).toBe(67)
  expect((await balances()) - before).toBe(9.9 * USD)
})

test('support gets no link to an account, which would bypass the limit, without a mail server', async () => {
  const ask = (client: ConsoleClient) => client.send('POST', '/invitations', { body: { account: 'anna' } })
  expect(await errorOf(await ask(support))).toMatchObject({
    status: 409,
    code: 'no_mail',
    message:
      'This gateway sends no mail, and the link of an invitation is shown to operators only. Ask an operator for it.',
  })
  expect(await operator.json('POST', '/invitations', { account: 'anna' })).toMatchObject({
    url: expect.stringContaining('/console/invitation#'),
  })
})

test('two simultaneous sessions of one person share one limit', async () => {
  const other = await signedIn(gateway, { person_id, account_id: null }, clock.now_ms)
  const answers = await Promise.all([support, other].map((client) => credit(client, 'anna', '6')))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 422])
})

test('the refusal has the remaining amount', async () => {
  await credit(support, 'anna', '4.50')
  expect(await errorOf(await credit(support, 'bert', '6'))).toMatchObject({
    status: 422,
    code: 'credit_limit',
    param: 'amount',
    message:
      'amount: You may credit 10.00 USD a day, top-ups and refunds together, and 5.50 USD of it are left today (UTC). Nothing was added. Ask an operator for more.',
  })
  await credit(support, 'anna', '5.50')
  expect((await errorOf(await credit(support, 'bert', '0.01'))).message).toBe(
    'amount: You may credit 10.00 USD a day, top-ups and refunds together, and nothing of it is left today (UTC). Nothing was added. Ask an operator for more.',
  )
})

test('a repeated credit moves nothing, and counts once', async () => {
  const before = await balances()
  const answers = await Promise.all(Array.from({ length: 20 }, () => credit(support, 'anna', '10', 'once')))
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
  expect((await balances()) - before).toBe(10 * USD)
})

describe('refunds', () => {
  test('count together with top-ups', async () => {
    const request_id = await makeCall()
    const remaining_nanos = 10 * USD - ANSWER_NANOS + 1
    await credit(support, 'bert', String(remaining_nanos / USD))
    const refused = await errorOf(await support.send('POST', `/calls/${request_id}/refund`, { body: {} }))
    expect(refused).toMatchObject({ status: 422, code: 'credit_limit' })
    expect(refused.message).toEndWith('Nothing was refunded. Ask an operator for more.')
    expect(
      (await support.send('POST', `/calls/${request_id}/refund`, { body: { amount: '0.000001' } })).status,
    ).toBe(200)
  })

  test('of several calls at once are only for operators', async () => {
    const { id } = await gateway.lastCall()
    expect((await support.send('POST', '/refunds', { body: { call_ids: [id] } })).status).toBe(403)
    expect((await support.json('GET', '/refunds?account=anna')).calls).toBeGreaterThan(0)
  })
})

test('credits of a person as an operator count after they become support', async () => {
  await operator.json('PATCH', `/staff/${person_id}`, { role: 'operator' })
  await credit(support, 'anna', '50')
  await operator.json('PATCH', `/staff/${person_id}`, { role: 'support' })
  expect((await credit(support, 'anna', '0.01')).status).toBe(422)
})

test('support cannot debit an account', async () => {
  const answer = await support.send('POST', '/accounts/anna/debit', { body: { amount: '1', note: 'back' } })
  expect(await errorOf(answer)).toMatchObject({ status: 403, code: 'role_may_not' })
})

test.each(['order:57', 'voucher:1', 'voucher-batch:3', 'plan:7', 'refund-back:1', 'referral:9', 'welcome:2'])(
  'nobody can use the key %s, which would prevent the credit of a payment',
  async (request_key) => {
    const before = await balances()
    for (const client of [support, operator]) {
      const answer = await credit(client, 'anna', '0.01', request_key)
      expect(await errorOf(answer)).toMatchObject({
        status: 400,
        message: expect.stringContaining('not one of the gateway’s own keys, such as order:12'),
      })
    }
    expect(await balances()).toBe(before)
  },
)

test('an auditor cannot credit, an operator without a limit', async () => {
  const auditor = await signedIn(gateway, { staff: 'auditor' }, clock.now_ms)
  expect((await credit(auditor, 'anna', '1')).status).toBe(403)
  expect((await credit(operator, 'anna', '1000')).status).toBe(200)
})

test('with the default limit of 0 support cannot credit, and pages do not offer it', async () => {
  const request_id = await makeCall()
  expect((await support.json('GET', '/session')).viewer.rights).toContain('credit')
  for (const text of [catalogueWith('0'), catalogueOf({ upstream_url: upstream.url })]) {
    await gateway.recatalogue(text)
    for (const answer of [
      await credit(support, 'anna', '0.01'),
      await support.send('POST', `/calls/${request_id}/refund`, { body: {} }),
    ])
      expect(await errorOf(answer)).toMatchObject({
        status: 403,
        code: 'role_may_not',
        message:
          'Your role is support, which may not add or refund money here: the operator has set no limit for it. Ask an operator.',
      })
    expect((await support.json('GET', '/session')).viewer.rights).not.toContain('credit')
  }
  await gateway.recatalogue(catalogueWith('10'))
})

test('the limit starts again the next day, in UTC', async () => {
  expect((await credit(support, 'anna', '10')).status).toBe(200)
  // Gateways of a server use its clock, which may be a little ahead.
  clock.now_ms = Math.ceil(clock.now_ms / DAY_MS) * DAY_MS - 60_000
  expect((await credit(support, 'anna', '0.01')).status).toBe(422)
  clock.now_ms += 120_000
  expect((await credit(support, 'anna', '10')).status).toBe(200)
})
