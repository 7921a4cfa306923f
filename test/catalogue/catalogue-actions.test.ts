// What a new text of the catalogue is in the audit log: a line for each model, price, provider and setting, without keys.
import { expect, test } from 'bun:test'
import { catalogueChanges, MAX_LINES, type Owners } from '../../src/catalogue/catalogue-actions.ts'

const OWNERS: Owners = {
  account: (name) => (name === 'alice' ? { account_id: 7 } : undefined),
  key: (prefix) => (prefix === 'tg_abc' ? { account_id: 7, key_id: 9 } : undefined),
}
const PROVIDER =
  '[[providers]]\nname = "acme"\nbase_url = "https://a.example"\napi_keys = ["hidden:abcdefgh"]\n'
const MODEL =
  '[[models]]\nid = "m"\nprice = { input = 1.25, output = "10" }\nroutes = [{ provider = "acme", model = "x" }]\n'
const TEXT = `[server]\nlog_level = "info"\n${PROVIDER}${MODEL}`
const SETTING = { action: 'setting.changed' }

test.each<[what: string, before: string, after: string, counts: object, lines: object[]]>([
  ['a comment', TEXT, `# note\n${TEXT}`, {}, []],
  [
    'a price',
    TEXT,
    TEXT.replace('1.25', '1.5'),
    { models: 1 },
    [{ action: 'price.changed', subject: 'm', before: { input: 1.25 }, after: { input: 1.5 } }],
  ],
  [
    'a price and a route',
    TEXT,
    TEXT.replace('"10"', '"12"').replace('model = "x"', 'model = "y"'),
    { models: 1 },
    [
      { action: 'price.changed', subject: 'm', before: { output: '10' }, after: { output: '12' } },
      {
        action: 'model.changed',
        subject: 'm',
        before: { routes: [{ provider: 'acme', model: 'x' }] },
        after: { routes: [{ provider: 'acme', model: 'y' }] },
      },
    ],
  ],
  [
    'a model that is gone',
    TEXT,
    TEXT.replace(MODEL, ''),
    { models: 1 },
    [{ action: 'model.removed', subject: 'm', before: expect.objectContaining({ id: 'm' }) }],
  ],
  [
    'a provider that is new',
    TEXT.replace(PROVIDER, ''),
    TEXT,
    { providers: 1 },
    [
      {
        action: 'provider.added',
        subject: 'acme',
        after: { name: 'acme', base_url: 'https://a.example', api_keys: ['(hidden)'] },
      },
    ],
  ],
  [
    'a key of a provider',
    TEXT,
    TEXT.replace('abcdefgh', 'ijklmnop'),
    { providers: 1 },
    [
      {
        action: 'provider.changed',
        subject: 'acme',
        before: { api_keys: ['(hidden)'] },
        after: { api_keys: ['(hidden)'] },
      },
    ],
  ],
  [
    'a setting',
    TEXT,
    TEXT.replace('info', 'debug'),
    { settings: 1 },
    [{ ...SETTING, subject: 'server.log_level', before: { value: 'info' }, after: { value: 'debug' } }],
  ],
  [
    'the limits of an account that there is, and of a name that nobody has',
    `${TEXT}\n[limits.accounts.alice]\nrequests_per_minute = 3\n`,
    `${TEXT}\n[limits.accounts.alice]\nrequests_per_minute = 5\n[limits.accounts.bob]\nrequests_per_minute = 5\n`,
    { settings: 1 },
    [
      {
        ...SETTING,
        subject: 'limits.accounts',
        account_id: 7,
        before: { requests_per_minute: 3 },
        after: { requests_per_minute: 5 },
      },
      { ...SETTING, subject: 'limits.accounts' },
    ],
  ],
  [
    'the limits of a key',
    TEXT,
    `${TEXT}\n[limits.keys.tg_abc]\nconcurrent_calls = 2\n`,
    { settings: 1 },
    [{ ...SETTING, subject: 'limits.keys', account_id: 7, key_id: 9, after: { concurrent_calls: 2 } }],
  ],
  ['a text that is no TOML', TEXT, '= broken', {}, []],
])('%s', (_, before, after, counts, lines) => {
  const [saved, ...others] = catalogueChanges(before, after).actions(4, OWNERS)
  expect(saved).toEqual({ action: 'catalogue.saved', after: { version: 4, ...counts } })
  expect(others).toEqual(lines as typeof others)
})

test('of many models the first have a line, and all are counted', () => {
  const many = Array.from({ length: MAX_LINES + 30 }, (_, at) => MODEL.replace('"m"', `"m${at}"`)).join('\n')
  const actions = catalogueChanges(TEXT, TEXT + many).actions(2, OWNERS)
  expect(actions).toHaveLength(MAX_LINES + 1)
  expect(actions[0]?.after).toEqual({ version: 2, models: MAX_LINES + 30 })
})

test('whose limits change is known before the owners are looked up', () => {
  const before = `${TEXT}\n[limits.accounts.alice]\nrequests_per_minute = 3\n[limits.accounts.bob]\nrequests_per_minute = 5\n`
  const after = `${TEXT}\n[limits.accounts.bob]\nrequests_per_minute = 5\n[limits.keys.tg_abc]\nconcurrent_calls = 2\n`
  expect(catalogueChanges(before, after).owned).toEqual({ account: ['alice'], key: ['tg_abc'] })
})
