// Automatic top-up at the console: setting, viewing and turning off, refusals; the mail and the alert after three failures.
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { checkTopUps } from '../../../plugins/payments/automatic/check.ts'
import { automaticTopUpOf } from '../../../plugins/payments/automatic/store.ts'
import { HOUR_MS } from '../../../src/domain/ranges.ts'
import { BACKGROUND_TIMEOUT_MS, eventually } from '../../support/eventually.ts'
import { paymentScene } from '../console/scene.ts'

setDefaultTimeout(BACKGROUND_TIMEOUT_MS)

const clock = { now_ms: Date.UTC(2026, 10, 29, 12) }
let refusal: string | undefined
const scene = await paymentScene({
  now: () => clock.now_ms,
  method: { charge: () => (refusal === undefined ? 'paid' : { refused: refusal }) },
  more: '\n[mail]\nsmtp = "smtp://127.0.0.1:9"\nfrom = "noreply@example.com"\n',
})
const { owner, operator, as } = scene
const PATH = '/automatic-top-up'
const REQUEST = { below_usd: '5', currency: 'EUR', amount: '25', month_limit: '60' }

test('a new account has no automatic top-up, and may set one', async () => {
  expect(await owner.json('GET', PATH)).toEqual({ automatic_top_up: null, can_set: true })
})

test('an owner sets it, the operator sees it, a billing member turns it off, and the owner turns it on again', async () => {
  // Below the balance: the gateway must not top it up before the test of refusals.
  const request = { ...REQUEST, below_usd: '0.50' }
  const set = await owner.json('PUT', PATH, request)
  expect(set.automatic_top_up).toMatchObject({
    ...{ is_on: true, off_reason: null, below_usd: '0.50', method: 'fake', currency: 'EUR' },
    ...{
      amount: '25.00',
      month_limit: '60.00',
      used_this_month: '0.00',
      is_limit_used: false,
      failure: null,
    },
  })
  expect(await operator.json('GET', `${PATH}?account=alice`)).toEqual(set)
  expect((await (await as('billing')).json('DELETE', PATH)).automatic_top_up).toMatchObject({
    is_on: false,
    off_reason: 'person',
  })
  expect((await owner.json('PUT', PATH, { ...request, month_limit: '25' })).automatic_top_up).toMatchObject({
    is_on: true,
    month_limit: '25.00',
  })
})

test('the setting of one account does not apply to another', async () => {
  const bob = await as('owner', 'bob')
  expect((await bob.json('GET', PATH)).automatic_top_up).toBeNull()
})

describe('a setting', () => {
  test.each([
    ['with a threshold of zero', { below_usd: '0' }, 400, 'below_usd'],
    ['with an invalid amount', { amount: 'much' }, 400, 'amount: enter an amount above 0'],
    ['with an amount below the minimum of the method', { amount: '1' }, 400, 'must be at least 5.00 EUR'],
    ['with a limit below one top-up', { month_limit: '24.99' }, 400, 'month_limit: must be at least'],
    ['with an empty limit', { month_limit: '' }, 400, 'month_limit: enter an amount'],
    ['in an unsupported currency', { currency: 'CHF' }, 400, 'Fake card takes EUR, USD, JPY'],
    ['by a method that is not set up', { method: 'stripe' }, 422, 'is not set up'],
    ['with an unknown field', { every: 'day' }, 400, 'every'],
  ])('%s is refused', async (_, other, status, message) => {
    const error = await scene.refused(owner, 'PUT', PATH, { ...REQUEST, ...other })
    expect(error).toMatchObject({ status })
    expect(JSON.stringify(error)).toContain(message)
  })
})

test('three refusals turn it off: the account gets a mail, the operator an alert, until someone turns it off by hand', async () => {
  const { id } = scene.alice
  await operator.json('PATCH', `/accounts/${id}`, { email: 'alice@example.com' })
  refusal = 'The saved card has expired. Save another one.'
  await owner.json('PUT', PATH, REQUEST)
  const now = async () => (await owner.json('GET', PATH)).automatic_top_up
  for (const [failures, wait_ms] of [
    [1, 61_000],
    [2, HOUR_MS],
    [3, 6 * HOUR_MS],
  ] as const) {
    clock.now_ms += wait_ms
    // Reads the row, not the page: the console refuses to serve a page this often.
    await eventually(
      `failure ${failures}`,
      async () => (await automaticTopUpOf(scene.gateway.store, id))?.failures === failures,
    )
  }
  expect(await now()).toMatchObject({
    is_on: false,
    off_reason: 'failures',
    failure: refusal,
    order_id: null,
  })
  const mails = await scene.gateway.store.rows<{ recipient: string; fields: string }>(
    "SELECT recipient, fields FROM mails WHERE purpose = 'automatic_top_up_off'",
  )
  expect(mails.map(({ recipient, fields }) => [recipient, JSON.parse(fields)])).toEqual([
    ['alice@example.com', { account: 'alice', amount: '25.00 EUR', failure: refusal }],
  ])
  expect(await checkTopUps({ db: scene.gateway.store })).toMatchObject([
    {
      level: 'warn',
      check: 'automatic top-up of alice',
      found: expect.stringContaining('The saved card has expired.'),
    },
  ])
  await owner.json('DELETE', PATH)
  expect(await checkTopUps({ db: scene.gateway.store })).toMatchObject([{ level: 'ok' }])
})

test('a balance below the threshold is topped up within a minute', async () => {
  refusal = undefined
  await owner.json('PUT', PATH, REQUEST)
  const before = scene.balance() ?? 0
  clock.now_ms += 61_000
  await eventually('the top-up is paid', () => (scene.balance() ?? 0) === before + 27_000_000_000)
  expect((await owner.json('GET', PATH)).automatic_top_up).toMatchObject({ used_this_month: '25.00' })
})
