// Sign-in by GitHub, which is OAuth 2.0 with its own API: a fake server answers as an Enterprise Server does.
import { afterAll, beforeEach, expect, test } from 'bun:test'
import { browserAt, gatewayAddress, gatewayWith, ownerWith } from './scene.ts'

interface Answers {
  user: unknown
  emails: unknown
  token: unknown
}

const TRUTH: Answers = {
  user: { id: 4711, login: 'anna', name: null },
  emails: [
    { email: 'other@example.com', verified: true, primary: false },
    { email: 'anna@example.com', verified: true, primary: true },
  ],
  token: { access_token: 'gho_x', token_type: 'bearer', scope: 'read:user,user:email' },
}
let answers = TRUTH
let failures: Record<string, () => Response> = {}
const seen: { path: string; authorization: string | null; form: URLSearchParams }[] = []
const github = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    const { pathname } = new URL(request.url)
    const form = new URLSearchParams(await request.text())
    seen.push({ path: pathname, authorization: request.headers.get('authorization'), form })
    const failure = failures[pathname]
    if (failure) return failure()
    if (pathname === '/login/oauth/access_token') return Response.json(answers.token)
    if (pathname === '/api/v3/user') return Response.json(answers.user)
    if (pathname === '/api/v3/user/emails') return Response.json(answers.emails)
    return new Response('not found', { status: 404 })
  },
})
const issuer = `http://127.0.0.1:${github.port}`

const address = gatewayAddress()
const gateway = await gatewayWith(
  address,
  `[[sign_in.oidc]]
name = "github"
preset = "github"
issuer = "${issuer}"
client_id = "Iv1.x"
client_secret = "secret-of-github"`,
)
afterAll(async () => {
  await gateway.stop()
  await github.stop(true)
})
await gateway.account('alice')
const alice = await ownerWith(gateway, { account: 'alice', email: 'anna@example.com', is_verified: true })
beforeEach(() => {
  answers = TRUTH
  failures = {}
  seen.length = 0
})

async function signIn() {
  const browser = browserAt(gateway)
  const url = await browser.start('github')
  const back = new URLSearchParams({ code: 'c', state: url.searchParams.get('state') ?? '' })
  return { url, browser, ...(await browser.finish('github', `?${back}`)) }
}

test('a primary, verified address links to the person who verified it here; the user’s number is the subject', async () => {
  const { url, browser, status } = await signIn()
  expect(url.href).toStartWith(`${issuer}/login/oauth/authorize?`)
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    client_id: 'Iv1.x',
    redirect_uri: `${address.url}/console/sign-in/github`,
    scope: 'read:user user:email',
    response_type: 'code',
    code_challenge_method: 'S256',
  })
  expect([status, (await browser.viewer()).account]).toEqual([200, 'alice'])
  const [exchange, user] = seen
  expect(Object.fromEntries(exchange?.form ?? [])).toMatchObject({
    code: 'c',
    client_secret: 'secret-of-github',
    code_verifier: expect.stringMatching(/^[\w-]{43}$/),
  })
  expect(user).toMatchObject({ path: '/api/v3/user', authorization: 'Bearer gho_x' })
  expect(await gateway.store.rows('SELECT person_id, issuer, subject, email FROM identities')).toEqual([
    { person_id: alice, issuer, subject: '4711', email: 'anna@example.com' },
  ])
})

test.each([
  ['an unverified address', { emails: [{ email: 'anna@example.com', verified: false, primary: true }] }],
  [
    'a verified address that is not the primary one',
    { emails: [{ email: 'anna@example.com', verified: true, primary: false }] },
  ],
  ['an empty list of addresses', { emails: [] }],
  ['addresses that are no list', { emails: { email: 'anna@example.com', verified: true, primary: true } }],
])('%s links to nobody', async (_, more) => {
  answers = { ...TRUTH, user: { id: 5, login: 'eve' }, ...more }
  const { status, body } = await signIn()
  expect([status, body.error.code]).toEqual([403, 'identity_unknown'])
})

test.each([
  ['a user without a number', { user: { login: 'anna' } }],
  ['a user whose number is a text', { user: { id: '4711', login: 'anna' } }],
  ['a refused code, with status 200 as by GitHub', { token: { error: 'bad_verification_code' } }],
])('%s signs nobody in', async (_, more) => {
  answers = { ...TRUTH, ...more }
  const { status, body } = await signIn()
  expect([status, body.error.code]).toEqual([401, 'identity_not_confirmed'])
})

const LIMIT = () => Response.json({ message: 'API rate limit exceeded' }, { status: 403 })
test.each([
  ['the exchange of the code', '/login/oauth/access_token', () => new Response('<html>', { status: 502 })],
  ['the user, as a page', '/api/v3/user', () => new Response('<html>Unicorn!')],
  ['the user, above its rate limit', '/api/v3/user', LIMIT],
  ['the addresses, with an error', '/api/v3/user/emails', () => Response.json({}, { status: 500 })],
  ['the addresses, above its rate limit', '/api/v3/user/emails', LIMIT],
])('a sign-in gets 502 if GitHub fails for %s', async (_, path, failure) => {
  failures = { [path]: failure }
  const { status, body } = await signIn()
  expect([status, body.error.code]).toEqual([502, 'provider_unavailable'])
  expect(body.error.message).toBe(
    'GitHub does not answer as it should at the moment. Try again later, or sign in another way.',
  )
})

test('a token that GitHub refuses signs nobody in', async () => {
  failures = { '/api/v3/user': () => Response.json({ message: 'Bad credentials' }, { status: 401 }) }
  const { status, body } = await signIn()
  expect([status, body.error.code]).toEqual([401, 'identity_not_confirmed'])
})
