// The terms of service of people who join a team: every new person accepts the current version, which is recorded.
import { describe, expect, test } from 'bun:test'
import { errorOf, signedIn } from '../support/console-session.ts'
import { newPerson } from '../support/people.ts'
import { PASSWORD, teamScene } from './scene.ts'

const TERMS = { url: 'https://example.com/terms', version: '2026-11' }
const scene = await teamScene({
  has_mail: false,
  more: `[brand]\nterms_url = "${TERMS.url}"\n[sign_up]\nterms_version = "${TERMS.version}"\n`,
})
const { gateway, linkToken, visitor } = scene
const NEW = { name: 'Max', password: PASSWORD }

const acceptances = () =>
  gateway.db.query('SELECT account_id, person_id, url, version FROM terms_acceptances').all()

describe('an invitation into an account is refused', () => {
  test.each([
    ['without the terms', {}, { status: 400, code: 'terms_not_accepted', param: 'terms' }],
    ['with null as the terms', { terms: null }, { status: 400, code: 'terms_not_accepted' }],
    [
      'with an earlier version of the terms',
      { terms: { ...TERMS, version: '2025-01' } },
      { status: 409, code: 'terms_changed' },
    ],
    [
      'with another address of the terms',
      { terms: { ...TERMS, url: 'https://example.com/old' } },
      { status: 409, code: 'terms_changed' },
    ],
    ['with a boolean as the terms', { terms: true }, { status: 400 }],
  ])('%s, and the link stays valid', async (_, accepted, expected) => {
    const token = await linkToken('max@example.org')
    const refused = await visitor().send('POST', '/join/new', { body: { token, ...NEW, ...accepted } })
    expect(await errorOf(refused)).toMatchObject(expected)
    expect(acceptances()).toEqual([])
    expect((await visitor().send('POST', '/join/look', { body: { token } })).status).toBe(200)
  })
})

test('a new person accepts the terms of the link, which are recorded, also in the audit log', async () => {
  const token = await linkToken('max@example.org')
  const { terms } = await visitor().json('POST', '/join/look', { token })
  expect(terms).toEqual(TERMS)
  await visitor().json('POST', '/join/new', { token, ...NEW, terms })
  const max = (await scene.people()).find(({ name }) => name === 'Max')
  expect(acceptances()).toEqual([{ account_id: scene.acme.id, person_id: max?.person_id, ...TERMS }])
  expect(scene.actions().filter((action) => action === 'terms.accepted')).toHaveLength(1)
})

test('an existing person joins by one click, without accepting the terms', async () => {
  const before = acceptances()
  const bob = await gateway.account('bob')
  const person_id = await newPerson(scene.db, { account_id: bob.id, role: 'owner' }, { name: 'Bob' })
  const client = await signedIn(gateway, { person_id, account_id: bob.id })
  await client.json('POST', '/join', { token: await linkToken('bob@example.org') })
  expect(acceptances()).toEqual(before)
})
