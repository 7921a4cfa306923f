// Binding of an account to the link that it signed up by: once, by the link of the mail, never to oneself, and not by a later link.
import { afterAll, describe, expect, test } from 'bun:test'
import { bindReferral, referralCodeOf } from '../../plugins/referral/binding.ts'
import { PASSWORD, signUpScene } from '../sign-up/scene.ts'
import { newPerson } from '../support/people.ts'

const scene = await signUpScene({ more: '[referral]\nshare = 0.1' })
afterAll(() => scene[Symbol.asyncDispose]())
const { gateway } = scene
const { store } = gateway
const bob = await gateway.account('bob')
await newPerson(store, { account_id: bob.id, role: 'owner' }, { name: 'bob', email: 'bob.miller@gmail.com' })
const making = { randomBytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)), now_ms: 1 }
const code = await referralCodeOf(store, bob.id, making)

const referrerOf = async (name: string): Promise<number | undefined> =>
  (
    await store.rows<{ referrer_id: number }>(
      `SELECT referrer_id FROM referrals JOIN accounts ON accounts.id = referrals.account_id WHERE name = '${name}'`,
    )
  )[0]?.referrer_id

async function signUp(name: string, email: string, refs: { started?: string; finished?: string }) {
  const stranger = scene.stranger()
  const ask = await stranger.ask(email, refs.started === undefined ? {} : { ref: refs.started })
  expect(ask.status).toBe(200)
  const token = await scene.tokenFor(email)
  const ref = refs.finished === undefined ? {} : { ref: refs.finished }
  const finished = await stranger.finish({ token, name, password: PASSWORD, terms: null, ...ref })
  expect(finished.status).toBe(200)
}

describe('a person who signs up', () => {
  test('by a link is bound to its account, and the mail’s link has the code, for another browser', async () => {
    await signUp('carla', 'carla@example.com', { started: code, finished: code })
    expect(await referrerOf('carla')).toBe(bob.id)
    const [mail] = await scene.mailsTo('carla@example.com', 1)
    expect(mail?.text).toContain(`/console/sign-up/confirm?ref=${code}#`)
    const [line] = await store.rows<{ subject: string }>(
      "SELECT subject FROM actions WHERE action = 'account.referred'",
    )
    expect(line?.subject).toBe(String(bob.id))
  })

  test.each([
    ['without a link', 'dora', 'dora@example.com', undefined],
    ['by an unknown link', 'emil', 'emil@example.com', 'nobody00'],
    ['by their own link, with another spelling of their mailbox', 'bob2', 'bobmiller+2@googlemail.com', code],
  ])('%s is not bound', async (_, name, email, ref) => {
    await signUp(name, email, { ...(ref === undefined ? {} : { finished: ref }) })
    expect(await referrerOf(name)).toBeUndefined()
  })

  test('with an invalid code is refused', async () => {
    expect((await scene.stranger().ask('x@example.com', { ref: 'A"b' })).status).toBe(400)
  })
})

test('a later link does nothing', async () => {
  const eve = await gateway.account('eve')
  const carla = (await store.rows<{ id: number }>("SELECT id FROM accounts WHERE name = 'carla'"))[0]?.id ?? 0
  const other = await referralCodeOf(store, eve.id, making)
  const referred = { code: other, account_id: carla, email: 'carla@example.com' }
  await store.begin(async (tx) => {
    await tx.lock(carla)
    await bindReferral(tx, referred, 2)
  })
  expect(await referrerOf('carla')).toBe(bob.id)
})

test('the link of a closed account binds nobody', async () => {
  const gone = await gateway.account('gone')
  const link = await referralCodeOf(store, gone.id, making)
  await store.write((db) => db.rows(`INSERT INTO closed_accounts VALUES (${gone.id}, 0)`))
  await signUp('frida', 'frida@example.com', { finished: link })
  expect(await referrerOf('frida')).toBeUndefined()
})

test('a link is made once for many requests at once', async () => {
  const { id } = await gateway.account('greta')
  const all = await Promise.all(Array.from({ length: 20 }, () => referralCodeOf(store, id, making)))
  expect(new Set(all).size).toBe(1)
})
