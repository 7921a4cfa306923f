// Sign-in by a real OpenID provider: the person, their role, and the rows that it leaves.
import { afterAll, describe, expect, test } from 'bun:test'
import { personAt, startProvider } from '../support/identity-provider.ts'
import { browserAt, gatewayAddress, gatewayWith, ownerWith } from './scene.ts'

const address = gatewayAddress()
const provider = await startProvider(address.url, {
  people: {
    anna: { email: 'Anna@Example.com', email_verified: true, name: 'Anna' },
    bert: { email: 'bert@example.org', email_verified: true, name: 'Bert' },
    carla: { email: 'carla@staff.example', email_verified: true, name: 'Carla <b>' },
  },
})
const gateway = await gatewayWith(
  address,
  provider.lines('for = "both"\nemail_domains = ["example.com", "staff.example"]\nstaff_role = "support"'),
)
afterAll(async () => {
  await gateway.stop()
  await provider[Symbol.asyncDispose]()
})

await gateway.account('alice')
const alice = await ownerWith(gateway, { account: 'alice', email: 'anna@example.com', is_verified: true })

async function signIn(sub: string, browser = browserAt(gateway), person = personAt(provider.issuer)) {
  const back = await person.signIn((await browser.start('real', '/calls?model=x')).href, sub)
  return { browser, person, back, ...(await browser.finish('real', back)) }
}

const identities = () =>
  gateway.store.rows('SELECT person_id, issuer, subject, provider, email FROM identities ORDER BY id')

describe('an identity', () => {
  test('links to the person who has verified its address here, and stays theirs', async () => {
    const first = await signIn('anna')
    expect([first.status, first.body]).toEqual([200, { purpose: 'sign_in', next: '/calls?model=x' }])
    expect(await first.browser.viewer()).toMatchObject({ side: 'account', account: 'alice', role: 'owner' })
    const row = {
      person_id: alice,
      issuer: provider.issuer,
      subject: 'anna',
      provider: 'real',
      email: 'Anna@Example.com',
    }
    expect(await identities()).toEqual([row])
    // Later its address may be any other in the allowed domains (domains.security.test.ts).
    provider.people.anna = { email: 'other@staff.example', email_verified: true }
    const second = await signIn('anna')
    expect([second.status, (await second.browser.viewer()).account]).toEqual([200, 'alice'])
    expect(await identities()).toEqual([{ ...row, email: 'other@staff.example' }])
  })

  test('of an unknown person in the staff’s domains joins the staff, with the role of the setting', async () => {
    const { status, browser } = await signIn('carla')
    expect(status).toBe(200)
    expect(await browser.viewer()).toMatchObject({ side: 'operator', role: 'support' })
    const people = await gateway.store.rows(
      'SELECT name, email, email_verified_at_ms IS NOT NULL AS is_verified FROM people ORDER BY id DESC LIMIT 1',
    )
    expect(people).toMatchObject([{ name: 'Carla <b>', email: 'carla@staff.example' }])
    expect((await signIn('carla')).status).toBe(200)
    expect(await gateway.store.rows('SELECT role FROM staff')).toEqual([{ role: 'support' }])
    const [line] = await gateway.store.rows<{ subject: string; after: string }>(
      "SELECT subject, after FROM actions WHERE action = 'staff.added'",
    )
    expect([line?.subject, JSON.parse(line?.after ?? '')]).toEqual([
      'carla@staff.example',
      { name: 'Carla <b>', email: 'carla@staff.example', role: 'support' },
    ])
  })

  test('of any other person is refused, without new rows', async () => {
    const before = await gateway.store.rows('SELECT count(*) AS people FROM people')
    const { status, body, browser } = await signIn('bert')
    expect([status, body.error.code]).toEqual([403, 'identity_unknown'])
    expect(body.error.message).toStartWith('No account here belongs to this identity. Ask')
    expect(await browser.viewer()).toBeNull()
    expect(await gateway.store.rows('SELECT count(*) AS people FROM people')).toEqual(before)
  })
})
