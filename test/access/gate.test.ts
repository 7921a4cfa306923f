// The gate: the places of a credential, the conditions of admission, and the key cache.
import { describe, expect, test } from 'bun:test'
import {
  ALL_FORMS,
  type ArrivingCaller,
  COMMON_FORMS,
  createGate,
  credentialOf,
  type KeyOfAccount,
} from '../../src/access/gate.ts'
import { hashKey } from '../../src/access/secret.ts'
import type { GatewayError } from '../../src/domain/errors.ts'

const request = (headers: Record<string, string> = {}, query = '') =>
  new Request(`http://gateway/v1beta/models/m:generateContent${query}`, { headers })

const TEXT = `tg_${'k'.repeat(43)}`
/** A token of new-api or one-api, as in their tables. */
const TOKEN = 'aB3dEf7h'.repeat(4)
const everywhere = (headers: Record<string, string>) =>
  request({ authorization: 'Bearer b', 'x-api-key': 'c', 'x-goog-api-key': 'd', ...headers }, '?key=e')

describe('the credential of a native request', () => {
  const CASES: [string, Request, string | undefined][] = [
    ['none', request(), undefined],
    ['a bearer', request({ authorization: 'Bearer abc' }), 'abc'],
    ['a bearer in another case', request({ authorization: 'bEARER abc' }), 'abc'],
    ['a bearer with spaces around', request({ authorization: 'Bearer   abc  ' }), 'abc'],
    ['a key of this gateway without "Bearer" is no credential', request({ authorization: TEXT }), undefined],
    ['another gateway\'s key without "Bearer"', request({ authorization: 'sk-abc' }), 'sk-abc'],
    ['a token without "Bearer" or "sk-"', request({ authorization: TOKEN }), TOKEN],
    ['a token with a channel', request({ authorization: `${TOKEN}-12` }), `${TOKEN}-12`],
    ['a word too short for a token', request({ authorization: TOKEN.slice(0, 31) }), undefined],
    ['a token before another word', request({ authorization: `${TOKEN} x` }), undefined],
    ["LiteLLM's header", request({ 'x-litellm-api-key': 'abc' }), 'abc'],
    ["LiteLLM's header as a bearer", request({ 'x-litellm-api-key': 'Bearer  abc' }), 'abc'],
    ["LiteLLM's header before all others", everywhere({ 'x-litellm-api-key': 'first' }), 'first'],
    ["LiteLLM's header, empty, is skipped", request({ 'x-litellm-api-key': ' ', 'x-api-key': 'abc' }), 'abc'],
    ['a bearer of two words is no credential', request({ authorization: 'Bearer abc def' }), undefined],
    ['a bearer without a space is no credential', request({ authorization: 'Bearerabc' }), undefined],
    ['an empty bearer', request({ authorization: 'Bearer ' }), undefined],
    ['another scheme', request({ authorization: 'Basic abc' }), undefined],
    ['x-api-key', request({ 'x-api-key': ' abc ' }), 'abc'],
    ['api-key', request({ 'api-key': 'abc' }), 'abc'],
    ['x-goog-api-key', request({ 'X-Goog-Api-Key': 'abc' }), 'abc'],
    ['the query', request({}, '?key=abc'), 'abc'],
    ['the query, among others', request({}, '?alt=sse&key=abc&x=1'), 'abc'],
    ['the query, percent-encoded', request({}, '?key=a%62c'), 'abc'],
    ['the query, twice: the first', request({}, '?key=abc&key=def'), 'abc'],
    ['the query, empty', request({}, '?key='), undefined],
    ['another parameter', request({}, '?apikey=abc'), undefined],
    ['an empty header is skipped: the query', request({ 'x-api-key': '' }, '?key=abc'), 'abc'],
    ['another scheme is skipped: a header', request({ authorization: 'Basic x', 'x-api-key': 'abc' }), 'abc'],
    ['a header is preferred to the query', request({ 'x-api-key': 'abc' }, '?key=def'), 'abc'],
  ]
  test.each(CASES)('%s', (_, from, credential) => {
    expect(credentialOf(from, ALL_FORMS)).toBe(credential)
  })

  test('is not read from the query or from a native header on another surface', () => {
    expect(credentialOf(request({ 'x-goog-api-key': 'abc' }, '?key=abc'), COMMON_FORMS)).toBeUndefined()
  })
})

const NOW_MS = 1_000_000
const good: KeyOfAccount = {
  account: {
    id: 1,
    name: 'a',
    status: 'active',
    balance_nanos: 0,
    held_nanos: 0,
    debt_nanos: 0,
    created_at_ms: 0,
    plan_period_id: null,
    price_group: null,
  },
  key: {
    id: 1,
    account_id: 1,
    name: 'k',
    prefix: TEXT.slice(0, 10),
    sha256: hashKey(TEXT),
    models: null,
    spend_limit_nanos: null,
    spent_nanos: 0,
    held_nanos: 0,
    addresses: null,
    expires_at_ms: null,
    revoked_at_ms: null,
    created_at_ms: 0,
    concurrent_calls: null,
    person_id: null,
    person_from_hold_id: 0,
  },
}
const keyWith = (settings: Partial<KeyOfAccount['key']>): KeyOfAccount => ({
  ...good,
  key: { ...good.key, ...settings },
})

/** A caller who sends a key from an address. */
const callerWith = (
  credential: string | undefined,
  requestIP: () => { address: string } | null,
): ArrivingCaller => ({
  credential,
  request: new Request('http://gateway/'),
  sockets: () => ({ requestIP, timeout() {} }),
})

/** A gate over one key, with a clock and a count of look-ups. */
function gateOf(found: KeyOfAccount | undefined) {
  let now_ms = NOW_MS
  let current = found
  let lookups = 0
  const gate = createGate({
    findKey(sha256) {
      lookups++
      return current?.key.sha256.equals(sha256) ? current : undefined
    },
    now: () => now_ms,
  })
  return {
    admit: (text: string | undefined, address = '192.0.2.7') =>
      gate.admit(callerWith(text, () => ({ address }))),
    change: (next: KeyOfAccount | undefined) => {
      current = next
    },
    pass: (ms: number) => {
      now_ms += ms
    },
    lookups: () => lookups,
  }
}
const kindOf = async (admit: () => unknown): Promise<GatewayError['kind'] | 'admitted'> => {
  try {
    await admit()
    return 'admitted'
  } catch (thrown) {
    return (thrown as GatewayError).kind
  }
}

describe('the gate', () => {
  const CASES: [string, KeyOfAccount | undefined, string | undefined, GatewayError['kind'] | 'admitted'][] = [
    ['a good key', good, TEXT, 'admitted'],
    ['no key', good, undefined, 'unauthenticated'],
    ['an empty key', good, '', 'unauthenticated'],
    ['an unknown key', undefined, TEXT, 'unauthenticated'],
    ['a key that differs in its last character', good, `${TEXT.slice(0, -1)}x`, 'unauthenticated'],
    ['a key revoked now', keyWith({ revoked_at_ms: NOW_MS }), TEXT, 'unauthenticated'],
    ['a key that will be revoked in a moment', keyWith({ revoked_at_ms: NOW_MS + 1 }), TEXT, 'admitted'],
    ['a key that expires now', keyWith({ expires_at_ms: NOW_MS }), TEXT, 'unauthenticated'],
    ['a key that will expire in a moment', keyWith({ expires_at_ms: NOW_MS + 1 }), TEXT, 'admitted'],
    [
      'a suspended account',
      { ...good, account: { ...good.account, status: 'suspended' } },
      TEXT,
      'permission_denied',
    ],
    ['an address on the list', keyWith({ addresses: ['192.0.2.0/24'] }), TEXT, 'admitted'],
    ['an address off the list', keyWith({ addresses: ['198.51.100.0/24'] }), TEXT, 'permission_denied'],
  ]
  test.each(CASES)('%s', async (_, found, text, kind) => {
    const { admit } = gateOf(found)
    expect(await kindOf(() => admit(text))).toBe(kind)
  })

  test('reads the address only if the key has an address list', async () => {
    let reads = 0
    const address = () => {
      reads++
      return { address: '192.0.2.7' }
    }
    const free = createGate({ findKey: () => good, now: () => NOW_MS })
    await free.admit(callerWith(TEXT, address))
    expect(reads).toBe(0)
    const bound = createGate({ findKey: () => keyWith({ addresses: ['192.0.2.7'] }), now: () => NOW_MS })
    await bound.admit(callerWith(TEXT, address))
    expect(reads).toBe(1)
  })

  test('refuses an unknown address if the key has an address list', async () => {
    const gate = createGate({ findKey: () => keyWith({ addresses: ['0.0.0.0/0'] }), now: () => NOW_MS })
    expect(await kindOf(() => gate.admit(callerWith(TEXT, () => null)))).toBe('permission_denied')
  })

  test('serves a key from the cache for one second', async () => {
    const { admit, change, pass, lookups } = gateOf(good)
    await admit(TEXT)
    change(undefined)
    pass(999)
    expect(await kindOf(() => admit(TEXT))).toBe('admitted')
    expect(lookups()).toBe(1)
    pass(1)
    expect(await kindOf(() => admit(TEXT))).toBe('unauthenticated')
  })

  test('reads a cached key again if the clock was set back', async () => {
    const { admit, change, pass } = gateOf(good)
    await admit(TEXT)
    change(undefined)
    pass(-1_000)
    expect(await kindOf(() => admit(TEXT))).toBe('unauthenticated')
  })

  test('admits a cached key without a promise', async () => {
    const { admit, pass } = gateOf(good)
    const first = await admit(TEXT)
    pass(999)
    expect(admit(TEXT)).toBe(first)
    pass(1)
    expect(admit(TEXT)).toBeInstanceOf(Promise)
  })

  test('does not cache unknown keys, so that a new key works at once', async () => {
    const { admit, change } = gateOf(undefined)
    expect(await kindOf(() => admit(TEXT))).toBe('unauthenticated')
    change(good)
    expect(await kindOf(() => admit(TEXT))).toBe('admitted')
  })

  test('refuses an expired key, cached or not', async () => {
    const { admit, pass } = gateOf(keyWith({ expires_at_ms: NOW_MS + 10 }))
    expect(await kindOf(() => admit(TEXT))).toBe('admitted')
    pass(10)
    expect(await kindOf(() => admit(TEXT))).toBe('unauthenticated')
  })

  test('compiles the models and addresses of a cached key once', async () => {
    const { admit, pass } = gateOf(keyWith({ models: ['sim-*'], addresses: ['192.0.2.0/24'] }))
    const caller = await admit(TEXT)
    expect([caller.mayCall('sim-text'), caller.mayCall('gemini-pro')]).toEqual([true, false])
    pass(999)
    expect((await admit(TEXT)).mayCall).toBe(caller.mayCall)
    expect(await kindOf(() => admit(TEXT, '198.51.100.1'))).toBe('permission_denied')
  })

  test('uses new models and addresses once the cached key has expired', async () => {
    const { admit, change, pass } = gateOf(keyWith({ models: ['sim-*'], addresses: ['192.0.2.0/24'] }))
    await admit(TEXT)
    change(keyWith({ models: ['gemini-*'], addresses: ['198.51.100.0/24'] }))
    pass(1_000)
    const caller = await admit(TEXT, '198.51.100.1')
    expect([caller.mayCall('sim-text'), caller.mayCall('gemini-pro')]).toEqual([false, true])
    expect(await kindOf(() => admit(TEXT))).toBe('permission_denied')
  })
})
