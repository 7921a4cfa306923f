// Files in the console: uploads, the quota, and the access of accounts and operators.
import { describe, expect, test } from 'bun:test'
import { accountByName } from '../../src/access/accounts.ts'
import { type ConsoleSession, sessionsOf } from '../console/portal.ts'
import { paint } from '../media/support.ts'
import { fileGateway } from '../support/gateway.ts'

const PATH = '/console/api/files'
const PNG = await paint('png', { width: 48, height: 32 })

const gateway = await fileGateway()
const { alice, bob, operator } = await sessionsOf(gateway)

const formOf = (...names: string[]): FormData => {
  const form = new FormData()
  for (const name of names) form.append('files', new File([new Uint8Array(PNG)], name, { type: 'image/png' }))
  return form
}

const upload = async (...names: string[]): Promise<string[]> => {
  const answer = await alice.askRaw(PATH, formOf(...names))
  expect(answer.status).toBe(200)
  return ((await answer.json()) as { uploaded: { key: string }[] }).uploaded.map(({ key }) => key)
}

interface Files {
  files: { key: string; name: string | null; bytes: number; width: number; height: number }[]
  quota: { used_bytes: number; limit_bytes: number }
}
const listed = async (session: ConsoleSession, query = ''): Promise<Files> =>
  (await (await session.ask(`${PATH}${query}`)).json()) as Files

const at = (key: string, of = '', more = '') => `${PATH}${of}?key=${encodeURIComponent(key)}${more}`

test('files are uploaded, listed with the quota, and deleted', async () => {
  const [key = '', other = ''] = await upload('a cat.png', 'dog.png')
  const { files, quota } = await listed(alice)
  expect(files.map(({ name }) => name)).toEqual(['dog.png', 'a-cat.png'])
  expect(files[0]).toMatchObject({ key: other, bytes: PNG.length, width: 48, height: 32 })
  expect(quota).toEqual({ used_bytes: 2 * PNG.length, limit_bytes: 200 * 1024 * 1024 })
  expect((await alice.ask(at(key), undefined, { method: 'DELETE' })).status).toBe(200)
  expect((await listed(alice)).quota.used_bytes).toBe(PNG.length)
  expect((await alice.ask(at(key, '/picture'))).status).toBe(404)
  await gateway.rest()
})

test('the picture has the original bytes, and the thumbnail is a WebP', async () => {
  const [key = ''] = await upload('cat.png')
  const picture = await alice.ask(at(key, '/picture'))
  expect(Buffer.compare(await picture.bytes(), PNG)).toBe(0)
  expect(picture.headers.get('cache-control')).toBe('private, max-age=86400, immutable')
  expect((await alice.ask(at(key, '/thumbnail'))).headers.get('content-type')).toBe('image/webp')
})

test('a file that is not an image is refused, and nothing of it is kept', async () => {
  const form = new FormData()
  form.append('files', new File(['no image'], 'cat.png', { type: 'image/png' }))
  const before = (await listed(alice)).quota
  const answer = await alice.askRaw(PATH, form)
  expect([answer.status, await answer.json()]).toMatchObject([
    400,
    { error: { code: 'IMAGE_TYPE_UNSUPPORTED' } },
  ])
  expect((await listed(alice)).quota).toEqual(before)
})

test("a file that the operator deletes has a line in the account's audit log", async () => {
  const [key = ''] = await upload('not wanted.png')
  expect((await operator.ask(at(key), undefined, { method: 'DELETE' })).status).toBe(200)
  const log = await alice.ask('/console/api/audit-log?area=account')
  const { actions } = (await log.json()) as { actions: object[] }
  expect(actions[0]).toMatchObject({ action: 'file.deleted', by: 'operator', before: { file: key } })
})

describe('files of another account', () => {
  test('are 404, and stay', async () => {
    const [key = ''] = await upload('mine.png')
    for (const of of ['/picture', '/thumbnail']) expect((await bob.ask(at(key, of))).status).toBe(404)
    expect((await bob.ask(at(key), undefined, { method: 'DELETE' })).status).toBe(404)
    expect((await bob.ask(`${PATH}?account=alice`)).status).toBe(404)
    expect((await listed(bob)).files).toEqual([])
    expect((await alice.ask(at(key, '/picture'))).status).toBe(200)
    const { id: own_id } = await accountByName(gateway.store, 'alice')
    const { id: bobs_id } = await accountByName(gateway.store, 'bob')
    expect((await alice.ask(`${PATH}?account=${own_id}`)).status).toBe(200)
    expect((await alice.ask(`${PATH}?account=${bobs_id}`)).status).toBe(404)
  })

  test('are listed to the operator without names and pictures, which the operator must ask for', async () => {
    const [key = ''] = await upload('secret.png')
    expect((await operator.ask(PATH)).status).toBe(400)
    expect((await listed(operator, '?account=alice')).files[0]).toMatchObject({ key, name: null })
    expect((await operator.ask(at(key, '/picture'))).status).toBe(403)
    expect((await listed(operator, '?account=alice&content=shown')).files[0]).toMatchObject({
      name: 'secret.png',
    })
    expect((await operator.ask(at(key, '/picture', '&content=shown'))).status).toBe(200)
  })
})

test('an upload from a page of another origin is refused', async () => {
  const before = (await listed(alice)).quota
  const answer = await alice.askRaw(PATH, formOf('cat.png'), { origin: 'https://evil.example' })
  expect(answer.status).toBe(403)
  expect((await listed(alice)).quota).toEqual(before)
})
