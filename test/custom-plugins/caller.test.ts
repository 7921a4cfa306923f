// `gateway.authenticate`: a route of a plugin gets the account and the key of a request, and refuses the callers that the gateway refuses.
import { describe, expect, test } from 'bun:test'
import { suspendAccount } from '../../src/access/accounts.ts'
import { catalogueOf } from '../support/catalogue.ts'
import { fileGateway } from '../support/gateway.ts'

const PLUGIN = `export default ({ app, Elysia, gateway }) => {
  app.get('/mine', ({ request }) => gateway.authenticate(request))
  app.get('/frozen', async ({ request }) => {
    const caller = await gateway.authenticate(request)
    return { frozen: Object.isFrozen(caller) && Object.isFrozen(caller.account) && Object.isFrozen(caller.key) }
  })
  app.get('/either', async ({ request }) => {
    try { return (await gateway.authenticate(request)).account.name } catch { return 'anybody' }
  })
  return new Elysia().get('/inner/mine', ({ request }) => gateway.authenticate(request))
}`

const gateway = await fileGateway({
  own_plugins: { 'mine.ts': PLUGIN },
  catalogue: catalogueOf({ upstream_url: 'simulator', more: '[limits]\nreads_per_minute = 20\n' }),
})
for (const name of ['anna', 'bert']) await gateway.account(name)

test.each(['bearer', 'x-api-key'] as const)(
  '%s: the account and the key, by their numbers and names',
  async (form) => {
    const key = await gateway.key('anna', { name: `desk-${form}` })
    const { accounts, keys } = gateway.rows()
    for (const path of ['/mine', '/inner/mine']) {
      const response = await gateway.call(path, undefined, { key, form })
      expect([response.status, await response.json()]).toEqual([
        200,
        {
          account: { id: accounts.find(({ name }) => name === 'anna')?.id ?? 0, name: 'anna' },
          key: { id: keys.at(-1)?.id ?? 0, name: `desk-${form}`, prefix: key.slice(0, 10) },
        },
      ])
    }
  },
)

test('the caller cannot be changed by a plugin', async () => {
  const key = await gateway.key('anna', { name: 'frozen' })
  expect(await (await gateway.call('/frozen', undefined, { key })).json()).toEqual({ frozen: true })
})

describe('a route refuses as the gateway itself, in the plain shape', () => {
  const errorOf = async (path: string, options: { key?: string } = {}) => {
    const response = await gateway.call(path, undefined, options)
    const { error } = (await response.json()) as { error: { message: string } }
    return [response.status, error.message]
  }

  test.each(['/mine', '/inner/mine'])('%s without a key, or with an invalid one', async (path) => {
    expect(await errorOf(path)).toEqual([401, expect.stringContaining('none was sent')])
    expect(await errorOf(path, { key: 'tg_nothing' })).toEqual([
      401,
      expect.stringContaining('it is not valid'),
    ])
  })

  test('an expired key, and one that may not be used from here', async () => {
    const expired = await gateway.key('anna', { name: 'expired' })
    gateway.db.run("UPDATE keys SET expires_at_ms = 1 WHERE name = 'expired'")
    expect(await errorOf('/mine', { key: expired })).toEqual([401, expect.stringContaining('it has expired')])
    const elsewhere = await gateway.key('anna', { name: 'elsewhere', addresses: ['203.0.113.7'] })
    expect(await errorOf('/mine', { key: elsewhere })).toEqual([
      403,
      expect.stringContaining('network address'),
    ])
    const here = await gateway.key('anna', { name: 'here', addresses: ['127.0.0.0/8'] })
    expect((await gateway.call('/mine', undefined, { key: here })).status).toBe(200)
  })

  test('a suspended account', async () => {
    const key = await gateway.key('bert', { name: 'desk' })
    await suspendAccount(gateway.store, 'bert', { now_ms: 0 })
    expect(await errorOf('/mine', { key })).toEqual([403, expect.stringContaining('is suspended')])
  })

  test('over the limit of free reads', async () => {
    const key = await gateway.key('anna', { name: 'eager' })
    const statuses: number[] = []
    for (let times = 0; times < 21; times += 1)
      statuses.push((await gateway.call('/mine', undefined, { key })).status)
    expect(statuses).toEqual([...Array(20).fill(200), 429])
  })
})

test('a route that catches the error serves anybody', async () => {
  expect(await (await gateway.call('/either')).text()).toBe('anybody')
})
