// The rate limit of free reads: 429 in the surface's shape, with retry-after.
import { expect, test } from 'bun:test'
import { fileScene } from '../../support/scene.ts'

let names = 0
const { gateway } = await fileScene({ more: '[limits]\nreads_per_minute = 3' })
await gateway.account('reader')

test.each([
  ['/api/v1/account', { error: { type: 'rate_limited' } }],
  ['/api/v1/usage?sums=day', { error: { type: 'rate_limited' } }],
  ['/api/images/history', { error: { type: 'invalid_request_error', code: 'rate_limit_exceeded' } }],
  ['/api/v1/files', { error: { code: 'rate_limit_exceeded' } }],
  ['/v1/models', { error: { type: 'rate_limit_error' } }],
])('%s', async (path, refusal) => {
  const key = await gateway.key('reader', { name: `first${names++}` })
  const read = () => gateway.call(path, undefined, { key })
  for (const _ of [1, 2, 3]) expect((await read()).status).toBe(200)
  const refused = await read()
  expect(refused.status).toBe(429)
  expect(refused.headers.get('retry-after')).toBe('60')
  expect((await refused.json()) as object).toMatchObject(refusal)
  // Each key has its own limit.
  const other = await gateway.key('reader', { name: `other${names++}` })
  expect((await gateway.call(path, undefined, { key: other })).status).toBe(200)
})

test('requests with an unknown key get 401, however many they are', async () => {
  for (let i = 0; i < 5; i++)
    expect((await gateway.call('/api/v1/account', undefined, { key: 'tg_nobody' })).status).toBe(401)
})
