// The last operator who can sign in: no operator can lock everybody out, alone or by simultaneous actions.
import { beforeEach, describe, expect, test } from 'bun:test'
import { hasOperator } from '../../src/access/sign-in-links.ts'
import { type ConsoleClient, errorOf, signedIn } from '../support/console-session.ts'
import { fileGateway } from '../support/gateway.ts'
import { newPerson } from '../support/people.ts'

const gateway = await fileGateway({})
const { store } = gateway
const sql = (text: string) => store.write((db) => db.rows(text))

interface Operator {
  id: number
  client: ConsoleClient
}

/** The rows of each way to sign in. */
const WAYS = {
  password: (id: number) =>
    `INSERT INTO passwords (person_id, hash, set_at_ms) VALUES (${id}, '$argon2id$x', 1)`,
  passkey: (
    id: number,
  ) => `INSERT INTO passkeys (person_id, credential_id, public_key, counter, transports, name, created_at_ms)
    VALUES (${id}, randomblob(16), randomblob(77), 0, '[]', 'laptop', 1)`,
  identity: (
    id: number,
  ) => `INSERT INTO identities (person_id, issuer, subject, provider, created_at_ms, last_used_at_ms)
    VALUES (${id}, 'https://id.example.com', 'subject ${id}', 'example', 1, 1)`,
}
type WayIn = keyof typeof WAYS

async function newOperator(way: WayIn | 'none' = 'password'): Promise<Operator> {
  const id = await newPerson(store, { account_id: null, role: 'operator' }, { name: 'Anna' })
  if (way !== 'none') await sql(WAYS[way](id))
  return { id, client: await signedIn(gateway, { person_id: id, account_id: null }) }
}

/** Removes the operators of the previous test. */
async function removeAll(): Promise<void> {
  for (const table of ['sessions', 'passwords', 'passkeys', 'identities', 'staff'])
    await sql(`DELETE FROM ${table}`)
}
beforeEach(removeAll)

const operatorsLeft = async () =>
  (
    await store.rows<{ id: number }>(
      "SELECT people.id FROM people JOIN staff ON staff.person_id = people.id WHERE role = 'operator' AND disabled_at_ms IS NULL",
    )
  ).map(({ id }) => id)

type Ending = (client: ConsoleClient, id: number) => Promise<Response>
const ENDINGS: [string, Ending][] = [
  ['removed', (client, id) => client.send('DELETE', `/staff/${id}`)],
  ['made support', (client, id) => client.send('PATCH', `/staff/${id}`, { body: { role: 'support' } })],
  ['made an auditor', (client, id) => client.send('PATCH', `/staff/${id}`, { body: { role: 'auditor' } })],
  ['disabled', (client, id) => client.send('POST', `/staff/${id}/disable`)],
]

test.each(Object.keys(WAYS) as WayIn[])(
  'an operator with only a %s counts as one who can sign in',
  async (way) => {
    await newOperator('none')
    expect(await hasOperator(store)).toBe(false)
    const { id, client } = await newOperator(way)
    expect(await hasOperator(store)).toBe(true)
    const { staff } = await client.json('GET', '/staff')
    expect(staff.map(({ state }: { state: string }) => state)).toEqual(['invited', 'active'])
    await sql(`UPDATE people SET disabled_at_ms = 1 WHERE id = ${id}`)
    expect(await hasOperator(store)).toBe(false)
  },
)

describe.each(ENDINGS)('the last operator cannot be %s', (_, end) => {
  const REFUSED = {
    status: 409,
    code: 'last_operator',
    message:
      'Anna is the last operator who can sign in. Add another operator first, and wait until they have set a password.',
  }

  test('by themselves', async () => {
    const { id, client } = await newOperator()
    expect(await errorOf(await end(client, id))).toMatchObject(REFUSED)
    expect(await operatorsLeft()).toEqual([id])
  })

  test('if the other one cannot sign in yet', async () => {
    const [anna] = [await newOperator(), await newOperator('none')]
    expect(await errorOf(await end(anna.client, anna.id))).toMatchObject(REFUSED)
  })

  test('if the other one is disabled', async () => {
    const [anna, other] = [await newOperator(), await newOperator()]
    await sql(`UPDATE people SET disabled_at_ms = 1 WHERE id = ${other.id}`)
    expect(await errorOf(await end(anna.client, anna.id))).toMatchObject(REFUSED)
  })

  test('but one of two who can sign in can', async () => {
    const [anna, other] = [await newOperator(), await newOperator()]
    expect((await end(anna.client, other.id)).status).toBe(200)
    expect(await operatorsLeft()).toEqual([anna.id])
  })

  test.each(['passkey', 'identity'] as const)('if their only way to sign in is a %s', async (way) => {
    const { id, client } = await newOperator(way)
    await newOperator('none')
    expect(await errorOf(await end(client, id))).toMatchObject(REFUSED)
    const other = await newOperator()
    expect((await end(other.client, id)).status).toBe(200)
  })

  test.each(['passkey', 'identity'] as const)(
    'but can if the only way to sign in of the other one is a %s',
    async (way) => {
      const [anna] = [await newOperator(), await newOperator(way)]
      expect((await end(anna.client, anna.id)).status).toBe(200)
    },
  )

  test('by two who do it to each other at once', async () => {
    for (let round = 0; round < 10; round++) {
      await removeAll()
      const [one, other] = [await newOperator(), await newOperator()]
      const answers = await Promise.all([end(one.client, other.id), end(other.client, one.id)])
      expect((await operatorsLeft()).length).toBe(1)
      expect(answers.map(({ status }) => status).filter((status) => status === 200).length).toBe(1)
    }
  })

  test('by three who do it to themselves at once', async () => {
    const three = [await newOperator(), await newOperator(), await newOperator()]
    await Promise.all(three.map(({ client, id }) => end(client, id)))
    expect((await operatorsLeft()).length).toBe(1)
  })
})
