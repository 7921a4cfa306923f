// The doctor's check of Stripe: live or test mode, the key's permissions, and the webhook endpoint.
import { afterAll, expect, test } from 'bun:test'
import { checkStripe } from '../../../plugins/payments/stripe/check.ts'
import { HOOK_EVENTS } from '../../../plugins/payments/stripe/hook.ts'
import { NO_STRIPE } from '../../../plugins/payments/stripe/settings.ts'
import type { Catalogue } from '../../../src/domain/catalogue.ts'
import { registerEndpoint, startFakeStripe } from '../../providers/fake-stripe/index.ts'

const fake = startFakeStripe({ key: 'rk_live_of_the_fake' })
afterAll(() => fake[Symbol.asyncDispose]())

const ADDRESS = 'https://gateway.example/payments/stripe/webhook'

const findingsOf = async (secret_key: string, network = fake.network, read: object = {}) => {
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

test('without Stripe no request is sent', async () => {
  expect(await findingsOf('', fake.network, NO_STRIPE)).toEqual(['ok: not configured: nobody pays by card'])
  expect(fake.requests).toEqual([])
})

test('a missing environment variable is reported', async () => {
  expect(
    await findingsOf('', fake.network, { stripe: undefined, stripe_unavailable: 'X is not set.' }),
  ).toEqual(['warn: not checked: X is not set'])
})

const LIVE = 'ok: Stripe takes the key, live'
test.each<
  [name: string, endpoints: { url: string; enabled_events?: string[]; status?: string }[], found: string]
>([
  ['no endpoint', [], 'warn: no webhook endpoint leads to this gateway'],
  [
    'an endpoint of another gateway',
    [{ url: 'https://other.example/payments/stripe/webhook' }],
    'warn: no webhook endpoint leads to this gateway',
  ],
  ['a disabled endpoint', [{ url: ADDRESS, status: 'disabled' }], 'warn: the webhook endpoint is disabled'],
  [
    'an endpoint that lacks an event',
    [{ url: ADDRESS, enabled_events: HOOK_EVENTS.slice(1) }],
    'warn: the webhook endpoint lacks checkout.session.completed',
  ],
  [
    'an endpoint with the events',
    [{ url: ADDRESS, enabled_events: [...HOOK_EVENTS] }],
    'ok: webhooks are sent to this gateway',
  ],
  ['an endpoint with all events', [{ url: ADDRESS }], 'ok: webhooks are sent to this gateway'],
])('%s is reported', async (_, endpoints, found) => {
  for (const [id, { object }] of fake.state.objects)
    if (object === 'webhook_endpoint') fake.state.objects.delete(id)
  for (const { url, ...fields } of endpoints) registerEndpoint(fake, url, fields)
  expect(await findingsOf(fake.key)).toEqual([LIVE, found])
})

test.each<[name: string, status: number, at: string, found: string[]]>([
  ['a key that may not use Checkout', 403, '/v1/checkout/sessions', ['fail: the key may not use Checkout']],
  [
    'a key that may not read webhook endpoints',
    403,
    '/v1/webhook_endpoints',
    [LIVE, `ok: the key may not read webhook endpoints: check by hand that one leads to ${ADDRESS}`],
  ],
])('%s is reported', async (_, status, at, found) => {
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
  expect(await findingsOf(fake.key, network)).toEqual(found)
})

test('an unknown key and an unreachable Stripe are reported as failures', async () => {
  expect(await findingsOf('sk_live_unknown')).toEqual(['fail: Stripe does not know the key'])
  const away = async () => Promise.reject(new Error('no route'))
  expect((await findingsOf(fake.key, away)).join()).toStartWith('fail: Stripe does not answer: ')
})

test('a key of the test mode is reported', async () => {
  await using other = startFakeStripe()
  expect((await findingsOf(other.key, other.network))[0]).toBe(
    'ok: Stripe takes the key, in test mode: no money moves',
  )
})
