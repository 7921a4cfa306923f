// Images that are stored when the ledger can no longer commit: they can be fetched, so they are charged.
import { afterAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import { PICTURE } from '../support/catalogue.ts'
import { eventually } from '../support/eventually.ts'
import { scene } from '../support/scene.ts'
import { MAX_BUSY_WAIT_MS } from '../support/write-lock.ts'
import { draws, PNG } from './support.ts'

/** Runs when the rows of the images are written, before they are charged. */
let onStored = () => {}

const shared = await scene({
  script: draws(PNG),
  max_busy_wait_ms: MAX_BUSY_WAIT_MS,
  probe: (point) => {
    if (point === 'images.stored') onStored()
  },
})
afterAll(() => shared[Symbol.asyncDispose]())

test('the error says so, the charge follows, and the images are in the history at their price', async () => {
  const { call, gateway } = shared
  const other = openDatabase(join(gateway.data_folder, 'tollgate.db'))
  onStored = () => void other.run('BEGIN IMMEDIATE')
  const once = { headers: { 'idempotency-key': 'stored' } }
  const request = { model: PICTURE, prompt: 'A cat.' }
  const response = await call('/v1/images/generations', request, once)
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
  expect(await response.json()).toMatchObject({
    error: {
      code: 'ledger_unavailable',
      message: expect.stringContaining('The images are stored and will be charged: GET /api/images/history'),
    },
  })
  const history = async () =>
    (await (await call('/api/images/history')).json()) as {
      images: { id: string; state: string; cost: string | null }[]
    }
  expect((await history()).images).toMatchObject([{ state: 'stored', cost: null }])

  onStored = () => {}
  other.run('ROLLBACK')
  other.close()
  await eventually('the charge is written', async () => (await history()).images[0]?.cost !== null)
  const { calls } = await gateway.atRest()
  expect(calls).toMatchObject([{ outcome: 'broken', status: 200, images: 1, cost_nanos: 40_000_000 }])
  const [image] = (await history()).images
  expect((await call(`/api/images/${image?.id}`)).status).toBe(200)
  // A client that retries by itself does not generate and pay a second time.
  const again = await call('/v1/images/generations', request, once)
  expect([again.status, shared.upstream.requests.length]).toEqual([409, 1])
}, 60_000)
