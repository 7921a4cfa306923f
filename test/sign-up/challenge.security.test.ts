// The challenges of sign-up: a solution counts once, for this form, until it expires; an answer of Turnstile counts for this form of this host.
import { afterAll, describe, expect, test } from 'bun:test'
import { type Challenge, createChallenge, randomInt } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import { CHALLENGE_LASTS_MS, createAltcha } from '../../plugins/sign-up/altcha.ts'
import { ACTION, createTurnstile } from '../../plugins/sign-up/turnstile.ts'
import { hashKey } from '../../src/access/secret.ts'
import { PUBLIC_ADDRESSES } from '../media/remote-support.ts'
import { AUTHORITY, httpAnswer, serveTls } from '../media/tls-server.ts'
import { outcomeOf, signUpScene, solved } from './scene.ts'

const clock = { ahead_ms: 0 }
const at = await signUpScene({
  sign_up: 'mode = "open"\nper_domain_per_day = 0',
  now: () => Date.now() + clock.ahead_ms,
})
afterAll(() => at[Symbol.asyncDispose]())
const { gateway } = at

const challenge = (): Promise<Challenge> => at.stranger().client.json('GET', '/sign-up/challenge')
/** Solves a new challenge as a browser does, which takes between 150 and 350 tries. */
async function solution(): Promise<string> {
  const text = await solved(await challenge())
  const { counter } = JSON.parse(text).solution
  expect(counter).toBeGreaterThanOrEqual(150)
  expect(counter).toBeLessThanOrEqual(350)
  return text
}
let attempts = 0
const askWith = async (solution: string | undefined) => {
  attempts += 1
  return await outcomeOf(
    await at.stranger().ask(`a${attempts}@example.org`, solution === undefined ? {} : { solution }),
  )
}
const failed = { status: 400, code: 'challenge_failed' }
const used = { status: 400, code: 'challenge_used' }

describe('a solution of ALTCHA', () => {
  test('costs a browser between 150 and 350 tries, and counts once in ten simultaneous uses', async () => {
    expect((await challenge()).parameters.cost).toBe(5_000)
    const text = await solution()
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => askWith(text)))
    expect(outcomes.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(outcomes.filter(({ code }) => code === 'challenge_used')).toHaveLength(9)
  })

  test('of any gateway of the database counts, once in all of them', async () => {
    const parts = {
      db: gateway.store,
      now: Date.now,
      randomBytes: (count: number) => crypto.getRandomValues(new Uint8Array(count)),
    }
    const [one, other] = [createAltcha(parts), createAltcha(parts)]
    const text = await solved(await one.issue())
    const [first, second] = [await one.check(text), await other.check(text)]
    expect(first).toEqual(second)
    expect(gateway.db.query('SELECT count(*) AS keys FROM sign_up_keys').get()).toEqual({ keys: 1 })
    expect(await askWith(text)).toEqual({ status: 200 })
  })

  test('of an unsigned challenge, or for another form, is refused', async () => {
    const secret = Buffer.from(
      (gateway.db.query('SELECT secret FROM sign_up_keys').get() as { secret: Uint8Array }).secret,
    ).toString('hex')
    const made = (changes: object) =>
      createChallenge({
        algorithm: 'PBKDF2/SHA-256',
        cost: 5_000,
        counter: randomInt(20, 5),
        data: { form: 'sign-up', until_ms: Date.now() + 60_000 },
        deriveKey,
        hmacSignatureSecret: secret,
        hmacKeySignatureSecret: hashKey(secret).toString('hex'),
        ...changes,
      })
    expect(await askWith(await solved(await made({})))).toEqual({ status: 200 })
    for (const changes of [
      { data: { form: 'comment', until_ms: Date.now() + 60_000 } },
      { data: { until_ms: Date.now() + 60_000 } },
      { data: { form: 'sign-up' } },
      { hmacSignatureSecret: 'another' },
      { hmacKeySignatureSecret: 'another' },
      { cost: 1 },
      { algorithm: 'PBKDF2/SHA-512' },
    ])
      expect([changes, await askWith(await solved(await made(changes)))]).toEqual([changes, failed])
    expect(await askWith(await solved(await made({ data: { form: 'sign-up', until_ms: 5 } })))).toEqual({
      status: 400,
      code: 'challenge_expired',
    })
  })

  test('with any change is refused, and counts once, even with more fields or in another order', async () => {
    const text = await solution()
    const { challenge: own, solution: found } = JSON.parse(text)
    const with_parameters = (changes: object) => ({
      challenge: { ...own, parameters: { ...own.parameters, ...changes } },
      solution: found,
    })
    for (const other of [
      with_parameters({ keyPrefix: '' }),
      with_parameters({ data: { form: 'sign-up', until_ms: Number.MAX_SAFE_INTEGER } }),
      with_parameters({ nonce: '00' }),
      { challenge: own, solution: { ...found, derivedKey: '00' } },
      { challenge: { parameters: own.parameters }, solution: found },
      { challenge: own },
      {},
      [],
      null,
    ])
      expect([other, await askWith(JSON.stringify(other))]).toEqual([other, failed])
    for (const wrong of ['', '{', 'null', '"x"', '[]']) expect(await askWith(wrong)).toEqual(failed)
    expect(await askWith(undefined)).toEqual(failed)
    // None of these attempts used up the solution.
    expect(await askWith(JSON.stringify({ solution: found, challenge: own }))).toEqual({ status: 200 })
    expect(await askWith(text)).toEqual(used)
    for (const other of [
      { challenge: own, solution: { ...found, time: 5 } },
      { challenge: { ...own, codeChallenge: { image: 'x', length: 1 } }, solution: found },
      { more: 1, challenge: own, solution: found },
    ])
      expect((await askWith(JSON.stringify(other))).status).toBe(400)
  })

  test('expires', async () => {
    const text = await solution()
    clock.ahead_ms = CHALLENGE_LASTS_MS + 1_000
    expect(await askWith(text)).toEqual({ status: 400, code: 'challenge_expired' })
    clock.ahead_ms = 0
  })
})

describe('an answer of Turnstile', () => {
  const HOST = 'gateway.example.com'
  const right = { success: true, hostname: HOST, action: ACTION, 'error-codes': [] }
  async function check(
    answer: Buffer | undefined,
    options: { token?: string | undefined; timeout_ms?: number } = {},
  ) {
    await using server = await serveTls((socket) => (answer === undefined ? undefined : socket.end(answer)))
    const turnstile = createTurnstile(
      {
        ca: AUTHORITY,
        resolve: async () => PUBLIC_ADDRESSES,
        dial: () => ({ addresses: ['127.0.0.1'], port: server.port }),
        timeout_ms: options.timeout_ms ?? 5_000,
      },
      'https://images.example.com/verify',
    )
    const token = 'token' in options ? options.token : 'T'
    try {
      await turnstile({ secret: 'the-secret', token, address: '198.51.100.7', host: HOST })
      return { requests: server.requests, code: undefined }
    } catch (thrown) {
      const { kind, code, message } = thrown as { kind: string; code: string; message: string }
      return { requests: server.requests, code: code ?? kind, kind, message }
    }
  }
  const json = (value: unknown) =>
    httpAnswer(JSON.stringify(value), { headers: { 'content-type': 'application/json' } })

  test('for this form of this host is accepted; the request has the visitor’s address', async () => {
    const { requests, code } = await check(json(right))
    expect(code).toBeUndefined()
    const body = JSON.parse(requests[0]?.split('\r\n\r\n')[1] ?? '')
    expect(body).toEqual({ secret: 'the-secret', response: 'T', remoteip: '198.51.100.7' })
  })

  test.each([
    ['of another site', { ...right, hostname: 'evil.example' }],
    ['without a host', { success: true, action: ACTION }],
    ['of another form', { ...right, action: 'login' }],
    ['without a form', { success: true, hostname: HOST }],
    ['without success', { ...right, success: false }],
    ['with success as a text', { ...right, success: 'true' }],
    ['for a used token', { success: false, 'error-codes': ['timeout-or-duplicate'] }],
  ])('%s is refused', async (_, answer) => {
    expect((await check(json(answer))).code).toBe('challenge_failed')
  })

  test.each([undefined, '', 'x'.repeat(2_049)])('for the token %p is never requested', async (token) => {
    const { code, requests } = await check(json(right), { token })
    expect([code, requests]).toEqual(['challenge_failed', []])
  })

  test.each<[string, Buffer | undefined]>([
    ['that times out', undefined],
    ['that is no JSON', httpAnswer('<html>')],
    ['that is no object', json(null)],
    ['that is too long', json({ ...right, more: 'x'.repeat(100_000) })],
  ])('%s is refused with "Try again"', async (_, answer) => {
    const { kind, message, requests } = await check(answer, { timeout_ms: 400 })
    expect([kind, requests.length]).toEqual(['overloaded', 1])
    expect(message).toContain('Try again')
    expect(message).not.toContain('the-secret')
  })
})

describe('the page of the form', () => {
  const policyOf = async (path: string) =>
    (await fetch(new URL(path, gateway.url))).headers.get('content-security-policy') ?? ''

  test('is the only page that loads from Cloudflare, while Turnstile is the challenge', async () => {
    expect(await policyOf('/console/sign-up')).not.toContain('cloudflare')
    await at.configure(
      'mode = "open"\nchallenge = "turnstile"\nturnstile_site_key = "0x4AAA"\nturnstile_secret = "turnstile-secret-1"',
    )
    const policy = await policyOf('/console/sign-up')
    expect(policy).toContain("script-src 'self' https://challenges.cloudflare.com;")
    expect(policy).toContain('frame-src https://challenges.cloudflare.com')
    for (const path of ['/console', '/console/sign-up/confirm', '/console/sign-ups', '/console/settings'])
      expect([path, await policyOf(path)]).not.toEqual([path, expect.stringContaining('cloudflare')])
    const site = await at.stranger().client.json('GET', '/sign-up')
    expect(site).toMatchObject({ challenge: 'turnstile', site_key: '0x4AAA' })
    expect(JSON.stringify(site)).not.toContain('turnstile-secret-1')
    // Browsers keep the policy of a page after a 304, so a changed policy must not be answered with 304.
    const tag = (await fetch(new URL('/console/sign-up', gateway.url))).headers.get('etag') ?? ''
    await at.configure('mode = "open"')
    const again = await fetch(new URL('/console/sign-up', gateway.url), { headers: { 'if-none-match': tag } })
    expect(again.status).toBe(200)
    expect(await policyOf('/console/sign-up')).not.toContain('cloudflare')
  })
})
