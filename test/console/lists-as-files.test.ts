// Each list as a file: the rows that its page lists under the same filter, and nothing that its page hides.
import { describe, expect, test } from 'bun:test'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { signedIn } from '../support/console-session.ts'
import { fileGateway } from '../support/gateway.ts'

const gateway = await fileGateway({ catalogue: FIRST_CATALOGUE })
for (const name of ['alice', 'bob', 'cora']) await gateway.account(name, { balance_usd: '5' })
const key = await gateway.key('alice', { name: 'laptop' })
await gateway.key('bob', { name: 'web' })
const image = await gateway.call(
  '/v1/images/generations',
  { model: 'sim-image', prompt: 'a secret garden', size: '512x512' },
  { key },
)
await image.arrayBuffer()
await gateway.rest()
const operator = await signedIn(gateway, 'operator')
const alice = await signedIn(gateway, { account: 'alice' })

const linesOf = async (client: typeof operator, path: string): Promise<string[]> => {
  const answer = await client.send('GET', path)
  expect([path, answer.status, answer.headers.get('content-type')]).toEqual([
    path,
    200,
    'text/csv; charset=utf-8',
  ])
  return (await answer.text()).trimEnd().split('\r\n').slice(1)
}

describe('a file has the rows of its list', () => {
  test.each<
    [
      list: string,
      filter: string,
      rows: 'sessions' | 'accounts' | 'keys' | 'models' | 'providers' | 'images' | 'calls' | 'entries',
    ]
  >([
    ['accounts', '', 'accounts'],
    ['accounts', '?search=al', 'accounts'],
    ['accounts', '?low=yes', 'accounts'],
    ['accounts', '?order=-balance', 'accounts'],
    ['keys', '', 'keys'],
    ['keys', '?account=bob', 'keys'],
    ['models', '', 'models'],
    ['providers', '', 'providers'],
    ['images', '', 'images'],
    ['images', '?kind=edit', 'images'],
    ['calls', '?account=alice', 'calls'],
    ['entries', '?account=bob', 'entries'],
    ['sessions', '', 'sessions'],
    ['sessions', '?whose=all', 'sessions'],
  ])('%s%s', async (list, filter, rows) => {
    const page = await operator.json('GET', `/${list}${filter}`)
    expect((await linesOf(operator, `/${list}.csv${filter}`)).length).toBe(page[rows].length)
  })
})

test.each(['accounts.csv', 'providers.csv', 'backups.csv'])('%s is for the operator', async (file) => {
  expect((await alice.send('GET', `/${file}`)).status).toBe(403)
})

test.each(['keys.csv?account=bob', 'images.csv?account=bob', 'files.csv?account=bob'])(
  '%s is not found for another account',
  async (file) => {
    expect((await alice.send('GET', `/${file}`)).status).toBe(404)
  },
)

test('an account has its own rows, without margins and routes', async () => {
  expect(await linesOf(alice, '/keys.csv')).toHaveLength(1)
  const answer = await alice.send('GET', '/models.csv')
  expect(await answer.text()).not.toContain('provider')
})

test('prompts are in the operator’s file only on request, which is logged', async () => {
  expect((await linesOf(alice, '/images.csv')).join()).toContain('a secret garden')
  expect((await linesOf(operator, '/images.csv')).join()).not.toContain('secret')
  expect((await linesOf(operator, '/images.csv?content=shown')).join()).toContain('a secret garden')
  expect(gateway.log.text()).toContain('operator viewed private content of an account')
})

test.each(['calls.csv?limit=5', 'accounts.csv?cursor=1', 'keys.csv?colour=red'])(
  '%s is refused: a file has no pages, and only the filters of its list',
  async (file) => {
    expect((await operator.send('GET', `/${file}`)).status).toBe(400)
  },
)
