// The doctor's check of Stripe: live or test, what the key may, and whether webhooks arrive.
import { afterAll, expect, test } from 'bun:test'
import { checkStripe } from '../../../plugins/payments/stripe/check.ts'
import { HOOK_EVENTS } from '../../../plugins/payments/stripe/hook.ts'
import { NO_STRIPE } from '../../../plugins/payments/stripe/settings.ts'
import type { Catalogue } from '../../../src/domain/catalogue.ts'
import { registerEndpoint, startFakeStripe } from '../../providers/fake-stripe/index.ts'

const fake = startFakeStripe({ key: 'rk_live_of_the_fake' })
afterAll(() => fake[Symbol.asyncDispose]())

const ADDRESS = 'https://gateway.example/payments/stripe/webhook'

const look = async (secret_key: string, network = fake.network, read: object = {}) => {
  const stripe = {
    secret_key,
    webhook_secret: 'whsec_1',
    currencies: undefined,
    methods: undefined,
    tax: false,
  }
  const sections = new Map([['payments', { ...NO_STRIPE, stripe, ...read }]])
  const catalogue = { server: { public_url: 'https://gateway.example/' }, sections } as unknown as Catalogue
  return (await checkStripe({ catalogue }, network)).map(({ level, found }) => `${level}: ${found}`)
}

test('without Stripe nothing is asked', async () => {
  expect(await look('', fake.network, NO_STRIPE)).toEqual(['ok: not configured: nobody pays by card'])
  expect(fake.requests).toEqual([])
})

test('a variable that is not set is told', async () => {
  expect(await look('', fake.network, { stripe: undefined, stripe_unavailable: 'X is not set.' })).toEqual([
    'warn: not checked: X is not set',
  ])
})

const LIVE = 'ok: Stripe takes the key, live'
test.each<
  [name: string, endpoints: { url: string; enabled_events?: string[]; status?: string }[], found: string]
>([
  ['no endpoint', [], 'warn: no webhook endpoint leads to this gateway'],
  [
    'one of another gateway',
    [{ url: 'https://other.example/payments/stripe/webhook' }],
    'warn: no webhook endpoint leads to this gateway',
  ],
  ['one that is disabled', [{ url: ADDRESS, status: 'disabled' }], 'warn: the webhook endpoint is disabled'],
  [
    'one that lacks events',
    [{ url: ADDRESS, enabled_events: HOOK_EVENTS.slice(1) }],
    'warn: the webhook endpoint lacks checkout.session.completed',
  ],
  [
    'one with the events',
    [{ url: ADDRESS, enabled_events: [...HOOK_EVENTS] }],
    'ok: webhooks are sent to this gateway',
  ],
  ['one with all events', [{ url: ADDRESS }], 'ok: webhooks are sent to this gateway'],
])('with %s', async (_, endpoints, found) => {
  for (const [id, { object }] of fake.state.objects)
    if (object === 'webhook_endpoint') fake.state.objects.delete(id)
  for (const { url, ...fields } of endpoints) registerEndpoint(fake, url, fields)
  expect(await look(fake.key)).toEqual([LIVE, found])
})

test.each<[name: string, status: number, at: string, found: string[]]>([
  ['a key that may not use Checkout', 403, '/v1/checkout/sessions', ['fail: the key may not use Checkout']],
  [
    'a key that may not read webhook endpoints',
    403,
    '/v1/webhook_endpoints',
    [LIVE, `ok: the key may not read webhook endpoints: check by hand that one leads to ${ADDRESS}`],
  ],
])('%s', async (_, status, at, found) => {
  const network = async (url: string, init: RequestInit) =>
    new URL(url).pathname === at
      ? Response.json(
          {
            error: {
              type: 'invalid_request_error',
              message: 'The provided key does not have the required permissions.',
            },
          },
          { status },
        )
      : await fake.network(url, init)
  expect(await look(fake.key, network)).toEqual(found)
})

test('an unknown key, and a Stripe that cannot be reached, say what to do', async () => {
  expect(await look('sk_live_unknown')).toEqual(['fail: Stripe does not know the key'])
  const away = async () => Promise.reject(new Error('no route'))
  expect((await look(fake.key, away)).join()).toStartWith('fail: Stripe does not answer: ')
})

test('a key of the test mode is told', async () => {
  await using other = startFakeStripe()
  expect((await look(other.key, other.network))[0]).toBe(
    'ok: Stripe takes the key, in test mode: no money moves',
  )
})
