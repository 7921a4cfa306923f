// silent.md, Upload and files: "`GET /api/v1/files` lists with the quota used; `GET` and `DELETE` one by key", each account its own.
import { describe, expect, test } from 'bun:test'

import { storeKeyOf } from '../../src/library/names.ts'
import { FILE_QUOTA_BYTES } from '../../src/media/limits.ts'
import { paint } from '../media/support.ts'
import { expectRefused, storedIn } from '../support/image-refusals.ts'
import { fileScene } from '../support/scene.ts'
import { type Uploaded, upload, usedBytes } from './support.ts'

const { gateway } = await fileScene()

interface Page {
  files: Uploaded[]
  next_cursor: number | null
  quota: { used_bytes: number; limit_bytes: number }
}

const png = await paint('png')
const NOT_FOUND = [404, 'IMAGE_NOT_FOUND'] as const
const at = (path: string, key?: string, method = 'GET') =>
  gateway.call(`/api/v1/files${path}`, undefined, { key, method })
const page = async (key: string, query = '') => (await (await at(query, key)).json()) as Page

describe('GET /api/v1/files', () => {
  test('lists the newest first, in pages, with the quota', async () => {
    const key = await gateway.caller('0')
    const made: Uploaded[] = []
    for (const filename of ['1.png', '2.png', '3.png', '4.png', '5.png'])
      made.push(...(await upload(gateway, key, { bytes: png, filename })))
    const quota = { used_bytes: 5 * png.length, limit_bytes: FILE_QUOTA_BYTES }
    expect(await page(key)).toEqual({
      files: made.toReversed().map((file) => ({ ...file, state: 'stored' })),
      next_cursor: null,
      quota,
    })
    const first = await page(key, '?limit=2')
    expect(first.files.map(({ name }) => name)).toEqual(['5.png', '4.png'])
    await upload(gateway, key, { bytes: png, filename: 'meanwhile.png' })
    await at(`/${made[1]?.key}`, key, 'DELETE')
    const second = await page(key, `?limit=2&cursor=${first.next_cursor}`)
    expect([second.files.map(({ name }) => name), second.next_cursor]).toEqual([['3.png', '1.png'], null])
  })

  test('is empty for an account without files', async () => {
    expect(await page(await gateway.caller('0'))).toEqual({
      files: [],
      next_cursor: null,
      quota: { used_bytes: 0, limit_bytes: FILE_QUOTA_BYTES },
    })
  })

  test.each([
    '?limit=0',
    '?limit=1001',
    '?limit=x',
    '?cursor=-1',
    '?cursor=',
    '?offset=1',
    '?limit=1&limit=2',
  ])('%s is refused', async (query) => {
    const before = await storedIn(gateway)
    await expectRefused(gateway, before, await at(query, await gateway.caller('0')), [400, 'invalid_request'])
  })
})

describe('GET /api/v1/files/{key}', () => {
  test('sends the bytes with their own type, and headers that keep a browser from running them', async () => {
    const key = await gateway.caller('0')
    const [file] = await upload(gateway, key, { bytes: png, filename: 'page.html' })
    const response = await at(`/${file?.key}`, key)
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining('sandbox'),
      'cache-control': expect.stringContaining('private'),
      'content-disposition': 'inline; filename="page.png"',
      'x-request-id': expect.stringMatching(/^req_/),
    })
    expect(await response.bytes()).toEqual(new Uint8Array(png))
  })

  test('the slashes of the key may be escaped', async () => {
    const key = await gateway.caller('0')
    const [file] = await upload(gateway, key, { bytes: png })
    expect((await at(`/${encodeURIComponent(file?.key ?? '')}`, key)).status).toBe(200)
  })

  test('a file whose bytes are no longer on the disk is not found', async () => {
    const key = await gateway.caller('0')
    const [file] = await upload(gateway, key, { bytes: png })
    await gateway.files.files.remove(storeKeyOf(file?.key ?? ''))
    expect((await at(`/${file?.key}`, key)).status).toBe(404)
    await at(`/${file?.key}`, key, 'DELETE')
    await gateway.rest()
  })
})

describe('DELETE /api/v1/files/{key}', () => {
  test('removes row and bytes, and frees their part of the quota', async () => {
    const key = await gateway.caller('0')
    const before = await storedIn(gateway)
    const [file] = await upload(gateway, key, { bytes: png })
    const response = await at(`/${file?.key}`, key, 'DELETE')
    expect([response.status, await response.json()]).toEqual([200, { key: file?.key, deleted: true }])
    expect(await storedIn(gateway)).toEqual(before)
    expect(await usedBytes(gateway, key)).toBe(0)
    for (const method of ['GET', 'DELETE'])
      await expectRefused(gateway, before, await at(`/${file?.key}`, key, method), NOT_FOUND)
  })

  test('removes the file only once if called twice at once', async () => {
    const key = await gateway.caller('0')
    const [file] = await upload(gateway, key, { bytes: png })
    const both = await Promise.all([1, 2].map(() => at(`/${file?.key}`, key, 'DELETE')))
    expect(both.map(({ status }) => status).sort()).toEqual([200, 404])
    expect(await usedBytes(gateway, key)).toBe(0)
    await gateway.rest()
  })
})

describe.each(['GET', 'DELETE'])('%s', (method) => {
  test("another account's file: 404, and it stays", async () => {
    const [file] = await upload(gateway, await gateway.caller('0'), { bytes: png })
    const before = await storedIn(gateway)
    await expectRefused(
      gateway,
      before,
      await at(`/${file?.key}`, await gateway.caller('0'), method),
      NOT_FOUND,
    )
  })

  test.each([
    '/files/1/../../tollgate.db',
    '/files/1/..%2f..%2ftollgate.db',
    '/..%2f..%2ftollgate.toml',
    '/%2e%2e/%2e%2e/tollgate.db',
    '/tollgate.db',
    '/files/1/',
    '/files/%00',
    '/files/1/.incoming',
    "/files/1/'%20OR%201=1",
    '/%ff',
    '/%2525',
    `/files/1/${crypto.randomUUID()}_cat.png`,
  ])('of %s: 404', async (path) => {
    const before = await storedIn(gateway)
    const response = await at(path, await gateway.caller('0'), method)
    expect(response.status).toBe(404)
    expect(await storedIn(gateway)).toEqual(before)
  })

  test('without a key: 401', async () => {
    const [file] = await upload(gateway, await gateway.caller('0'), { bytes: png })
    const before = await storedIn(gateway)
    const refusal = [401, 'invalid_api_key'] as const
    await expectRefused(gateway, before, await at(`/${file?.key}`, undefined, method), refusal)
    await expectRefused(gateway, before, await at('/files/1/none', undefined, method), refusal)
  })
})
