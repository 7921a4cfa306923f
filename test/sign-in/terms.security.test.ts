// The terms of service at the first password of an account's person: accepted in their current version, recorded, and requested once.
import { describe, expect, test } from 'bun:test'
import { makeInvitation, makeOperatorsLink } from '../../src/access/sign-in-links.ts'
import { clientOf, errorOf } from '../support/console-session.ts'
import { fileScene } from '../support/scene.ts'

const TERMS = { url: 'https://example.com/terms', version: '2026-11' }
const PASSWORD = 'correct horse battery'
const { gateway } = await fileScene({
  more: `[brand]\nterms_url = "${TERMS.url}"\n[sign_up]\nterms_version = "${TERMS.version}"\n`,
})
const { id: account_id } = await gateway.account('irene')
const issuing = {
  randomBytes: (count: number) => crypto.getRandomValues(new Uint8Array(count)),
  now_ms: Date.now(),
}
const visitor = () => clientOf(gateway)
const newInvitation = async () => (await makeInvitation(gateway.store, 'irene', issuing)).token
const acceptances = () => gateway.db.query('SELECT account_id, url, version FROM terms_acceptances').all()

describe('the link of an invitation is refused', () => {
  test.each([
    ['without the terms', {}, { status: 400, code: 'terms_not_accepted', param: 'terms' }],
    ['with null as the terms', { terms: null }, { status: 400, code: 'terms_not_accepted' }],
    [
      'with an earlier version of the terms',
      { terms: { ...TERMS, version: '2025-01' } },
      { status: 409, code: 'terms_changed' },
    ],
  ])('%s: no password is set, nobody is signed in, the link stays valid', async (_, accepted, expected) => {
    const token = await newInvitation()
    const body = { token, password: PASSWORD, ...accepted }
    const refused = await visitor().send('POST', '/links/accept', { body })
    expect(await errorOf(refused)).toMatchObject(expected)
    expect(acceptances()).toEqual([])
    expect(gateway.db.query('SELECT id FROM sessions').all()).toEqual([])
    const look = await visitor().json('POST', '/links/look', { token })
    expect(look).toMatchObject({ has_password: false, terms: TERMS })
  })
})

test('the first password accepts the terms; a later one does not request them', async () => {
  const first = { token: await newInvitation(), password: PASSWORD, terms: TERMS }
  await visitor().json('POST', '/links/accept', first)
  expect(acceptances()).toEqual([{ account_id, ...TERMS }])
  const token = await newInvitation()
  expect(await visitor().json('POST', '/links/look', { token })).toMatchObject({ terms: null })
  await visitor().json('POST', '/links/accept', { token, password: `${PASSWORD} 2` })
  expect(acceptances()).toHaveLength(1)
})

test('the operator does not accept the terms', async () => {
  const { token } = await makeOperatorsLink(gateway.store, issuing)
  expect(await visitor().json('POST', '/links/look', { token })).toMatchObject({ terms: null })
  await visitor().json('POST', '/links/accept', { token, password: PASSWORD })
})
