// A list of the console: the rows and fields for each viewer, in pages and as a file.
import { beforeAll, describe, expect, test } from 'bun:test'
import { Elysia } from 'elysia'
import { plugins } from '../../plugins/index.ts'
import { refused_requests } from '../../plugins/refusals/index.ts'
import { consoleList } from '../../src/app/list/pages.ts'
import { definePlugin } from '../../src/app/plugin.ts'
import { viewerCalls } from '../../src/app/surface/console/calls.ts'
import { type ConsoleClient, signedIn } from '../support/console-session.ts'
import { fileGateway } from '../support/gateway.ts'

/** Refused requests as a list of pages, as a list for accounts only and for operators only, and by a query that ignores its filter. */
const trial = definePlugin({
  name: 'trial',
  console_routes: async () => (gateway) => {
    const list = consoleList(gateway, refused_requests)
    const whole = consoleList(gateway, { ...refused_requests, of: 'account' })
    const operators = consoleList(gateway, { ...refused_requests, of: 'operator' })
    const forgetful = consoleList(gateway, {
      ...refused_requests,
      read: (db, filter, page, reading) =>
        refused_requests.read(db, { ...filter, account_id: undefined, key_ids: undefined }, page, reading),
    })
    return new Elysia({ name: 'trial' })
      .use(viewerCalls(gateway))
      .get('/console/api/trial', ({ viewer, query }) => list.page(viewer, query), list.page_route)
      .get('/console/api/trial.csv', ({ viewer, query }) => list.file(viewer, query), list.file_route)
      .get('/console/api/whole', ({ viewer, query }) => whole.page(viewer, query), whole.page_route)
      .get(
        '/console/api/operators',
        ({ viewer, query }) => operators.page(viewer, query),
        operators.page_route,
      )
      .get(
        '/console/api/operators.csv',
        ({ viewer, query }) => operators.file(viewer, query),
        operators.file_route,
      )
      .get(
        '/console/api/forgetful',
        ({ viewer, query }) => forgetful.page(viewer, query),
        forgetful.page_route,
      )
  },
})

const gateway = await fileGateway({ plugins: [...plugins, trial] })
const viewers: Record<string, ConsoleClient> = {}

beforeAll(async () => {
  const alice = await gateway.account('alice')
  const bob = await gateway.account('bob')
  const free = await gateway.key('alice')
  const limited = await gateway.key('alice', { spend_limit_nanos: 1 })
  const add = gateway.db.query(
    `INSERT INTO refusals VALUES (?, ?, ?, ?, ?, 'chat', 'sim-flash', 402, 'insufficient_balance', 'Top it up.')`,
  )
  add.run(1, alice.id, 1, 'req_1', Date.now() - 3)
  add.run(2, alice.id, 2, 'req_2', Date.now() - 2)
  add.run(3, bob.id, 1, 'req_3', Date.now() - 1)
  viewers.operator = await signedIn(gateway, 'operator')
  viewers.account = await signedIn(gateway, { account: 'alice' })
  viewers.key = await signedIn(gateway, { key: free })
  viewers.limited = await signedIn(gateway, { key: limited })
})

const get = async (viewer: string, path: string) => {
  const answer = await viewers[viewer]?.send('GET', path)
  if (!answer) throw new Error(`nobody is signed in as ${viewer}`)
  return answer
}

interface Row {
  id?: number
  request_id: string
  account_display_name: string
}
const rowsFor = async (viewer: string, query = ''): Promise<Row[]> => {
  const answer = await get(viewer, `/trial${query}`)
  expect(answer.status).toBe(200)
  const { refusals } = (await answer.json()) as { refusals: Row[] }
  return refusals
}

describe('pages', () => {
  test.each([
    ['operator', ['req_3', 'req_2', 'req_1']],
    ['account', ['req_2', 'req_1']],
    ['key', ['req_2', 'req_1']],
    ['limited', ['req_2']],
  ])('%s sees %j', async (viewer, ids) => {
    expect((await rowsFor(viewer)).map(({ request_id }) => request_id)).toEqual(ids)
  })

  test('a column for the operator is missing for other viewers, and the rest fits the schema', async () => {
    expect((await rowsFor('operator')).map(({ id }) => id)).toEqual([3, 2, 1])
    for (const viewer of ['account', 'key'])
      for (const row of await rowsFor(viewer)) expect(Object.keys(row)).not.toContain('id')
  })

  test.each([
    ['?limit=1', ['req_3']],
    ['?limit=1&cursor=3', ['req_2']],
    ['?account=bob', ['req_3']],
    ['?key=2', ['req_2']],
    ['?model=other', []],
    ['?since=2099-01-01', []],
  ])('%s', async (query, ids) => {
    expect((await rowsFor('operator', query)).map(({ request_id }) => request_id)).toEqual(ids)
  })

  test.each([
    ['operator', '/trial?colour=red', 400],
    ['operator', '/trial?account=nobody', 404],
    ['account', '/trial?account=bob', 404],
    ['limited', '/trial?key=1', 404],
    ['account', '/trial?since=2026-02-31', 400],
    ['limited', '/whole', 403],
    ['account', '/whole', 200],
    ['operator', '/operators', 200],
    ['account', '/operators', 403],
    ['key', '/operators.csv', 403],
    ['limited', '/operators', 403],
    ['operator', '/forgetful', 200],
    ['account', '/forgetful', 500],
    ['limited', '/forgetful', 500],
  ])('%s, %s: %i', async (viewer, path, status) => {
    expect((await get(viewer, path)).status).toBe(status)
  })
})

test.each([
  ['operator', 'id,refused_utc,request_id', 3],
  ['account', 'refused_utc,request_id,account', 2],
  ['limited', 'refused_utc,request_id,account', 1],
])('the file of %s begins with %s', async (viewer, columns, rows) => {
  const answer = await get(viewer, '/trial.csv')
  expect(answer.headers.get('content-disposition')).toContain('tollgate-refusals-')
  const [head = '', ...lines] = (await answer.text()).trimEnd().split('\r\n')
  expect(head).toStartWith(columns)
  expect(lines.length).toBe(rows)
})
