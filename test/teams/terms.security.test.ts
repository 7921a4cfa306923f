// The terms of service of people who join a team: accepted by every new person, as they were shown, and kept.
import { describe, expect, test } from 'bun:test'
import { errorOf, signedIn } from '../support/console-session.ts'
import { newPerson } from '../support/people.ts'
import { PASSWORD, teamScene } from './scene.ts'

const TERMS = { url: 'https://example.com/terms', version: '2026-11' }
const scene = await teamScene({
  has_mail: false,
  more: `[brand]\nterms_url = "${TERMS.url}"\n[sign_up]\nterms_version = "${TERMS.version}"\n`,
})
const { gateway, shownToken, visitor } = scene
const NEW = { name: 'Max', password: PASSWORD }

const acceptances = () =>
  gateway.db.query('SELECT account_id, person_id, url, version FROM terms_acceptances').all()

describe('an invitation into an account is refused', () => {
  test.each([
    ['without the terms', {}, { status: 400, code: 'terms_not_accepted', param: 'terms' }],
    ['with null for them', { terms: null }, { status: 400, code: 'terms_not_accepted' }],
    [
      'with those of an earlier version',
      { terms: { ...TERMS, version: '2025-01' } },
      { status: 409, code: 'terms_changed' },
    ],
    [
      'with those of another address',
      { terms: { ...TERMS, url: 'https://example.com/old' } },
      { status: 409, code: 'terms_changed' },
    ],
    ['with a word in their place', { terms: true }, { status: 400 }],
  ])('%s, and the link goes on', async (_, accepted, expected) => {
    const token = await shownToken('max@example.org')
    const refused = await visitor().send('POST', '/join/new', { body: { token, ...NEW, ...accepted } })
    expect(await errorOf(refused)).toMatchObject(expected)
    expect(acceptances()).toEqual([])
    expect((await visitor().send('POST', '/join/look', { body: { token } })).status).toBe(200)
  })
})

test('a new person accepts what the link showed; it is kept, and in the audit log', async () => {
  const token = await shownToken('max@example.org')
  const { terms } = await visitor().json('POST', '/join/look', { token })
  expect(terms).toEqual(TERMS)
  await visitor().json('POST', '/join/new', { token, ...NEW, terms })
  const max = (await scene.people()).find(({ name }) => name === 'Max')
  expect(acceptances()).toEqual([{ account_id: scene.acme.id, person_id: max?.person_id, ...TERMS }])
  expect(scene.actions().filter((action) => action === 'terms.accepted')).toHaveLength(1)
})

test('somebody who is here already joins by one click, and accepts nothing again', async () => {
  const before = acceptances()
  const bob = await gateway.account('bob')
  const person_id = await newPerson(scene.db, { account_id: bob.id, role: 'owner' }, { name: 'Bob' })
  const client = await signedIn(gateway, { person_id, account_id: bob.id })
  await client.json('POST', '/join', { token: await shownToken('bob@example.org') })
  expect(acceptances()).toEqual(before)
})
