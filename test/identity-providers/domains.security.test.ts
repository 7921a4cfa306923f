// The allowed domains of a provider, checked at every sign-in: an identity outside them is refused, even if it was linked before.
import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { clientOf, signedIn } from '../support/console-session.ts'
import { startHostileProvider } from '../support/hostile-identity-provider.ts'
import { browserAt, catalogueWith, gatewayAddress, gatewayWith, ownerWith } from './scene.ts'

const address = gatewayAddress()
const provider = await startHostileProvider('work')
const both = (domains: string) =>
  provider.lines(`for = "both"\nemail_domains = ${domains}\nstaff_role = "auditor"`)
const WIDE = both('["example.com", "partner.example", "Staff.example"]')
const gateway = await gatewayWith(address, WIDE)
const configure = (lines: string) => gateway.recatalogue(catalogueWith(address.url, lines))
afterAll(async () => {
  await gateway.stop()
  await provider[Symbol.asyncDispose]()
})
await gateway.account('alice')
await ownerWith(gateway, { account: 'alice', email: 'alice@partner.example', is_verified: true })
const WHO = {
  account: ['alice-1', 'alice@partner.example'],
  staff: ['nina-1', 'nina@partner.example'],
} as const
type Side = keyof typeof WHO

async function signIn(side: Side, email: string | null = WHO[side][1], email_verified: unknown = true) {
  provider.tellTruth(WHO[side][0], email === null ? {} : { email, email_verified })
  const browser = browserAt(gateway)
  return { browser, ...(await browser.finish('work', provider.backFrom(await browser.start('work')))) }
}
type Answer = Awaited<ReturnType<typeof signIn>>
const REFUSED = [
  403,
  'identity_domain',
  'work has not verified an address of yours in a domain that may sign in here. Sign in another way, or ask the operator to allow your domain.',
]
async function expectRefused({ browser, status, body }: Answer) {
  expect([status, body.error?.code, body.error?.message]).toEqual(REFUSED)
  expect(await browser.viewer()).toBeNull()
}
const sides = Object.keys(WHO) as Side[]
// Both identities are linked while their domain is allowed.
for (const side of sides) expect((await signIn(side)).status).toBe(200)
beforeEach(() => configure(WIDE))

describe.each(sides)('a linked identity on the side of the %s', (side) => {
  test('cannot sign in while its domain is not allowed', async () => {
    await configure(both('["example.com"]'))
    await expectRefused(await signIn(side))
    await configure(WIDE)
    expect((await signIn(side)).status).toBe(200)
    await configure(provider.lines('for = "both"'))
    expect((await signIn(side)).status).toBe(200)
  })

  test.each([
    ['a new address in another domain', 'someone@else.example', true],
    ['a look-alike of the domain', 'someone@partner.example.evil.example', true],
    ['a subdomain', 'someone@sub.partner.example', true],
    ['an unverified address', WHO[side][1], false],
    ['an address verified by a text', WHO[side][1], 'true'],
    ['a missing address', null, true],
  ])('cannot sign in with %s', async (_, email, email_verified) => {
    await expectRefused(await signIn(side, email, email_verified))
  })

  test('signs in as the same person with an address in another allowed domain', async () => {
    const { status, browser } = await signIn(side, 'moved@staff.example')
    expect([status, (await browser.viewer()).side]).toEqual([200, side === 'staff' ? 'operator' : 'account'])
    await signIn(side)
  })

  test('cannot confirm a session either, which stays open', async () => {
    const { browser } = await signIn(side)
    const { body } = await browser.send('POST', '/identities/start', { provider: 'work', purpose: 'confirm' })
    await configure(both('["example.com"]'))
    const { status, body: refusal } = await browser.finish('work', provider.backFrom(new URL(body.url)))
    expect([status, refusal.error.code]).toEqual([403, 'identity_domain'])
    expect(await browser.viewer()).not.toBeNull()
  })
})

test('an identity of another domain is not linked, because it could not sign in', async () => {
  const { cookie } = await signedIn(gateway, { account: 'alice' })
  const browser = browserAt(gateway)
  const [name = '', value = ''] = cookie.split('=')
  browser.cookies.set(name, value)
  provider.tellTruth('alice-private', { email: 'alice@private.example', email_verified: true })
  const { body } = await browser.send('POST', '/identities/start', { provider: 'work', purpose: 'link' })
  const answer = await browser.finish('work', provider.backFrom(new URL(body.url)))
  expect([answer.status, answer.body.error.code]).toEqual([403, 'identity_domain'])
  expect(await gateway.store.rows("SELECT id FROM identities WHERE subject = 'alice-private'")).toEqual([])
})

test('an identity outside the allowed domains does not count as a remaining way to sign in', async () => {
  const { browser } = await signIn('account')
  provider.tellTruth('alice-2', { email: 'alice@example.com', email_verified: true })
  const { body } = await browser.send('POST', '/identities/start', { provider: 'work', purpose: 'link' })
  expect((await browser.finish('work', provider.backFrom(new URL(body.url)))).status).toBe(200)
  const { identities } = (await browser.send('GET', '/identities')).body
  const second = identities.find(({ email }: { email: string }) => email === 'alice@example.com')
  await configure(both('["staff.example"]'))
  const { status, body: refusal } = await browser.send('DELETE', `/identities/${second.id}`)
  expect([status, refusal.error.code]).toEqual([409, 'last_way_to_sign_in'])
  await configure(both('["partner.example"]'))
  expect((await browser.send('DELETE', `/identities/${second.id}`)).status).toBe(200)
})

test('a refused sign-in unlinks no identity', async () => {
  await configure(both('["example.com"]'))
  await expectRefused(await signIn('staff'))
  const { cookie } = await signedIn(gateway, 'operator')
  expect((await clientOf(gateway, cookie).send('GET', '/session')).status).toBe(200)
  expect(await gateway.store.rows('SELECT subject FROM identities ORDER BY subject')).toEqual([
    { subject: 'alice-1' },
    { subject: 'nina-1' },
  ])
})
