// Access tokens of a service account: when one is fetched, how many exchanges that takes, and the failures of exchanges.
import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { type ExchangeDeps, isToken } from '../../../src/upstream/tokens/exchange.ts'
import { createTokens } from '../../../src/upstream/tokens/tokens.ts'
import type { Fetch } from '../../../src/upstream/transport.ts'
import { eventually } from '../../support/eventually.ts'
import {
  ACCOUNT,
  accountFile,
  assertionIn,
  CLOCK_OFF,
  invalidGrant,
  PRIVATE_KEY,
  tokenAnswer,
  tokenNumber,
} from '../../support/google.ts'
import {
  heldBack,
  RESET,
  refusal,
  type Script,
  SILENCE,
  startUpstream,
  whole,
} from '../../support/upstream.ts'

const START_MS = Date.parse('2026-11-24T06:00:00Z')
const MINUTE_MS = 60_000
const upstream = await startUpstream()
afterAll(() => upstream[Symbol.asyncDispose]())
const KEY = accountFile(upstream.url)

let google_ms = START_MS
let count = 0
const google: Script = (seen) => tokenAnswer(seen, google_ms, ++count)

beforeEach(() => {
  upstream.requests.length = 0
  upstream.answer(google)
  google_ms = START_MS
  count = 0
})

/** Tokens of a gateway whose clock the test sets. */
function scene(options: Partial<ExchangeDeps> = {}) {
  const clock = { now_ms: START_MS }
  const tokens = createTokens({ fetch: fetch as Fetch, now: () => clock.now_ms, ...options })
  const value = async (key = KEY) => {
    const exchanged = await tokens.of(key)
    return isToken(exchanged) ? exchanged.value : exchanged
  }
  return { clock, tokens, value }
}

test('the claims: the account, the scope, the server, an hour; signed with the key of the file', async () => {
  const { value } = scene()
  expect(await value()).toBe(tokenNumber(1))
  expect(upstream.last()).toMatchObject({ method: 'POST', path: '/token' })
  const { header, claims, is_signed } = assertionIn(upstream.last())
  expect(header).toEqual({ alg: 'RS256', typ: 'JWT', kid: JSON.parse(KEY).private_key_id })
  expect(claims).toEqual({
    iss: ACCOUNT,
    scope: 'https://www.googleapis.com/auth/cloud-platform',
    aud: JSON.parse(KEY).token_uri,
    iat: START_MS / 1_000,
    exp: START_MS / 1_000 + 3_600,
  })
  expect(is_signed).toBe(true)
})

describe('how many exchanges it takes', () => {
  test('100 calls at once: one', async () => {
    const { value } = scene()
    const held = heldBack(google)
    upstream.answer(held.script)
    const all = Array.from({ length: 100 }, () => value())
    await held.received
    held.release()
    expect(new Set(await Promise.all(all))).toEqual(new Set([tokenNumber(1)]))
    expect(upstream.requests).toHaveLength(1)
  })

  test('100 calls at once while the server refuses: one, and all get the refusal', async () => {
    const { value } = scene()
    upstream.answer(invalidGrant('Invalid JWT Signature.'))
    const all = await Promise.all(Array.from({ length: 100 }, () => value()))
    expect(new Set(all.map((each) => JSON.stringify(each))).size).toBe(1)
    expect(upstream.requests).toHaveLength(1)
    upstream.answer(google)
    expect(await value()).toBe(tokenNumber(1))
  })

  test('two accounts: one each', async () => {
    const { value } = scene()
    const other = accountFile(upstream.url, { project_id: 'another-project' })
    await Promise.all([value(), value(other), value(), value(other)])
    expect(upstream.requests).toHaveLength(2)
  })
})

describe('before the end of a token', () => {
  // Its lifetime is 3,599 s: 59 min 59 s.
  test.each([
    ['six minutes before', 54, 1, 1],
    ['four minutes before', 56, 1, 2],
    ['after it', 61, 2, 2],
  ])('%s: the token of the next call, and how many exchanges', async (_, minutes, token, exchanges) => {
    const { clock, value } = scene()
    await value()
    clock.now_ms = google_ms = START_MS + minutes * MINUTE_MS
    expect(await value()).toBe(tokenNumber(token))
    await upstream.waitForRequest(exchanges)
    expect(upstream.requests).toHaveLength(exchanges)
  })

  test('a call meanwhile uses the current token, and starts no second exchange', async () => {
    const { clock, value } = scene()
    await value()
    clock.now_ms = google_ms = START_MS + 56 * MINUTE_MS
    const held = heldBack(google)
    upstream.answer(held.script)
    expect(await Promise.all([value(), value(), value()])).toEqual([
      tokenNumber(1),
      tokenNumber(1),
      tokenNumber(1),
    ])
    await held.received
    held.release()
    await upstream.last().over
    expect(upstream.requests).toHaveLength(2)
  })

  test('an exchange that fails then harms no call, and is not tried again for half a minute', async () => {
    const { clock, value } = scene()
    await value()
    clock.now_ms = START_MS + 56 * MINUTE_MS
    upstream.answer(refusal(503))
    expect(await value()).toBe(tokenNumber(1))
    await (await upstream.waitForRequest(2)).over
    expect(await value()).toBe(tokenNumber(1))
    expect(upstream.requests).toHaveLength(2)
    upstream.answer(google)
    clock.now_ms = google_ms = clock.now_ms + 30_000
    await eventually('an exchange began', async () => {
      await value()
      return upstream.requests.length === 3
    })
  })
})

describe('a token that a provider refuses', () => {
  test('is replaced for the next call, once for all calls that it was refused to', async () => {
    const { tokens, value } = scene()
    const refused = await tokens.of(KEY)
    if (!isToken(refused)) throw new Error('there is no token')
    tokens.refused(KEY, refused)
    expect(await value()).toBe(tokenNumber(2))
    tokens.refused(KEY, refused)
    expect(await value()).toBe(tokenNumber(2))
    expect(upstream.requests).toHaveLength(2)
  })
})

const HOUR_MS = 60 * MINUTE_MS
const failures: [string, Script, string, string][] = [
  // The sources of the words are beside them in src/app/route-tests/known-refusals.ts.
  [
    'a deleted key',
    invalidGrant('Invalid JWT Signature.'),
    'bad_key',
    'invalid_grant: Invalid JWT Signature.',
  ],
  ['a deleted account', invalidGrant('Invalid grant: account not found'), 'bad_key', 'account not found'],
  ['a disabled account', invalidGrant('Robot is disabled.'), 'bad_key', 'Robot is disabled.'],
  [
    'a deleted client',
    refusal(401, { error: 'deleted_client', error_description: 'The OAuth client was deleted.' }),
    'bad_key',
    'deleted_client: The OAuth client was deleted.',
  ],
  ['too many', refusal(429, {}), 'rate_limited', 'status 429'],
  ['a broken server', refusal(500, '<html>'), 'upstream_error', 'status 500'],
  ['a redirect', refusal(302, '', { location: 'http://127.0.0.1:1/' }), 'upstream_error', 'status 302'],
  ['HTML under 200', whole('<html>'), 'upstream_error', 'no valid access_token'],
  ['no token', whole({ expires_in: 3_599 }), 'upstream_error', 'no valid access_token'],
  [
    'a token that no header can carry',
    whole({ access_token: 'a\nb', expires_in: 3_599 }),
    'upstream_error',
    'no valid access_token',
  ],
  ['no lifetime', whole({ access_token: 'ya29.x' }), 'upstream_error', 'no valid access_token'],
  [
    'a lifetime of zero',
    whole({ access_token: 'ya29.x', expires_in: 0 }),
    'upstream_error',
    'no valid access_token',
  ],
  [
    'a lifetime without end',
    whole({ access_token: 'ya29.x', expires_in: 1e12 }),
    'upstream_error',
    'no valid access_token',
  ],
  ['an answer of megabytes', whole(' '.repeat(200_000)), 'upstream_error', 'longer than'],
  ['a reset', RESET, 'upstream_error', ''],
  ['silence', SILENCE, 'timed_out', 'no answer within 0.2 s'],
]

describe('an exchange that fails', () => {
  test.each(failures)('%s', async (_, script, failure_class, words) => {
    upstream.answer(script)
    const failure = await scene({ timeout_ms: 200 }).value()
    expect(failure).toMatchObject({ failure_class, message: expect.stringContaining(words) })
    const message = JSON.stringify(failure)
    const assertion = new URLSearchParams(upstream.last().body.toString()).get('assertion') ?? 'none'
    for (const secret of [assertion, ...PRIVATE_KEY.split('\n').filter((line) => line.length > 30)])
      expect(message).not.toContain(secret)
  })

  test('waits as long as the server of tokens asks', async () => {
    upstream.answer(refusal(429, {}, { 'retry-after': '45' }))
    expect(await scene({ timeout_ms: 5_000 }).value()).toMatchObject({ retry_after_s: 45 })
  })

  test.each([
    [5 * HOUR_MS, '5 h ahead of'],
    [-3 * HOUR_MS, '3 h behind'],
    [7 * MINUTE_MS, '7 min ahead of'],
  ])('a clock that is off by %d ms is reported', async (off_ms, words) => {
    const { clock, value } = scene()
    clock.now_ms = START_MS + off_ms
    expect(await value()).toMatchObject({
      failure_class: 'bad_key',
      message: `no access token for the service account: invalid_grant: ${CLOCK_OFF} (this machine's clock is ${words} that server's)`,
    })
  })

  test('an unreachable server', async () => {
    const away = accountFile('http://127.0.0.1:1')
    expect(await scene().value(away)).toMatchObject({ failure_class: 'upstream_error' })
  })

  test('a key that is no file of an account', async () => {
    expect(await scene().value('{')).toMatchObject({ failure_class: 'bad_key' })
    expect(upstream.requests).toHaveLength(0)
  })
})
