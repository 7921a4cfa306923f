// Providers that fail during a sign-in: the person reads that the provider does not answer, and the failure does not count as a guess.
import { afterAll, describe, expect, test } from 'bun:test'
import { startHostileProvider } from '../support/hostile-identity-provider.ts'
import { browserAt, gatewayAddress, gatewayWith, ownerWith } from './scene.ts'

const VERIFIED = { email: 'alice@example.com', email_verified: true }
const provider = await startHostileProvider('failing')
const address = gatewayAddress()
const KNOWN = 'failing'
/** Further names of the same provider: a gateway reads its configuration and keys again for each. A catalogue has at most 20. */
const NAMES = Array.from({ length: 17 }, (_, at) => `failing-${at}`)
const catalogue = [KNOWN, ...NAMES].map((name) => provider.lines('', name)).join('')
const gateway = await gatewayWith(address, catalogue)
const second = await gatewayWith(gatewayAddress(), catalogue)
const UNREAD = [gateway, second].flatMap((at) => NAMES.map((name) => ({ at, name })))
const unread = () => UNREAD.shift() ?? expect.unreachable('a further name is needed')
afterAll(async () => {
  await gateway.stop()
  await second.stop()
  await provider[Symbol.asyncDispose]()
})
await gateway.account('alice')
await ownerWith(gateway, { account: 'alice', email: VERIFIED.email, is_verified: true })

const doesNotAnswer = (name: string) => [
  502,
  'provider_unavailable',
  `${name} does not answer as it should at the moment. Try again later, or sign in another way.`,
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

async function signIn({ name, at } = { name: KNOWN, at: gateway }) {
  const browser = browserAt(at)
  const started = await browser.send('POST', '/identity-providers/start', { provider: name })
  if (started.status !== 200) return started
  return await browser.finish(name, provider.backFrom(new URL(started.body.url)))
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
      const of = unread()
      expect(read(await signIn(of))).toEqual(doesNotAnswer(of.name))
    }
  })

  test('when the code is exchanged', async () => {
    provider.tellTruth('alice', VERIFIED)
    provider.lies.answers['/token'] = answer
    expect(read(await signIn())).toEqual(doesNotAnswer(KNOWN))
    provider.tellTruth('alice', VERIFIED)
    expect((await signIn()).status).toBe(200)
  })

  test('when the person is read', async () => {
    provider.tellTruth('alice')
    provider.lies.metadata = { userinfo_endpoint: `${provider.issuer}/userinfo` }
    provider.lies.answers['/userinfo'] = answer
    const of = unread()
    expect(read(await signIn(of))).toEqual(doesNotAnswer(of.name))
  })
})

test.each(['server_error', 'temporarily_unavailable'])('a provider that says %s', async (error) => {
  provider.tellTruth('alice', VERIFIED)
  const browser = browserAt(gateway)
  const state = (await browser.start(KNOWN)).searchParams.get('state')
  const refused = await browser.finish(KNOWN, `?error=${error}&state=${state}`)
  expect(read(refused)).toEqual(doesNotAnswer(KNOWN))
  provider.lies.answers['/token'] = () => Response.json({ error }, { status: 400 })
  expect(read(await signIn())).toEqual(doesNotAnswer(KNOWN))
})

test('a provider that stops before people return, or before they are sent there', async () => {
  const gone = await startHostileProvider('failing')
  const [known, late] = ['known', 'late']
  await using own = await gatewayWith(gatewayAddress(), gone.lines('', known) + gone.lines('', late))
  gone.tellTruth('alice', VERIFIED)
  const browser = browserAt(own)
  const back = gone.backFrom(await browser.start(known))
  await gone[Symbol.asyncDispose]()
  expect(read(await browser.finish(known, back))).toEqual(doesNotAnswer(known))
  expect(read(await signIn({ name: late, at: own }))).toEqual(doesNotAnswer(late))
})

test('a logout token gets 502 while the keys are unreadable, so that the provider sends it again', async () => {
  provider.tellTruth('alice', VERIFIED)
  provider.lies.answers['/jwks'] = html(503)
  const { at, name } = unread()
  const logout_token = await provider.sign({ iss: provider.issuer, aud: 'tollgate' })
  const answer = await fetch(new URL(`/identity-providers/${name}/logout`, at.url), {
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
    statuses.push((await browser.finish(KNOWN, provider.backFrom(await browser.start(KNOWN)))).status)
  expect([statuses[0], statuses.at(-1)]).toEqual([first, last])
})
