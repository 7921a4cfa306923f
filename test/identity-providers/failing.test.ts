// Providers that fail during a sign-in: the person reads that the provider does not answer, and the failure does not count as a guess.
import { afterAll, describe, expect, test } from 'bun:test'
import { startHostileProvider } from '../support/hostile-identity-provider.ts'
import { browserAt, gatewayAddress, gatewayWith, ownerWith } from './scene.ts'

const VERIFIED = { email: 'alice@example.com', email_verified: true }
const provider = await startHostileProvider('failing')
const address = gatewayAddress()
const gateway = await gatewayWith(address, provider.lines())
afterAll(async () => {
  await gateway.stop()
  await provider[Symbol.asyncDispose]()
})
await gateway.account('alice')
await ownerWith(gateway, { account: 'alice', email: VERIFIED.email, is_verified: true })

const DOES_NOT_ANSWER = [
  502,
  'provider_unavailable',
  'failing does not answer as it should at the moment. Try again later, or sign in another way.',
]
const html = (status: number) => () =>
  new Response('<h1>Maintenance</h1>', { status, headers: { 'content-type': 'text/html' } })
const FAILURES: [string, () => Response][] = [
  ['an error of its own', () => new Response('no', { status: 500 })],
  ['too many requests', () => Response.json({ error: 'slow_down' }, { status: 429 })],
  ['a page of maintenance', html(503)],
  ['a page in place of an answer', html(200)],
  ['a page of another server', html(404)],
  ['an empty answer', () => new Response(null, { status: 204 })],
  ['a redirect', () => Response.redirect('https://example.com/')],
  ['half an answer', () => new Response('{"access_token":"a",')],
]

async function signIn(at = gateway) {
  const browser = browserAt(at)
  const started = await browser.send('POST', '/identity-providers/start', { provider: 'failing' })
  if (started.status !== 200) return started
  return await browser.finish('failing', provider.backFrom(new URL(started.body.url)))
}
const read = ({ status, body }: Awaited<ReturnType<typeof signIn>>) => [
  status,
  body.error?.code,
  body.error?.message,
]

describe.each(FAILURES)('a provider that answers with %s', (_, answer) => {
  test('when its configuration or its keys are read', async () => {
    for (const path of ['/.well-known/openid-configuration', '/jwks']) {
      provider.tellTruth('alice', VERIFIED)
      provider.lies.answers[path] = answer
      // A new gateway reads both again.
      await using own = await gatewayWith(gatewayAddress(), provider.lines())
      expect(read(await signIn(own))).toEqual(DOES_NOT_ANSWER)
    }
  })

  test('when the code is exchanged', async () => {
    provider.tellTruth('alice', VERIFIED)
    provider.lies.answers['/token'] = answer
    expect(read(await signIn())).toEqual(DOES_NOT_ANSWER)
    provider.tellTruth('alice', VERIFIED)
    expect((await signIn()).status).toBe(200)
  })

  test('when the person is read', async () => {
    provider.tellTruth('alice')
    provider.lies.metadata = { userinfo_endpoint: `${provider.issuer}/userinfo` }
    provider.lies.answers['/userinfo'] = answer
    await using own = await gatewayWith(gatewayAddress(), provider.lines())
    expect(read(await signIn(own))).toEqual(DOES_NOT_ANSWER)
  })
})

test.each(['server_error', 'temporarily_unavailable'])('a provider that says %s', async (error) => {
  provider.tellTruth('alice', VERIFIED)
  const browser = browserAt(gateway)
  const state = (await browser.start('failing')).searchParams.get('state')
  expect(read(await browser.finish('failing', `?error=${error}&state=${state}`))).toEqual(DOES_NOT_ANSWER)
  provider.lies.answers['/token'] = () => Response.json({ error }, { status: 400 })
  expect(read(await signIn())).toEqual(DOES_NOT_ANSWER)
})

test('a provider that stops before people return, or before they are sent there', async () => {
  const gone = await startHostileProvider('failing')
  await using own = await gatewayWith(gatewayAddress(), gone.lines())
  gone.tellTruth('alice', VERIFIED)
  const browser = browserAt(own)
  const back = gone.backFrom(await browser.start('failing'))
  await gone[Symbol.asyncDispose]()
  expect(read(await browser.finish('failing', back))).toEqual(DOES_NOT_ANSWER)
  await using late = await gatewayWith(gatewayAddress(), gone.lines())
  expect(read(await signIn(late))).toEqual(DOES_NOT_ANSWER)
})

test('a logout token gets 502 while the keys are unreadable, so that the provider sends it again', async () => {
  provider.tellTruth('alice', VERIFIED)
  provider.lies.answers['/jwks'] = html(503)
  await using own = await gatewayWith(gatewayAddress(), provider.lines())
  const logout_token = await provider.sign({ iss: provider.issuer, aud: 'tollgate' })
  const answer = await fetch(new URL('/identity-providers/failing/logout', own.url), {
    method: 'POST',
    body: new URLSearchParams({ logout_token }),
  })
  expect(answer.status).toBe(502)
  expect(await answer.text()).toContain('does not answer')
})

test.each([
  ['fails, which is no guess', () => new Response('no', { status: 500 }), 502, 502],
  ['refuses, which is a guess', () => Response.json({ error: 'invalid_grant' }, { status: 400 }), 401, 429],
] as const)('a provider that %s, forty times', async (_, answer, first, last) => {
  provider.tellTruth('alice', VERIFIED)
  provider.lies.answers['/token'] = answer
  const browser = browserAt(gateway)
  const statuses: number[] = []
  for (let tries = 0; tries < 40; tries += 1)
    statuses.push((await browser.finish('failing', provider.backFrom(await browser.start('failing')))).status)
  expect([statuses[0], statuses.at(-1)]).toEqual([first, last])
})
