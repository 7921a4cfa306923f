// Audit log of a new catalogue text: a line for each model, price, provider and setting, else one for the save; without keys.
import { expect, test } from 'bun:test'
import { catalogueChanges, MAX_LINES, type Owners } from '../../src/catalogue/catalogue-actions.ts'
import type { Action } from '../../src/domain/actions.ts'

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
/** The line of a text that changes nothing with a name. */
const SAVED = { action: 'catalogue.saved', after: { version: 4 } }

test.each<[what: string, before: string, after: string, lines: object[]]>([
  ['a comment', TEXT, `# note\n${TEXT}`, [SAVED]],
  [
    'a price',
    TEXT,
    TEXT.replace('1.25', '1.5'),
    [{ action: 'price.changed', subject: 'm', before: { input: 1.25 }, after: { input: 1.5 } }],
  ],
  [
    'a price and a route',
    TEXT,
    TEXT.replace('"10"', '"12"').replace('model = "x"', 'model = "y"'),
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
    'a removed model',
    TEXT,
    TEXT.replace(MODEL, ''),
    [{ action: 'model.removed', subject: 'm', before: expect.objectContaining({ id: 'm' }) }],
  ],
  [
    'a changed factor of a price group, and a new group',
    `${TEXT}[[price_groups]]\nname = "a"\nfactor = 0.8\n`,
    `${TEXT}[[price_groups]]\nname = "a"\nfactor = 0.9\n[[price_groups]]\nname = "b"\nfactor = 2\n`,
    [
      { action: 'price_group.changed', subject: 'a', before: { factor: 0.8 }, after: { factor: 0.9 } },
      { action: 'price_group.added', subject: 'b', after: { name: 'b', factor: 2 } },
    ],
  ],
  [
    'a new provider',
    TEXT.replace(PROVIDER, ''),
    TEXT,
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
    [{ ...SETTING, subject: 'server.log_level', before: { value: 'info' }, after: { value: 'debug' } }],
  ],
  [
    'the limits of an existing account, and of an unknown name',
    `${TEXT}\n[limits.accounts.alice]\nrequests_per_minute = 3\n`,
    `${TEXT}\n[limits.accounts.alice]\nrequests_per_minute = 5\n[limits.accounts.bob]\nrequests_per_minute = 5\n`,
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
    [{ ...SETTING, subject: 'limits.keys', account_id: 7, key_id: 9, after: { concurrent_calls: 2 } }],
  ],
  ['a text that is not TOML', TEXT, '= broken', [SAVED]],
])('%s', (_, before, after, lines) => {
  expect(catalogueChanges(before, after).actions(4, OWNERS)).toEqual(lines as Action[])
})

const manyModels = (count: number) =>
  Array.from({ length: count }, (_, at) => MODEL.replace('"m"', `"m${at}"`)).join('\n')

test('up to the maximum, each model has a line, and there is no other', () => {
  const actions = catalogueChanges(TEXT, TEXT + manyModels(MAX_LINES)).actions(2, OWNERS)
  expect(new Set(actions.map(({ action }) => action))).toEqual(new Set(['model.added']))
  expect(actions).toHaveLength(MAX_LINES)
})

test('of more models, the first have a line each, and one line counts all', () => {
  const actions = catalogueChanges(TEXT, TEXT + manyModels(MAX_LINES + 30)).actions(2, OWNERS)
  expect(actions).toHaveLength(MAX_LINES + 1)
  expect(actions[0]?.after).toEqual({ version: 2, models: MAX_LINES + 30 })
})

test('accounts and keys with changed limits are known before their owners are looked up', () => {
  const before = `${TEXT}\n[limits.accounts.alice]\nrequests_per_minute = 3\n[limits.accounts.bob]\nrequests_per_minute = 5\n`
  const after = `${TEXT}\n[limits.accounts.bob]\nrequests_per_minute = 5\n[limits.keys.tg_abc]\nconcurrent_calls = 2\n`
  expect(catalogueChanges(before, after).owned).toEqual({ account: ['alice'], key: ['tg_abc'] })
})
