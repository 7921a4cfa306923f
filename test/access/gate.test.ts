// Who is calling: the credential in its accepted forms, and whether the key and its account may come in.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  type Caller,
  COMMON_FORMS,
  createGate,
  credentialOf,
  mayCall,
  NATIVE_FORMS,
} from '../../src/access/gate.ts'
import { hashKey } from '../../src/access/secret.ts'
import type { GatewayError } from '../../src/domain/errors.ts'

const request = (headers: Record<string, string> = {}, query = '') =>
  new Request(`http://gateway/v1beta/models/m:generateContent${query}`, { headers })

describe('the credential of a native request', () => {
  const CASES: [string, Request, string | undefined][] = [
    ['none', request(), undefined],
    ['a bearer', request({ authorization: 'Bearer abc' }), 'abc'],
    ['a bearer in another case', request({ authorization: 'bEARER abc' }), 'abc'],
    ['a bearer with spaces around', request({ authorization: 'Bearer   abc  ' }), 'abc'],
    ['a bearer of two words is none', request({ authorization: 'Bearer abc def' }), undefined],
    ['a bearer without a space is none', request({ authorization: 'Bearerabc' }), undefined],
    ['an empty bearer', request({ authorization: 'Bearer ' }), undefined],
    ['another scheme', request({ authorization: 'Basic abc' }), undefined],
    ['x-api-key', request({ 'x-api-key': ' abc ' }), 'abc'],
    ['x-goog-api-key', request({ 'X-Goog-Api-Key': 'abc' }), 'abc'],
    ['the query', request({}, '?key=abc'), 'abc'],
    ['the query, among others', request({}, '?alt=sse&key=abc&x=1'), 'abc'],
    ['the query, percent-encoded', request({}, '?key=a%62c'), 'abc'],
    ['the query, twice: the first', request({}, '?key=abc&key=def'), 'abc'],
    ['the query, empty', request({}, '?key='), undefined],
    ['another parameter', request({}, '?apikey=abc'), undefined],
    ['an empty header gives way to the query', request({ 'x-api-key': '' }, '?key=abc'), 'abc'],
    [
      'another scheme gives way to a header',
      request({ authorization: 'Basic x', 'x-api-key': 'abc' }),
      'abc',
    ],
    ['a header goes before the query', request({ 'x-api-key': 'abc' }, '?key=def'), 'abc'],
  ]
  test.each(CASES)('%s', (_, from, credential) => {
    expect(credentialOf(from, NATIVE_FORMS)).toBe(credential)
  })

  test('of another surface is in no query, and in no header of the native one', () => {
    expect(credentialOf(request({ 'x-goog-api-key': 'abc' }, '?key=abc'), COMMON_FORMS)).toBeUndefined()
  })
})

const NOW_MS = 1_000_000
const TEXT = `tg_${'k'.repeat(43)}`
const good: Caller = {
  account: {
    id: 1,
    name: 'a',
    status: 'active',
    balance_nanos: 0,
    held_nanos: 0,
    debt_nanos: 0,
    created_at_ms: 0,
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
  },
}
const keyWith = (settings: Partial<Caller['key']>): Caller => ({ ...good, key: { ...good.key, ...settings } })

function gateOf(caller: Caller | undefined) {
  let now_ms = NOW_MS
  let current = caller
  let lookups = 0
  const gate = createGate({
    findKey(sha256) {
      lookups++
      return current?.key.sha256.equals(sha256) ? current : undefined
    },
    now: () => now_ms,
  })
  return {
    admit: (text: string | undefined, address = '192.0.2.7') => gate.admit(text, () => address),
    change: (next: Caller | undefined) => {
      current = next
    },
    pass: (ms: number) => {
      now_ms += ms
    },
    lookups: () => lookups,
  }
}
const kindOf = (admit: () => unknown): GatewayError['kind'] | 'admitted' => {
  try {
    admit()
    return 'admitted'
  } catch (thrown) {
    return (thrown as GatewayError).kind
  }
}

describe('the gate', () => {
  const CASES: [string, Caller | undefined, string | undefined, GatewayError['kind'] | 'admitted'][] = [
    ['a good key', good, TEXT, 'admitted'],
    ['no key', good, undefined, 'unauthenticated'],
    ['an empty key', good, '', 'unauthenticated'],
    ['an unknown key', undefined, TEXT, 'unauthenticated'],
    ['a key that differs in its last character', good, `${TEXT.slice(0, -1)}x`, 'unauthenticated'],
    ['a key revoked now', keyWith({ revoked_at_ms: NOW_MS }), TEXT, 'unauthenticated'],
    ['a key to be revoked in a moment', keyWith({ revoked_at_ms: NOW_MS + 1 }), TEXT, 'admitted'],
    ['a key that expires now', keyWith({ expires_at_ms: NOW_MS }), TEXT, 'unauthenticated'],
    ['a key that expires in a moment', keyWith({ expires_at_ms: NOW_MS + 1 }), TEXT, 'admitted'],
    [
      'a suspended account',
      { ...good, account: { ...good.account, status: 'suspended' } },
      TEXT,
      'permission_denied',
    ],
    ['an address on the list', keyWith({ addresses: ['192.0.2.0/24'] }), TEXT, 'admitted'],
    ['an address off the list', keyWith({ addresses: ['198.51.100.0/24'] }), TEXT, 'permission_denied'],
  ]
  test.each(CASES)('%s', (_, caller, text, kind) => {
    const { admit } = gateOf(caller)
    expect(kindOf(() => admit(text))).toBe(kind)
  })

  test('asks for the address of those only whose key is bound to some', () => {
    let asked = 0
    const address = () => {
      asked++
      return '192.0.2.7'
    }
    const free = createGate({ findKey: () => good, now: () => NOW_MS })
    free.admit(TEXT, address)
    expect(asked).toBe(0)
    const bound = createGate({ findKey: () => keyWith({ addresses: ['192.0.2.7'] }), now: () => NOW_MS })
    bound.admit(TEXT, address)
    expect(asked).toBe(1)
  })

  test('an address that is not known is on no list', () => {
    const gate = createGate({ findKey: () => keyWith({ addresses: ['0.0.0.0/0'] }), now: () => NOW_MS })
    expect(kindOf(() => gate.admit(TEXT, () => undefined))).toBe('permission_denied')
  })

  test('believes what it read for a second, and not longer', () => {
    const { admit, change, pass, lookups } = gateOf(good)
    admit(TEXT)
    change(undefined)
    pass(999)
    expect(kindOf(() => admit(TEXT))).toBe('admitted')
    expect(lookups()).toBe(1)
    pass(1)
    expect(kindOf(() => admit(TEXT))).toBe('unauthenticated')
  })

  test('never remembers a key that is none: one that is made is let in at once', () => {
    const { admit, change } = gateOf(undefined)
    expect(kindOf(() => admit(TEXT))).toBe('unauthenticated')
    change(good)
    expect(kindOf(() => admit(TEXT))).toBe('admitted')
  })

  test('an expiry counts from its moment on, remembered or not', () => {
    const { admit, pass } = gateOf(keyWith({ expires_at_ms: NOW_MS + 10 }))
    expect(kindOf(() => admit(TEXT))).toBe('admitted')
    pass(10)
    expect(kindOf(() => admit(TEXT))).toBe('unauthenticated')
  })
})

describe('the models of a key', () => {
  test('are all, where nothing is said', () => {
    fc.assert(fc.property(fc.string(), (id) => mayCall({ models: null }, id)))
  })

  test('are none that no pattern names', () => {
    fc.assert(fc.property(fc.string(), (id) => !mayCall({ models: [] }, id)))
  })

  test('are those that a pattern names, letter by letter: only * stands for others', () => {
    const id = fc.string({ minLength: 1 }).filter((text) => !text.includes('*'))
    fc.assert(
      fc.property(id, id, (one, other) => {
        expect(mayCall({ models: [one] }, one)).toBe(true)
        expect(mayCall({ models: [one] }, other)).toBe(one === other)
      }),
    )
  })

  test('of a pattern with * are those that begin and end as it does', () => {
    const word = fc.stringMatching(/^[a-z0-9./+-]{0,8}$/)
    fc.assert(
      fc.property(word, word, word, (start, middle, end) => {
        expect(mayCall({ models: [`${start}*${end}`] }, start + middle + end)).toBe(true)
      }),
    )
    expect(mayCall({ models: ['a*b'] }, 'xab')).toBe(false)
    expect(mayCall({ models: ['a*b'] }, 'abx')).toBe(false)
  })
})
