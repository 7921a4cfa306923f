// The section [alerts]: valid settings, mistakes, secrets that are hidden and restored, and variables that are not set.
import { describe, expect, test } from 'bun:test'
import { alertSettings } from '../../plugins/alerts/settings.ts'
import { hideSecrets, restoreSecrets } from '../../src/catalogue/hidden-text.ts'
import { createRedactor, secretsOf } from '../../src/observe/redact.ts'
import { CATALOGUE, catalogueOf, mistakesOf, read } from '../catalogue/catalogues.ts'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const URL_LINE = 'webhook_url = "https://hooks.example.com/in"'
const TOKEN = 'T0-B0-token-of-the-webhook'
const with_ = (...lines: string[]) => `[alerts]\n${lines.join('\n')}\n${CATALOGUE}`

test('by default nothing is sent, and spending has no threshold', () => {
  expect(alertSettings.of(catalogueOf(CATALOGUE))).toEqual({
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
  expect(alertSettings.of(catalogueOf(text))).toEqual({
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
  [
    ['webhook_url = "https://["', `webhook_secret = "${SECRET}"`],
    'webhook_url: must be a complete https:// address',
  ],
  [
    ['webhook_url = "env:"', `webhook_secret = "${SECRET}"`],
    'webhook_url: must name an environment variable',
  ],
  [['account_daily_usd = 0'], 'account_daily_usd: must be an amount in USD above 0'],
  [['key_daily_usd = 1e-10'], 'key_daily_usd: must be an amount in USD of at most nine decimals'],
  [['key_daily_usd = "5"'], 'key_daily_usd: must be'],
  [['webhook = "x"'], 'alerts.webhook: unknown field'],
])('%j is a mistake', (lines, message) => {
  expect(mistakesOf(with_(...lines))[0]).toContain(message)
})

test.each([
  ['secret', [URL_LINE, 'webhook_secret = "env:HOOK"']],
  ['address', ['webhook_url = "env:HOOK"', `webhook_secret = "${SECRET}"`]],
])('an unset variable of the %s turns the webhook off, with a warning', (_, lines) => {
  const reading = read(with_(...lines))
  if (!reading.ok) throw new Error('the text has mistakes')
  expect(alertSettings.of(reading.catalogue).webhook).toBeUndefined()
  expect(reading.warnings.map(({ message }) => message)).toEqual([
    'needs the environment variable HOOK, which is not set: no alerts are sent. Set it, and start again',
  ])
})

const FROM_VARIABLES = with_('webhook_url = "env:HOOK_URL"', 'webhook_secret = "env:HOOK_SECRET"')

test('address and secret are read from variables', () => {
  const env = { HOOK_URL: ` https://hooks.example.com/${TOKEN}\n`, HOOK_SECRET: SECRET }
  expect(alertSettings.of(catalogueOf(FROM_VARIABLES, env)).webhook).toEqual({
    url: `https://hooks.example.com/${TOKEN}`,
    secret: SECRET,
  })
})

test.each([`http://hooks.example.com/${TOKEN}`, TOKEN, `https://[${TOKEN}`])(
  'an invalid address from a variable is a mistake, which does not repeat it: %s',
  (HOOK_URL) => {
    const mistakes = mistakesOf(FROM_VARIABLES, { HOOK_URL, HOOK_SECRET: SECRET })
    expect(mistakes).toEqual([
      expect.stringContaining('alerts.webhook_url: must be a complete https:// address'),
    ])
    expect(mistakes.join()).not.toContain(TOKEN)
  },
)

const withAddress = (address: string) =>
  with_(`webhook_url = "${address}" # of the team`, `webhook_secret = "${SECRET}"`)

function hidden(text: string) {
  const found = hideSecrets(text, createRedactor([]))
  if (!found) throw new Error('the text is not TOML')
  return found
}

describe('the secrets', () => {
  test.each([
    `https://hooks.example.com/services/T0/B0/${TOKEN}`,
    `https://hooks.example.com/?token=${TOKEN}`,
    `https://hooks.example.com?${TOKEN}`,
    `https://hooks.example.com/#${TOKEN}`,
    `https://user:${TOKEN}@hooks.example.com`,
    `https://hooks.example.com:8443/${TOKEN}/`,
    `https://hooks.example.com/${TOKEN}/..`,
  ])('%s is known to the redactor of the log, is hidden, and comes back', (address) => {
    const text = withAddress(address)
    expect(secretsOf(catalogueOf(text))[0]).toEqual(expect.arrayContaining([SECRET, address]))
    const found = hidden(text)
    for (const part of [SECRET, TOKEN, 'hooks.example.com']) expect(found.text).not.toContain(part)
    expect(found.text).toMatch(/webhook_url = "hidden:[\w-]{8}" # hidden:[\w-]{8}/)
    expect(restoreSecrets(found.text, found)).toMatchObject({ text, mistakes: [] })
  })

  test.each(['https://hooks.example.com', 'https://hooks.example.com/', 'https://hooks.example.com:8443'])(
    '%s is visible, because it has no token',
    (address) => {
      const text = withAddress(address)
      expect(secretsOf(catalogueOf(text))[0]).not.toContain(address)
      expect(hidden(text).text).toContain(`webhook_url = "${address}"`)
    },
  )

  test('names of variables are visible', () => {
    for (const line of ['webhook_url = "env:HOOK_URL"', 'webhook_secret = "env:HOOK_SECRET"'])
      expect(hidden(FROM_VARIABLES).text).toContain(line)
  })

  const found = hidden(withAddress(`https://hooks.example.com/${TOKEN}`))
  const mark = /hidden:[\w-]{8}/.exec(found.text)?.[0] ?? ''

  test('another address takes its place, and the signing secret stays', () => {
    const { text, mistakes } = restoreSecrets(found.text.replace(mark, 'https://other.example/new'), found)
    expect([text, mistakes]).toEqual([withAddress('https://other.example/new'), []])
  })

  test.each([
    ['an address of a provider', /base_url = ".*"/, `base_url = "${mark}"`, 'providers[0].base_url'],
    ['a key of a provider', /api_keys = .*/, `api_keys = ["${mark}"]`, 'providers[0].api_keys[0]'],
    ['a visible name', 'id = "model"', `id = "model"\ndisplay_name = "${mark}"`, 'models[0].display_name'],
  ])('the address is not put into %s', (_, place, changed, path) => {
    const { text, mistakes } = restoreSecrets(found.text.replace(place, changed), found)
    expect(text.split(TOKEN)).toHaveLength(2)
    expect(mistakes.map((mistake) => mistake.path)).toContain(path)
  })
})
