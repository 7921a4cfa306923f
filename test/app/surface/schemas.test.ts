// The schemas of the free routes: each route declares each of its statuses, and every response fits.
import { describe, expect, test } from 'bun:test'
import type { TSchema } from '@sinclair/typebox'
import { plugins } from '../../../plugins/index.ts'
import { faultsIn } from '../../../src/domain/validation.ts'
import { answerTo } from '../../kept-responses/support.ts'
import { make, ownerIn } from '../../library/support.ts'
import { paint } from '../../media/support.ts'
import { MODEL } from '../../support/catalogue.ts'
import { answer, ask, wholePath } from '../../support/native.ts'
import { gatewaySpy, routesOf } from '../../support/plugins.ts'
import { fileScene } from '../../support/scene.ts'
import { whole } from '../../support/upstream.ts'
import { formOf, post, upload } from '../../upload/support.ts'

/** Every free route, and the upload. */
const ROUTES = [
  'GET /healthz',
  'GET /readyz',
  'GET /v1/models',
  'GET /v1/models/*',
  'GET /v1beta/models',
  'GET /v1beta/models/*',
  'GET /api/v1/account',
  'GET /api/v1/usage',
  'GET /api/v1/refusals',
  'GET /api/v1/entries',
  'GET /api/v1/events',
  'POST /api/v1/upload',
  'GET /api/v1/files',
  'GET /api/v1/files/*',
  'DELETE /api/v1/files/*',
  'GET /v1/responses/:id',
  'GET /v1/responses/:id/input_items',
  'DELETE /v1/responses/:id',
  'GET /api/images/history',
  'GET /api/images/:id',
  'DELETE /api/images/:id',
]

const spy = gatewaySpy()
const png = await paint('png')
const { gateway } = await fileScene({
  script: whole(answer()),
  more: '[native]\nextra_methods = true',
  plugins: [...plugins, spy.plugin],
})
const served = await routesOf(spy.gateway(), plugins)
const owner = await ownerIn(gateway)
const { key } = owner
await gateway.call(wholePath(MODEL), ask(), { key })
const [image = ''] = await make(gateway, owner, { cost_nanos: 5 })
await spy.gateway().content.responses.keep(answerTo('resp_1', owner.account.id))
const [first, second] = await upload(gateway, key, { bytes: png }, { bytes: png })
const suspended = await gateway.caller()
gateway.db.run("UPDATE accounts SET status = 'suspended' WHERE id = (SELECT max(id) FROM accounts)")
/** The keys and ids of an account with a call, an image and two uploaded files. */
const made = { key, suspended, image, first: first?.key ?? '', second: second?.key ?? '' }
/** A path with the names in braces filled in. */
const named = (path: string): string =>
  path
    .replace('{image}', made.image)
    .replace('{first}', made.first)
    .replace('{second}', made.second)
    .replace('{model}', MODEL)
    .replace('{unknown}', crypto.randomUUID())

/** The schemas that a route declares, by status. */
function responsesOf(route: string): Record<string, TSchema> {
  const found = served.find(({ method, path }) => `${method} ${path}` === route)
  return (found?.hooks.response ?? {}) as Record<string, TSchema>
}

async function expectFit(route: string, response: Response, status: number): Promise<void> {
  const declared = responsesOf(route)
  expect([route, response.status]).toEqual([route, status])
  expect([route, Object.keys(declared)]).toEqual([route, expect.arrayContaining([String(status)])])
  const schema = declared[status]
  if (!schema || !response.headers.get('content-type')?.startsWith('application/json')) return
  expect([...faultsIn(schema, await response.json())]).toEqual([])
}

test.each(ROUTES)('%s declares its responses', (route) => {
  const statuses = Object.keys(responsesOf(route))
  expect(statuses).toContain('200')
  if (!/healthz|readyz/.test(route)) expect(statuses).toEqual(expect.arrayContaining(['401', '403']))
})

test('every other GET route declares its responses, too', () => {
  const undeclared = served
    .filter(({ method, hooks }) => method === 'GET' && !hooks.response)
    .map(({ path }) => path)
    // Pages and files for browsers, the API reference, metrics, and webhooks of payments are no JSON of a schema of the gateway. The console's API has its own tests.
    .filter(
      (path) =>
        path !== '/' &&
        !/^\/(brand|console|docs|mail|metrics|payments|pricing|robots\.txt|status)(\/|$)/.test(path),
    )
  expect(undeclared).toEqual([])
})

describe('responses fit their schemas', () => {
  test.each<[route: string, path: string, status: number]>([
    ['GET /healthz', '/healthz', 200],
    ['GET /readyz', '/readyz', 200],
    ['GET /v1/models', '/v1/models', 200],
    ['GET /v1/models', '/v1/models?limit=0', 400],
    ['GET /v1beta/models', '/v1beta/models', 200],
    ['GET /v1beta/models', '/v1beta/models?pageSize=x', 400],
    ['GET /v1beta/models/*', '/v1beta/models/{model}', 200],
    ['GET /v1beta/models/*', '/v1beta/models/none', 404],
    ['GET /v1/models/*', '/v1/models/{model}', 200],
    ['GET /v1/models/*', '/v1/models/none', 404],
    ['GET /api/v1/account', '/api/v1/account', 200],
    ['GET /api/v1/account', '/api/v1/account?x=1', 400],
    ['GET /api/v1/usage', '/api/v1/usage', 200],
    ['GET /api/v1/usage', '/api/v1/usage?limit=1', 200],
    ['GET /api/v1/usage', '/api/v1/usage?sums=day', 200],
    ['GET /api/v1/usage', '/api/v1/usage?sums=day&limit=0', 400],
    ['GET /api/v1/refusals', '/api/v1/refusals', 200],
    ['GET /api/v1/refusals', '/api/v1/refusals?limit=0', 400],
    ['GET /api/v1/entries', '/api/v1/entries', 200],
    ['GET /api/v1/entries', '/api/v1/entries?kind=gift', 400],
    ['GET /api/v1/files', '/api/v1/files?limit=1', 200],
    ['GET /api/v1/files', '/api/v1/files?limit=0', 400],
    ['GET /api/v1/files/*', '/api/v1/files/{first}', 200],
    ['GET /api/v1/files/*', '/api/v1/files/none', 404],
    ['DELETE /api/v1/files/*', '/api/v1/files/{second}', 200],
    ['DELETE /api/v1/files/*', '/api/v1/files/none', 404],
    ['GET /v1/responses/:id', '/v1/responses/resp_1', 200],
    ['GET /v1/responses/:id', '/v1/responses/resp_1?stream=true', 400],
    ['GET /v1/responses/:id', '/v1/responses/none', 404],
    ['GET /v1/responses/:id/input_items', '/v1/responses/resp_1/input_items', 200],
    ['GET /v1/responses/:id/input_items', '/v1/responses/resp_1/input_items?limit=0', 400],
    ['GET /v1/responses/:id/input_items', '/v1/responses/none/input_items', 404],
    ['DELETE /v1/responses/:id', '/v1/responses/resp_1', 200],
    ['DELETE /v1/responses/:id', '/v1/responses/resp_1', 404],
    ['GET /api/images/history', '/api/images/history', 200],
    ['GET /api/images/history', '/api/images/history?kind=x', 400],
    ['GET /api/images/:id', '/api/images/{image}', 200],
    ['GET /api/images/:id', '/api/images/1', 400],
    ['GET /api/images/:id', '/api/images/{unknown}', 404],
    ['DELETE /api/images/:id', '/api/images/{image}', 200],
    ['DELETE /api/images/:id', '/api/images/1', 400],
    ['DELETE /api/images/:id', '/api/images/{unknown}', 404],
  ])('%s: %s, %i', async (route, path, status) => {
    const [method = ''] = route.split(' ')
    await expectFit(route, await gateway.call(named(path), undefined, { key: made.key, method }), status)
  })

  test('POST /api/v1/upload', async () => {
    const route = 'POST /api/v1/upload'
    await expectFit(route, await post(gateway, made.key, formOf([{ bytes: png }])), 200)
    await expectFit(route, await post(gateway, made.key, formOf([])), 400)
  })

  test.each(ROUTES.filter((route) => !/healthz|readyz/.test(route)))('%s: 401 and 403', async (route) => {
    const [method = '', pattern = ''] = route.split(' ')
    const path = pattern.replace('*', 'none').replace(':id', crypto.randomUUID())
    await expectFit(route, await gateway.call(path, undefined, { method }), 401)
    await expectFit(route, await gateway.call(path, undefined, { method, key: made.suspended }), 403)
  })

  test('models, in the shape of the messages protocol', async () => {
    const headers = { 'anthropic-version': '2023-06-01' }
    await expectFit('GET /v1/models', await gateway.call('/v1/models', undefined, { headers }), 401)
  })
})
