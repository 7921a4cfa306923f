// The last way to sign in: nobody can remove it from themselves, not even by two changes at once; only usable ways count.
import { afterAll, expect, test } from 'bun:test'
import { lockPerson } from '../../src/access/people.ts'
import { passkeyQueries, passwordQueries } from '../../src/access/session-queries.ts'
import { requireSignInWay, type SignInWay } from '../../src/access/sign-in-ways.ts'
import { passkeys } from '../../src/store/schema.ts'
import { givePasswords } from '../support/console.ts'
import { startTestGateway } from '../support/gateway.ts'
import { personAtConsole } from '../support/people.ts'

const gateway = await startTestGateway()
afterAll(() => gateway.stop())
const { store } = gateway
const { id: account_id } = await gateway.account('anna')
const person_id = await personAtConsole(store, account_id)
const way = (more: Partial<SignInWay>): SignInWay => ({ name: 'x', isOffered: () => true, ...more })
const requireWay = (ways: readonly SignInWay[]) => store.begin((tx) => requireSignInWay(tx, ways, person_id))
const LAST = { code: 'last_way_to_sign_in' }

test.each<[string, SignInWay[]]>([
  ['no way at all', []],
  ['a way for strangers', [way({})]],
  ['a way that the person does not have', [way({ isOf: () => false })]],
  ['a way of another person', [way({ isOf: (_, id) => id !== person_id })]],
  [
    'a way that is not offered, such as a link without a mail server',
    [way({ isOf: () => true, isOffered: () => false })],
  ],
])('%s does not count', async (_, ways) => {
  await store.begin((tx) => passwordQueries(tx).remove.run({ person_id }))
  await expect(requireWay(ways)).rejects.toMatchObject(LAST)
})

test('a way of the person counts, whether or not it confirms their identity', async () => {
  for (const confirms of [true, false])
    await requireWay([way({ isOf: (_, id) => id === person_id, confirms })])
})

test('a password counts', async () => {
  await givePasswords(gateway, ['anna'])
  await requireWay([])
})

test('of two simultaneous changes that remove the last two ways, one is refused', async () => {
  const has_passkey: SignInWay = way({
    isOf: async (db) => (await db.rows(`SELECT id FROM passkeys WHERE person_id = ${person_id}`)).length > 0,
  })
  const key = { credential_id: Buffer.from('c'), public_key: Buffer.from('p'), counter: 0, transports: [] }
  await store.begin((tx) =>
    tx.orm.insert(passkeys).values({ ...key, person_id, name: 'laptop', created_at_ms: 1 }),
  )
  const without = (remove: 'password' | 'passkey') =>
    store.begin(async (tx) => {
      await lockPerson(tx, person_id)
      if (remove === 'password') await passwordQueries(tx).remove.run({ person_id })
      else await passkeyQueries(tx).removeOfPerson.run({ person_id })
      await requireSignInWay(tx, [has_passkey], person_id)
    })
  const ends = await Promise.allSettled([without('password'), without('passkey')])
  expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect(ends.find(({ status }) => status === 'rejected')).toMatchObject({ reason: LAST })
})
