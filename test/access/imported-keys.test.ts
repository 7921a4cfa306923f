// Imported keys: the `sk-…` keys of other gateways on every operation in every place of a key, the refusals of an import, and two keys with one prefix.
import { describe, expect, test } from 'bun:test'
import type { BudgetChanges } from '../../src/access/budgets.ts'
import { type CredentialForm, createGate } from '../../src/access/gate.ts'
import { importKeys } from '../../src/access/imported-keys.ts'
import { type KeySettings, NO_LIMITS } from '../../src/access/key-settings.ts'
import { keyByReference, rotateKey } from '../../src/access/keys.ts'
import { HIDDEN_PREFIX, hashKey, importedPrefix, KEY_PATTERN, keysToTry } from '../../src/access/secret.ts'
import type { ActionRow } from '../../src/store/schema.ts'
import { MODEL } from '../support/catalogue.ts'
import { signedIn } from '../support/console-session.ts'
import { ANSWER_NANOS, answering, ask, wholePath } from '../support/native.ts'
import { fileScene } from '../support/scene.ts'
import { openSocket } from '../support/web-socket.ts'

const NOW = Date.now()
/** A key as new-api generates it: https://github.com/QuantumNous/new-api, common/utils.go. */
const NEW_API = `sk-${'aB3dEf7h'.repeat(6)}`
/** A key chosen by hand, as LiteLLM allows: any printable ASCII. */
const BY_HAND = `sk-team!#$%'()*,-./:;<>@[\\]^_\`{|}~`
const SHORT = 'sk-1234'

const { gateway } = await fileScene({ script: answering })
const { store } = gateway
const ada = await gateway.account('ada', { balance_usd: '10' })
const mia = await gateway.account('mia', { balance_usd: '10' })

type Named = Partial<KeySettings> & { name: string; budgets?: BudgetChanges }
const addHash = async (
  sha256: Uint8Array,
  { budgets = {}, ...named }: Named,
  account = ada,
  prefix = 'sk-abcdefg',
) => {
  const key = {
    settings: { ...NO_LIMITS, ...named },
    budgets,
    sha256,
    prefix,
    created_at_ms: NOW - 86_400_000,
  }
  const [added] = await store.begin((tx) => importKeys(tx, account.id, [key], NOW))
  return added ?? expect.unreachable('the key is added')
}
const add = (text: string, named: Named, account = ada, prefix = importedPrefix(text)) =>
  addHash(hashKey(text), named, account, prefix)

await add(NEW_API, { name: 'new-api' })
await add(BY_HAND, { name: 'by-hand' })
await add(SHORT, { name: 'short' })

interface Operation {
  security?: Record<string, never[]>[]
}
const document = (await (await gateway.call('/docs/openapi.json')).json()) as {
  paths: Record<string, Record<string, Operation>>
}
/** Every operation that needs a key, in each documented form. */
const OPERATIONS = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, { security = [] }]) =>
    security
      .flatMap(Object.keys)
      .map((form) => [method.toUpperCase(), path, form as CredentialForm] as const),
  ),
)

describe('a key of another gateway works in every place of every operation', () => {
  test('the operations cover all six places', () => {
    expect(new Set(OPERATIONS.map(([, , form]) => form)).size).toBe(6)
    expect(OPERATIONS.length).toBeGreaterThan(60)
  })

  test.each([
    ['without "sk-", with a channel', `${NEW_API.slice(3)}-12`, false],
    ['chosen by hand', BY_HAND, false],
    ['that is unknown', NEW_API.toLowerCase(), true],
  ])('a key %s', async (_, key, is_refused) => {
    const wrong: string[] = []
    for (const [method, path, form] of OPERATIONS) {
      const body = method === 'POST' || method === 'PUT' ? {} : undefined
      const address = path.replaceAll(/\{[^}]*\}/g, 'nothing')
      const response = await gateway.call(address, body, { key, form, method })
      // The live feed has no end.
      await response.body?.cancel()
      if ((response.status === 401) !== is_refused) wrong.push(`${method} ${path} ${form} ${response.status}`)
    }
    expect(wrong).toEqual([])
  })

  test.each([NEW_API, BY_HAND, SHORT])('%s pays', async (key) => {
    const response = await gateway.call(wholePath(), ask(), { key })
    expect([response.status, await response.text()]).toEqual([200, expect.any(String)])
    expect(await gateway.lastCall()).toMatchObject({ cost_nanos: ANSWER_NANOS, account_id: ada.id })
  })

  test.each(['', 'sk-'])('a token after "%s" and before a channel pays', async (mark) => {
    const headers = { authorization: `${mark}${NEW_API.slice(3)}-7` }
    const response = await gateway.call(wholePath(), ask(), { headers })
    expect([response.status, await response.text()]).toEqual([200, expect.any(String)])
    expect(await gateway.lastCall()).toMatchObject({ cost_nanos: ANSWER_NANOS, account_id: ada.id })
  })

  test.each<[name: string, headers: Record<string, string>]>([
    ["LiteLLM's header", { 'x-litellm-api-key': `Bearer ${BY_HAND}` }],
    [
      "LiteLLM's header beside a provider's own token",
      { 'x-litellm-api-key': BY_HAND, authorization: 'Bearer sk-ant-oat01-own' },
    ],
    ['a token with a channel alone', { authorization: `${NEW_API.slice(3)}-7` }],
  ])('a WebSocket by %s pays', async (_, headers) => {
    const socket = await openSocket(gateway, { key: '', headers })
    const answer = await socket.create({ model: MODEL, input: 'hello' })
    expect(answer.at(-1)).toMatchObject({ type: 'response.completed' })
    socket.raw.close()
    expect(await gateway.lastCall()).toMatchObject({ account_id: ada.id })
  })

  test.each<[name: string, headers: Record<string, string>]>([
    [
      "an unknown key in LiteLLM's header beside a good one",
      { 'x-litellm-api-key': 'sk-none', authorization: `Bearer ${NEW_API}` },
    ],
    ['a token with a word as its channel', { authorization: `Bearer ${NEW_API}-gpt` }],
    ['a token with two channels', { authorization: `Bearer ${NEW_API}-1-2` }],
    ['a token with an empty channel', { authorization: `Bearer ${NEW_API}-` }],
    ['a key chosen by hand, with a channel', { authorization: `Bearer ${BY_HAND}-12` }],
    ['a short key without "sk-"', { authorization: `Bearer ${SHORT.slice(3)}` }],
    ['a part of a token', { authorization: `Bearer ${NEW_API.slice(3, -1)}` }],
    ['a token in capital letters', { authorization: `Bearer ${NEW_API.slice(3).toUpperCase()}-12` }],
  ])('%s is refused, over a WebSocket, too', async (_, headers) => {
    expect((await gateway.call(wholePath(), ask(), { headers })).status).toBe(401)
    await expect(openSocket(gateway, { key: '', headers })).rejects.toThrow('not opened')
  })

  test('a key of this gateway has one form: it is refused with a channel, without "tg_", or with "sk-"', async () => {
    const own = await gateway.key('ada')
    for (const text of [`${own}-12`, own.slice(3), `sk-${own.slice(3)}`, `sk-${own}`])
      expect((await gateway.call('/v1/models', undefined, { key: text })).status).toBe(401)
  })

  test('a key that begins with another key is not confused with it', async () => {
    const token = `sk-${'Zz9'.repeat(16)}`
    await add(token, { name: 'token' })
    await add(`${token}-5`, { name: 'longer' }, mia)
    const accountOf = async (key: string) =>
      (await (await gateway.call('/api/v1/account', undefined, { key })).json()) as object
    expect(await accountOf(`${token}-5`)).toMatchObject({ account: 'mia' })
    expect(await accountOf(`${token}-6`)).toMatchObject({ account: 'ada' })
  })

  test('a key opens a session of the console, too', async () => {
    const client = await signedIn(gateway, { key: NEW_API })
    expect(await client.json('GET', '/session')).toMatchObject({ viewer: { role: 'key', account: 'ada' } })
  })

  test('neither the log nor a row contains a key', async () => {
    await gateway.rest()
    const written = JSON.stringify(gateway.db.query('SELECT * FROM keys').all()) + gateway.log.text()
    for (const key of [NEW_API, BY_HAND, SHORT]) expect(written).not.toContain(key)
  })
})

test('an impossible key is refused without a look-up; an unknown key is not cached', async () => {
  const looked_up: string[] = []
  const gate = createGate({
    findKey(sha256) {
      looked_up.push(sha256.toString('hex'))
      return undefined
    },
    now: () => NOW,
  })
  const send = async (credential: string) => {
    const request = new Request('http://gateway/')
    await gate.admit({ credential, request, sockets: () => null })
  }
  const none = [
    'sk-',
    'SK-1234',
    'sk_1234',
    'sk-a b',
    'sk-é',
    `sk-${'x'.repeat(254)}`,
    ` ${SHORT}`,
    'xsk-1234',
  ]
  for (const text of none) await expect(send(text)).rejects.toMatchObject({ kind: 'unauthenticated' })
  expect(looked_up).toEqual([])
  for (let i = 0; i < 2; i++) await expect(send(SHORT)).rejects.toMatchObject({ kind: 'unauthenticated' })
  expect(looked_up).toEqual([hashKey(SHORT).toString('hex'), hashKey(SHORT).toString('hex')])
})

test('the number of look-ups of an unknown text depends only on its form', async () => {
  const token = NEW_API.slice(3)
  for (const [text, candidates] of [
    [token, [NEW_API]],
    [`${token}-12`, [NEW_API]],
    [NEW_API, [NEW_API]],
    [`${NEW_API}-12`, [`${NEW_API}-12`, NEW_API]],
    [BY_HAND, [BY_HAND]],
    [`${BY_HAND}-12`, [`${BY_HAND}-12`]],
    [`tg_${'k'.repeat(43)}`, [`tg_${'k'.repeat(43)}`]],
    [`tg_${'k'.repeat(43)}-12`, []],
    [token.slice(0, 31), []],
    ['k'.repeat(129), []],
  ] as const)
    expect([text, keysToTry(text)]).toEqual([text, [...candidates]])
})

describe('an import', () => {
  test('keeps the settings and the time of creation, and is in the audit log', async () => {
    const settings = {
      name: 'limited',
      models: [MODEL],
      spend_limit_nanos: 0,
      addresses: ['10.0.0.0/8'],
      expires_at_ms: NOW + 60_000,
    }
    const key = await add(`sk-${'l'.repeat(40)}`, { ...settings, budgets: { month: 5_000_000_000 } })
    expect(key).toMatchObject({
      ...settings,
      prefix: 'sk-lllllll',
      created_at_ms: NOW - 86_400_000,
      spent_nanos: 0,
    })
    const line = gateway.db.query<ActionRow, []>('SELECT * FROM actions ORDER BY id DESC LIMIT 1').get()
    expect(line).toMatchObject({ action: 'key.imported', account_id: ada.id, key_id: key.id })
    expect(JSON.parse(String(line?.after))).toMatchObject({
      name: 'limited',
      prefix: 'sk-lllllll',
      monthly_limit_usd: '5.00',
    })
  })

  test('a rotation replaces the key by one of this gateway', async () => {
    const text = `sk-${'r'.repeat(40)}`
    const old = await add(text, { name: 'rotated', spend_limit_nanos: 7 })
    const issuing = {
      randomBytes: (n: number) => crypto.getRandomValues(new Uint8Array(n)),
      now_ms: Date.now(),
    }
    const made = await rotateKey(store, String(old.id), 0, issuing)
    expect(made.text).toMatch(KEY_PATTERN)
    expect(made.key).toMatchObject({ name: 'rotated', spend_limit_nanos: 7 })
    expect((await gateway.call('/v1/models', undefined, { key: text })).status).toBe(401)
    expect((await gateway.call('/v1/models', undefined, { key: made.text })).status).toBe(200)
  })

  const fresh = `sk-${'f'.repeat(40)}`
  test.each<[string, () => Promise<unknown>, object]>([
    ['the same key twice', () => add(NEW_API, { name: 'again' }), { kind: 'conflict', code: 'key_exists' }],
    [
      'the same key for another account',
      () => add(NEW_API, { name: 'again' }, mia),
      { kind: 'conflict', code: 'key_exists' },
    ],
    ['a name that is taken', () => add(fresh, { name: 'short' }), { param: 'name' }],
    ['an invalid name', () => add(fresh, { name: 'my key' }), { param: 'name' }],
    ['an expiry in the past', () => add(fresh, { name: 'a', expires_at_ms: NOW }), { param: 'expires' }],
    ['a negative limit', () => add(fresh, { name: 'a', spend_limit_nanos: -1 }), { param: 'spend_limit' }],
    ['an unknown account', () => add(fresh, { name: 'a' }, { ...ada, id: 999 }), { kind: 'not_found' }],
    ['a prefix of this gateway', () => add(fresh, { name: 'a' }, ada, 'tg_abcdefg'), { param: 'prefix' }],
    ['a whole key as its prefix', () => add(fresh, { name: 'a' }, ada, fresh), { param: 'prefix' }],
    ['a prefix with shell syntax', () => add(fresh, { name: 'a' }, ada, 'sk-$(id)ab'), { param: 'prefix' }],
    ['a prefix with a space', () => add(fresh, { name: 'a' }, ada, 'sk-ab defg'), { param: 'prefix' }],
  ])('refuses %s, and leaves nothing', async (_, work, refusal) => {
    const rows = () =>
      gateway.db.query('SELECT (SELECT count(*) FROM keys), (SELECT count(*) FROM actions)').get()
    const before = rows()
    await expect(work()).rejects.toMatchObject(refusal)
    expect(rows()).toEqual(before)
  })

  test('refuses a hash of the wrong length', async () => {
    const work = addHash(Buffer.alloc(31), { name: 'a' })
    await expect(work).rejects.toMatchObject({ param: 'sha256' })
  })
})

test.each([
  [NEW_API, 'sk-aB3dEf7'],
  ['sk-team!$(x)-of-berlin', 'sk-team...'],
  [SHORT, HIDDEN_PREFIX],
  ['sk-sixteen-chars16', HIDDEN_PREFIX],
])('the prefix of %s is %s', (text, prefix) => {
  expect(importedPrefix(text)).toBe(prefix)
})

describe('two keys with one prefix', () => {
  const PREFIX = 'sk-...aB3d'
  const one = `sk-${'1'.repeat(36)}aB3d`
  const other = `sk-${'2'.repeat(36)}aB3d`

  test('are distinguished by their number, or by their prefix if only one of them is visible', async () => {
    const first = await add(one, { name: 'one' }, ada, PREFIX)
    expect((await keyByReference(store, PREFIX)).id).toBe(first.id)
    const second = await add(other, { name: 'other' }, mia, PREFIX)
    await expect(keyByReference(store, PREFIX)).rejects.toMatchObject({ kind: 'conflict' })
    expect((await keyByReference(store, String(second.id))).name).toBe('other')

    const operator = await signedIn(gateway, 'operator')
    expect((await operator.send('GET', `/usage?key=${PREFIX}`)).status).toBe(409)
    expect((await operator.send('GET', `/usage?key=${second.id}`)).status).toBe(200)
    expect((await operator.send('GET', `/usage?key=${PREFIX}&account=mia`)).status).toBe(200)
    const of_ada = await signedIn(gateway, { account: 'ada' })
    expect((await of_ada.send('GET', `/keys/${PREFIX}`)).status).toBe(200)
    expect((await of_ada.json('GET', `/search?q=${PREFIX}`)).keys).toMatchObject([{ name: 'one' }])
  })

  test('in one account: a caller who filters by the prefix is refused', async () => {
    const calls = `/api/v1/usage?key=${PREFIX}`
    expect((await gateway.call(calls, undefined, { key: NEW_API })).status).toBe(200)
    await add(`sk-${'3'.repeat(36)}aB3d`, { name: 'third' }, ada, PREFIX)
    const refusals = await gateway.call(`/api/v1/refusals?key=${PREFIX}`, undefined, { key: NEW_API })
    expect(refusals.status).toBe(409)
  })
})
