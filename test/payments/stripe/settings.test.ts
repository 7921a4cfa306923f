// The settings of card payments: valid ones, refused ones with the message, and hidden secrets.
import { expect, test } from 'bun:test'
import { paymentSettings } from '../../../plugins/payments/settings.ts'
import { NEEDS_PUBLIC_URL } from '../../../plugins/payments/stripe/settings.ts'
import { FIRST_CATALOGUE } from '../../../src/catalogue/first.ts'
import { readCatalogue } from '../../../src/catalogue/load.ts'
import { BUILT_IN_REGISTRY } from '../../../src/protocols/registry.ts'
import { startTestGateway } from '../../support/gateway.ts'
import '../../support/plugin-sections.ts'
import { catalogueWith } from './scene.ts'

const ENV = { KEY: 'rk_live_1', HOOK: 'whsec_1' }
const SECRETS = 'secret_key = "env:KEY"\nwebhook_secret = "env:HOOK"\n'

function read(
  lines: string,
  {
    env = ENV as Record<string, string>,
    public_url = 'https://a.example' as string | null,
    payments = '',
  } = {},
) {
  const server = public_url === null ? '[server]' : `[server]\npublic_url = "${public_url}"`
  const text = `${FIRST_CATALOGUE.replace('[server]', server)}\n[payments]\n${payments}\n[payments.stripe]\n${lines}`
  const reading = readCatalogue(text, { env, protocols: BUILT_IN_REGISTRY })
  return reading.ok
    ? {
        settings: paymentSettings.of(reading.catalogue),
        secrets: reading.catalogue.section_secrets,
        warnings: reading.warnings.map(({ message }) => message),
        mistakes: [],
      }
    : {
        settings: undefined,
        secrets: [],
        warnings: [],
        mistakes: reading.mistakes.map(({ path, message }) => `${path} ${message}`),
      }
}

test('the keys alone allow all currencies of the rates and the methods of the dashboard, without tax', () => {
  const { settings, secrets, mistakes } = read(SECRETS)
  expect(mistakes).toEqual([])
  expect(settings?.stripe).toEqual({
    secret_key: 'rk_live_1',
    webhook_secret: 'whsec_1',
    currencies: undefined,
    methods: undefined,
    tax: false,
  })
  expect(secrets).toEqual(expect.arrayContaining(['rk_live_1', 'whsec_1']))
})

test('currencies, methods and tax may be set', () => {
  const { settings } = read(`${SECRETS}currencies = ["EUR"]\nmethods = ["card", "sepa_debit"]\ntax = true`, {
    payments: 'rates = { EUR = "1.08" }',
  })
  expect(settings?.stripe).toMatchObject({ currencies: ['EUR'], methods: ['card', 'sepa_debit'], tax: true })
})

test.each<[name: string, lines: string, options: Parameters<typeof read>[1], mistake: string]>([
  ['without a key', 'webhook_secret = "env:HOOK"', {}, 'secret_key'],
  ['without a webhook secret', 'secret_key = "env:KEY"', {}, 'webhook_secret'],
  ['without a public address', SECRETS, { public_url: null }, NEEDS_PUBLIC_URL],
  ['with a publishable key', SECRETS, { env: { ...ENV, KEY: 'pk_live_1' } }, 'must be Stripe’s, sk_live_…'],
  [
    'with a key in place of the webhook secret',
    SECRETS,
    { env: { ...ENV, HOOK: 'sk_live_1' } },
    'must be Stripe’s, whsec_…',
  ],
  ['with an unknown currency', `${SECRETS}currencies = ["EURO"]`, {}, 'is not a currency'],
  ['with a method of another form', `${SECRETS}methods = ["Card!"]`, {}, 'methods'],
  ['without any method', `${SECRETS}methods = []`, {}, 'methods'],
  ['with an unknown field', `${SECRETS}api_base = "https://stripe.example"`, {}, 'api_base'],
])('the file is refused %s', (_, lines, options, mistake) => {
  const { mistakes } = read(lines, options)
  expect(mistakes.join('\n')).toContain(mistake)
})

test('a missing environment variable is a warning, and prevents a start', async () => {
  const { settings, mistakes, warnings } = read(SECRETS, { env: { KEY: 'rk_live_1' } })
  expect({ mistakes, stripe: settings?.stripe }).toEqual({ mistakes: [], stripe: undefined })
  expect(warnings.join()).toContain('nobody pays by card')
  await expect(
    startTestGateway({ catalogue: catalogueWith(), env: { STRIPE_KEY: 'sk_test_1' } }),
  ).rejects.toThrow(
    '[payments.stripe] cannot be used: the environment variable STRIPE_WEBHOOK is not set. Set it, or remove the section.',
  )
})
