// spec.md, Authentication: every credential form of the native endpoints, and every reason for which a key is refused.
import { beforeEach, describe, expect, test } from 'bun:test'
import { suspendAccount } from '../../src/access/accounts.ts'
import { type CredentialForm, NATIVE_FORMS } from '../../src/access/gate.ts'
import { revokeKey } from '../../src/access/keys.ts'
import { MODEL, THINKING } from '../support/catalogue.ts'
import {
  ANSWER_NANOS,
  answering,
  ask,
  nativeError,
  refusalOf,
  streamPath,
  wholePath,
} from '../support/native.ts'
import { fileScene } from '../support/scene.ts'

let clock_ms = Date.now()
const { gateway, upstream } = await fileScene({ script: answering, now: () => clock_ms })
beforeEach(() => {
  upstream.requests.length = 0
})

const PATHS = [
  ['whole', wholePath()],
  ['streamed', streamPath()],
] as const
const FORMS_AND_PATHS = NATIVE_FORMS.flatMap((form) => PATHS.map((path) => [form, ...path] as const))

const prefixOf = (key: string) => key.slice(0, 10)

const NOT_VALID = [401, 'UNAUTHENTICATED'] as const
const DENIED = [403, 'PERMISSION_DENIED'] as const
/** Refused keys: how each is made, and the error that the caller gets. */
const REFUSED: [string, number, string, RegExp, () => Promise<string | undefined>][] = [
  ['no key', ...NOT_VALID, /Send yours/, async () => undefined],
  ['an empty key', ...NOT_VALID, /Send yours/, async () => ''],
  ['an unknown key', ...NOT_VALID, /not valid/, async () => `tg_${'x'.repeat(43)}`],
  ['a key of another service', ...NOT_VALID, /not valid/, async () => `AIza${'y'.repeat(35)}`],
  ['a key cut short', ...NOT_VALID, /not valid/, async () => (await gateway.caller()).slice(0, -1)],
  [
    'only the prefix of a key, as lists show it',
    ...NOT_VALID,
    /not valid/,
    async () => prefixOf(await gateway.caller()),
  ],
  [
    'a revoked key',
    ...NOT_VALID,
    /not valid/,
    async () => {
      const key = await gateway.caller()
      await revokeKey(gateway.store, prefixOf(key), clock_ms)
      return key
    },
  ],
  [
    'an expired key',
    ...NOT_VALID,
    /expired/,
    async () => {
      const key = await gateway.caller('10', { expires_at_ms: clock_ms + 1 })
      clock_ms += 1
      return key
    },
  ],
  [
    'a key bound to another address',
    ...DENIED,
    /network address/,
    () => gateway.caller('10', { addresses: ['192.0.2.1', '2001:db8::/32'] }),
  ],
  [
    'a key of a suspended account',
    ...DENIED,
    /suspended/,
    async () => {
      const { name } = await gateway.account(`suspended-${crypto.randomUUID()}`, { balance_usd: '10' })
      await suspendAccount(gateway.store, name, { now_ms: 0 })
      return await gateway.key(name)
    },
  ],
  [
    'a key without access to the model',
    ...DENIED,
    /no access to the model/,
    () => gateway.caller('10', { models: ['other-*', THINKING] }),
  ],
]

describe('"Accepted credential forms on the native generation endpoints (any one)"', () => {
  test.each(FORMS_AND_PATHS)('%s, %s: a good key pays', async (form, _, path) => {
    const key = await gateway.caller()
    const response = await gateway.call(path, ask(), { key, form })
    expect(response.status).toBe(200)
    await response.text()
    expect((await gateway.lastCall()).cost_nanos).toBe(ANSWER_NANOS)
  })

  test.each(NATIVE_FORMS)('%s: the key is not sent upstream', async (form) => {
    const key = await gateway.caller()
    await (await gateway.call(wholePath(), ask(), { key, form })).text()
    const { path, headers, body } = upstream.last()
    expect(path + JSON.stringify(headers) + body).not.toContain(key)
  })

  test('"Bearer" is read in any case, with any number of spaces', async () => {
    const key = await gateway.caller()
    for (const authorization of [`bearer ${key}`, `BEARER   ${key}`, `Bearer ${key} `]) {
      const response = await gateway.call(wholePath(), ask(), { headers: { authorization } })
      expect(response.status).toBe(200)
    }
  })

  test.each([
    ['Basic', (key: string) => ({ authorization: `Basic ${key}` })],
    ['no scheme', (key: string) => ({ authorization: key })],
    ['a cookie', (key: string) => ({ cookie: `key=${key}` })],
    ['api-key', (key: string) => ({ 'api-key': key })],
  ])('no other form is accepted: %s', async (_, headers) => {
    const response = await gateway.call(wholePath(), ask(), { headers: headers(await gateway.caller()) })
    expect(response.status).toBe(401)
  })

  test('another query parameter that ends in "key" is not accepted', async () => {
    const key = await gateway.caller()
    const response = await gateway.call(`${wholePath()}?monkey=${key}`, ask())
    expect(response.status).toBe(401)
  })

  test('a key bound to a network that the caller’s address is in is accepted', async () => {
    const key = await gateway.caller('10', { addresses: ['127.0.0.0/8'] })
    expect((await gateway.call(wholePath(), ask(), { key })).status).toBe(200)
  })

  test('an address that the caller claims in a header does not count', async () => {
    const key = await gateway.caller('10', { addresses: ['192.0.2.1'] })
    const headers = { 'x-forwarded-for': '192.0.2.1', forwarded: 'for=192.0.2.1', 'x-real-ip': '192.0.2.1' }
    expect((await gateway.call(wholePath(), ask(), { key, headers })).status).toBe(403)
  })

  test.each([
    ['*', [MODEL, THINKING], []],
    ['test-*', [MODEL, THINKING], []],
    [MODEL, [MODEL], [THINKING]],
    ['test-mode', [], [MODEL]],
    ['est-model', [], [MODEL]],
    ['test.model', [], [MODEL]],
    ['*-model', [MODEL], [THINKING]],
  ])('a key for the models "%s" may call %p, and not %p', async (pattern, allowed, denied) => {
    const key = await gateway.caller('10', { models: [pattern] })
    const statusOf = async (model: string) => (await gateway.call(wholePath(model), ask(), { key })).status
    for (const model of allowed) expect(await statusOf(model)).toBe(200)
    for (const model of denied) expect(await statusOf(model)).toBe(403)
  })
})

describe('"Invalid or missing key gives 401; no access to a model, or a suspended account, 403"', () => {
  for (const [what, code, status, message, make] of REFUSED) {
    const forms: readonly CredentialForm[] = what === 'no key' ? ['bearer'] : NATIVE_FORMS
    test.each(forms.flatMap((form) => PATHS.map((path) => [form, ...path] as const)))(
      `${what}, as %s, %s: ${code} ${status}`,
      async (form, _, path) => {
        const key = await make()
        const before = gateway.rows()
        const response = await gateway.call(path, ask(), { key, form })
        const refusal = await refusalOf(response)
        expect([refusal.status, refusal.body]).toEqual([code, nativeError(code, status)])
        expect(refusal.message).toMatch(message)
        expect(response.headers.get('x-request-id')).toMatch(/^req_/)
        expect(upstream.requests).toEqual([])
        expect(await gateway.atRest()).toEqual(before)
      },
    )
  }

  test('without a key a body that is not JSON gives 401, too', async () => {
    const response = await gateway.call(wholePath(), '{"contents": [')
    expect([response.status, await response.json()]).toEqual([401, nativeError(401, 'UNAUTHENTICATED')])
  })

  test('a revocation and a suspension take effect at once, though keys are cached', async () => {
    const { name } = await gateway.account('cached', { balance_usd: '10' })
    const [first, second] = [await gateway.key(name), await gateway.key(name)]
    const statusOf = async (key: string) => (await gateway.call(wholePath(), ask(), { key })).status
    expect([await statusOf(first), await statusOf(second)]).toEqual([200, 200])
    await revokeKey(gateway.store, prefixOf(first), clock_ms)
    expect([await statusOf(first), await statusOf(second)]).toEqual([401, 200])
    await suspendAccount(gateway.store, name, { now_ms: 0 })
    expect([await statusOf(first), await statusOf(second)]).toEqual([403, 403])
    expect(upstream.requests).toHaveLength(3)
    await gateway.rest()
  })
})
