// [alerts] as it is read: what it may be, what it hides, and what a missing variable turns off.
import { expect, test } from 'bun:test'
import { hideSecrets } from '../../src/config/hidden-text.ts'
import { createRedactor, secretsOf } from '../../src/observe/redact.ts'
import { CATALOGUE, catalogueOf, mistakesOf, read } from './catalogues.ts'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const URL_LINE = 'webhook_url = "https://hooks.example.com/in"'
const with_ = (...lines: string[]) => `[alerts]\n${lines.join('\n')}\n${CATALOGUE}`

test('by default nothing is sent, and no spending is too much', () => {
  expect(catalogueOf(CATALOGUE).alerts).toEqual({
    webhook: undefined,
    account_daily_nanos: undefined,
    key_daily_nanos: undefined,
  })
})

test('an address, a secret, and spending of a day in dollars', () => {
  const text = with_(
    URL_LINE,
    `webhook_secret = "${SECRET}"`,
    'account_daily_usd = 50',
    'key_daily_usd = 0.5',
  )
  expect(catalogueOf(text).alerts).toEqual({
    webhook: { url: 'https://hooks.example.com/in', secret: SECRET },
    account_daily_nanos: 50_000_000_000,
    key_daily_nanos: 500_000_000,
  })
})

test.each([
  [['webhook_url = "http://hooks.example.com"'], 'webhook_url: must be an https:// address'],
  [[URL_LINE], 'webhook_url: needs a webhook_secret beside it'],
  [[URL_LINE, 'webhook_secret = ""'], 'webhook_secret: must not be empty'],
  [
    [URL_LINE, 'webhook_secret = "whsec_short"'],
    'webhook_secret: must be "whsec_" and 24 to 64 bytes in base64',
  ],
  [['webhook_secret = "a-word-that-is-long-enough"'], 'webhook_secret: must be "whsec_"'],
  [['webhook_url = "https://["', `webhook_secret = "${SECRET}"`], 'webhook_url: must be a complete address'],
  [['account_daily_usd = 0'], 'account_daily_usd: must be an amount in USD above 0'],
  [['key_daily_usd = "5"'], 'key_daily_usd: must be'],
  [['webhook = "x"'], 'alerts.webhook: unknown field'],
])('%j is a mistake', (lines, message) => {
  expect(mistakesOf(with_(...lines))[0]).toContain(message)
})

test('a variable that is not set turns the webhook off, and is warned of', () => {
  const reading = read(with_(URL_LINE, 'webhook_secret = "env:HOOK"'))
  if (!reading.ok) throw new Error('it has mistakes')
  expect(reading.catalogue.alerts.webhook).toBeUndefined()
  expect(reading.warnings.map(({ message }) => message)).toEqual([
    'needs the environment variable HOOK, which is not set: no alerts are sent. Set it, and start again',
  ])
})

test('the secret is known to the log, and not shown', () => {
  const text = with_(URL_LINE, `webhook_secret = "${SECRET}"`)
  expect(secretsOf(catalogueOf(text))[0]).toContain(SECRET)
  expect(hideSecrets(text, createRedactor([]))?.text).not.toContain(SECRET)
})
