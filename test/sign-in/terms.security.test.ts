// The terms of service and the first password of somebody of an account: accepted as they were shown, kept, and asked for once.
import { describe, expect, test } from 'bun:test'
import { makeInvitation, makeOperatorsLink } from '../../src/access/sign-in-links.ts'
import { clientOf, errorOf } from '../support/console-session.ts'
import { scene } from '../support/scene.ts'

const TERMS = { url: 'https://example.com/terms', version: '2026-11' }
const PASSWORD = 'correct horse battery'
const { gateway } = await scene({
  more: `[brand]\nterms_url = "${TERMS.url}"\n[sign_up]\nterms_version = "${TERMS.version}"\n`,
})
const { id: account_id } = await gateway.account('irene')
const issuing = {
  randomBytes: (count: number) => crypto.getRandomValues(new Uint8Array(count)),
  now_ms: Date.now(),
}
const visitor = () => clientOf(gateway)
const invited = async () => (await makeInvitation(gateway.store, 'irene', issuing)).token
const acceptances = () => gateway.db.query('SELECT account_id, url, version FROM terms_acceptances').all()

describe('the link of an invitation is refused', () => {
  test.each([
    ['without the terms', {}, { status: 400, code: 'terms_not_accepted', param: 'terms' }],
    ['with null for them', { terms: null }, { status: 400, code: 'terms_not_accepted' }],
    [
      'with those of an earlier version',
      { terms: { ...TERMS, version: '2025-01' } },
      { status: 409, code: 'terms_changed' },
    ],
  ])('%s: no password is set, nobody is signed in, and the link goes on', async (_, accepted, expected) => {
    const token = await invited()
    const body = { token, password: PASSWORD, ...accepted }
    const refused = await visitor().send('POST', '/links/accept', { body })
    expect(await errorOf(refused)).toMatchObject(expected)
    expect(acceptances()).toEqual([])
    expect(gateway.db.query('SELECT id FROM sessions').all()).toEqual([])
    const look = await visitor().json('POST', '/links/look', { token })
    expect(look).toMatchObject({ has_password: false, terms: TERMS })
  })
})

test('whoever sets their first password accepts them; another password later asks for nothing', async () => {
  const first = { token: await invited(), password: PASSWORD, terms: TERMS }
  await visitor().json('POST', '/links/accept', first)
  expect(acceptances()).toEqual([{ account_id, ...TERMS }])
  const token = await invited()
  expect(await visitor().json('POST', '/links/look', { token })).toMatchObject({ terms: null })
  await visitor().json('POST', '/links/accept', { token, password: `${PASSWORD} 2` })
  expect(acceptances()).toHaveLength(1)
})

test('the operator accepts no terms of their own', async () => {
  const { token } = await makeOperatorsLink(gateway.store, issuing)
  expect(await visitor().json('POST', '/links/look', { token })).toMatchObject({ terms: null })
  await visitor().json('POST', '/links/accept', { token, password: PASSWORD })
})
