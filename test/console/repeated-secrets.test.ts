// Requests whose answers show a secret once: sent again after a lost answer, they have the same key, made once.
import { describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { type ConsoleClient, signedIn } from '../support/console-session.ts'
import { fileScene } from '../support/scene.ts'

const { gateway } = await fileScene()
const operator = await signedIn(gateway, 'operator')
await gateway.account('alice', { balance_usd: '10' })
const alice = await signedIn(gateway, { account: 'alice' })
const other = await signedIn(gateway, 'operator')

const requestKey = () => randomBytes(32).toString('base64url')
let count = 0
const nextName = () => {
  count += 1
  return `own-${count}`
}

interface Sent {
  client: ConsoleClient
  path: string
  body: Record<string, unknown>
}

const WAYS: [string, () => Promise<Sent>][] = [
  [
    'a new key by the operator',
    async () => ({
      client: operator,
      path: '/keys',
      body: { account: 'alice', name: nextName(), daily_limit: '5' },
    }),
  ],
  [
    'a new key without a name by its account',
    async () => ({ client: alice, path: '/keys', body: { models: ['sim-*'] } }),
  ],
  [
    'a rotation at once',
    async () => {
      const { key } = await alice.json('POST', '/keys', { name: nextName() })
      return { client: alice, path: `/keys/${key.id}/rotate`, body: { grace_s: 0 } }
    },
  ],
]
const counts = async () => {
  await gateway.rest()
  const { accounts, keys, entries } = gateway.rows()
  return [accounts.length, keys.length, entries.length]
}
const keyOf = ({ text, key }: { text: string; key: { id: number } }) => ({ text, id: key.id })

describe.each(WAYS)('%s', (_, begin) => {
  test('sent again has the same answer, and makes nothing', async () => {
    const { client, path, body } = await begin()
    const sent = { ...body, request_key: requestKey() }
    const first = await client.json('POST', path, sent)
    const before = await counts()
    expect(keyOf(await client.json('POST', path, sent))).toEqual(keyOf(first))
    expect(await counts()).toEqual(before)
    const usable = await gateway.call('/v1/models', undefined, { key: first.text })
    expect(usable.status).toBe(200)
  })

  test('sent several times at once makes one key', async () => {
    const { client, path, body } = await begin()
    const sent = { ...body, request_key: requestKey() }
    const answers = await Promise.all([1, 2, 3].map(() => client.json('POST', path, sent)))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    const [answer] = answers
    const rows = gateway.rows().keys.filter(({ prefix }) => prefix === answer.text.slice(0, 10))
    expect(rows).toHaveLength(1)
  })

  test('stores neither its request key nor the secret', async () => {
    const { client, path, body } = await begin()
    const request_key = requestKey()
    const { text } = await client.json('POST', path, { ...body, request_key })
    await gateway.rest()
    const rows = JSON.stringify(gateway.rows())
    for (const secret of [request_key, text]) expect(rows).not.toContain(secret)
    expect(gateway.log.text()).not.toContain(request_key)
  })

  test('is refused as a repeat once its key is revoked', async () => {
    const { client, path, body } = await begin()
    const sent = { ...body, request_key: requestKey() }
    const { id } = keyOf(await client.json('POST', path, sent))
    await other.json('POST', `/keys/${id}/revoke`)
    const before = await counts()
    const refused = await client.send('POST', path, { body: sent })
    const { error } = (await refused.json()) as { error: object }
    expect({ status: refused.status, ...error }).toMatchObject({ status: 409, code: 'request_key_used' })
    expect(await counts()).toEqual(before)
  })

  test.each(['', 'short', '1'.repeat(42), `${'a'.repeat(43)} `, 'ä'.repeat(43), 'a'.repeat(129), 7])(
    'a request key that is not random enough is 400: %p',
    async (request_key) => {
      const { client, path, body } = await begin()
      const before = await counts()
      expect((await client.send('POST', path, { body: { ...body, request_key } })).status).toBe(400)
      expect(await counts()).toEqual(before)
    },
  )
})

test('another content under the same request key is another request', async () => {
  const request_key = requestKey()
  const first = await operator.json('POST', '/keys', { account: 'alice', name: nextName(), request_key })
  const second = await operator.json('POST', '/keys', { account: 'alice', name: nextName(), request_key })
  expect(second.text).not.toBe(first.text)
})
