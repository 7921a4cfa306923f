// silent.md, Images: "`GET /api/images/history`: newest first, `limit`, `cursor`, `model`, `kind`; … `GET /api/images/{id}`:
// the image's bytes, to its owner's key only. `DELETE` too. Deleting keeps the billing record."
import { describe, expect, test } from 'bun:test'
import { failGenerations, findGeneration } from '../../src/library/generations.ts'
import { fileGateway } from '../support/gateway.ts'
import { begin, libraryOf, make, type Owner, ownerIn, PNG, settle } from './support.ts'

const gateway = await fileGateway()

interface Page {
  images: Record<string, unknown>[]
  next_cursor: number | null
}

const at = (path: string, key?: string, method = 'GET') =>
  gateway.call(`/api/images/${path}`, undefined, { key, method })
const page = async ({ key }: Owner, query = '') => (await (await at(`history${query}`, key)).json()) as Page
const idsOf = ({ images }: Page) => images.map(({ id }) => id)
const countFiles = async () => (await Array.fromAsync(libraryOf(gateway).images.list())).length

async function expectRefused(response: Response, status: number, code: string): Promise<void> {
  const body = (await response.json()) as { error: Record<string, unknown> }
  expect([response.status, body]).toMatchObject([status, { error: { type: 'invalid_request_error', code } }])
  expect(body.error.message).toMatch(/\S/)
  expect(response.headers.get('x-request-id')).toMatch(/^req_/)
}

describe('GET /api/images/history', () => {
  test('"id, created, model, prompt, size, format, bytes, cost, state, parents"', async () => {
    const owner = await ownerIn(gateway)
    const before_s = Math.floor(Date.now() / 1000)
    const [first = ''] = await make(gateway, owner, { cost_nanos: 40_000_000 })
    const parents = [first, 'files/1/a.png']
    const [second = ''] = await make(gateway, owner, { kind: 'compose', model: 'other', parents, webp: true })
    const { images, next_cursor } = await page(owner)
    const created = expect.any(Number)
    const shared = {
      created,
      prompt: 'a cat',
      state: 'stored',
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    }
    expect(next_cursor).toBeNull()
    expect(images).toEqual([
      {
        ...shared,
        id: second,
        kind: 'compose',
        model: 'other',
        parents,
        size: '40x30',
        format: 'webp',
        bytes: expect.any(Number),
        cost: '0.00',
        revised_prompt: null,
      },
      {
        ...shared,
        id: first,
        kind: 'generation',
        model: 'm',
        parents: [],
        size: '24x18',
        format: 'png',
        bytes: PNG.length,
        cost: '0.04',
        revised_prompt: 'a gray cat',
      },
    ])
    expect(images[0]?.created).toBeWithin(before_s, before_s + 60)
    await gateway.rest()
  })

  test('the images of one call share its cost to the nano-dollar; a failed one is free', async () => {
    const owner = await ownerIn(gateway)
    await make(gateway, owner, { requested: 4, made: 3, cost_nanos: 100_000_001 })
    const { images } = await page(owner)
    expect(images.map(({ state, cost }) => [state, cost])).toEqual([
      ['failed', '0.00'],
      ['stored', '0.033333333'],
      ['stored', '0.033333333'],
      ['stored', '0.033333335'],
    ])
  })

  test('an image that is still being made has neither size nor cost', async () => {
    const owner = await ownerIn(gateway)
    const { call_id } = await begin(gateway, owner)
    expect((await page(owner)).images).toMatchObject([
      { state: 'generating', size: null, format: null, bytes: null, cost: null },
    ])
    await settle(gateway, call_id, 0, 0)
  })

  test('pages show every image once, even if new ones are made meanwhile', async () => {
    const owner = await ownerIn(gateway)
    const ids: string[] = []
    for (let made = 0; made < 5; made += 1) ids.unshift(...(await make(gateway, owner)))
    const first = await page(owner, '?limit=2')
    await make(gateway, owner)
    const second = await page(owner, `?limit=2&cursor=${first.next_cursor}`)
    const third = await page(owner, `?limit=2&cursor=${second.next_cursor}`)
    expect([...idsOf(first), ...idsOf(second), ...idsOf(third)]).toEqual(ids)
    expect(third.next_cursor).toBeNull()
  })

  test('is filtered by model and kind', async () => {
    const owner = await ownerIn(gateway)
    const [one] = await make(gateway, owner, { model: 'a', kind: 'edit' })
    const [two] = await make(gateway, owner, { model: 'a', kind: 'compose' })
    const [three] = await make(gateway, owner, { model: 'b', kind: 'edit' })
    expect(idsOf(await page(owner, '?model=a'))).toEqual([two, one])
    expect(idsOf(await page(owner, '?kind=edit'))).toEqual([three, one])
    expect(idsOf(await page(owner, '?kind=edit&model=b'))).toEqual([three])
    expect(idsOf(await page(owner, '?model=c'))).toEqual([])
  })

  test("another account's images are not listed", async () => {
    await make(gateway, await ownerIn(gateway))
    expect((await page(await ownerIn(gateway))).images).toEqual([])
  })

  test.each([
    '?limit=0',
    '?limit=1001',
    '?kind=upload',
    '?model=',
    '?cursor=x',
    '?page=2',
    '?kind=edit&kind=edit',
  ])('%s is refused', async (query) => {
    const { key } = await ownerIn(gateway)
    await expectRefused(await at(`history${query}`, key), 400, 'invalid_request')
  })
})

describe('GET /api/images/{id}', () => {
  test("the image's bytes with their own type, and headers that keep browsers from running them", async () => {
    const owner = await ownerIn(gateway)
    const [id = ''] = await make(gateway, owner)
    for (const spelling of [id, id.toUpperCase()]) {
      const response = await at(spelling, owner.key)
      expect(response.status).toBe(200)
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': 'image/png',
        'x-content-type-options': 'nosniff',
        'content-security-policy': expect.stringContaining('sandbox'),
        'cache-control': expect.stringContaining('private'),
      })
      expect(await response.bytes()).toEqual(new Uint8Array(PNG))
    }
  })

  test('an image that is still being made: 409; one that failed: 422', async () => {
    const owner = await ownerIn(gateway)
    const { uuid, call_id } = await begin(gateway, owner)
    const response = await at(uuid, owner.key)
    expect(response.headers.get('retry-after')).toBe('2')
    await expectRefused(response, 409, 'generation_not_ready')
    await failGenerations(gateway.store, [uuid])
    await settle(gateway, call_id, 0, 0)
    await expectRefused(await at(uuid, owner.key), 422, 'generation_not_ready')
  })
})

describe('DELETE /api/images/{id}', () => {
  test('row and bytes are deleted, and the billing record stays', async () => {
    const owner = await ownerIn(gateway)
    const files = await countFiles()
    const [id = '', other = ''] = await make(gateway, owner, { requested: 2, cost_nanos: 500_000 })
    const books = gateway.rows()
    const response = await at(id, owner.key, 'DELETE')
    expect([response.status, await response.json()]).toEqual([200, { id, deleted: true }])
    expect(await countFiles()).toBe(files + 1)
    expect(await findGeneration(gateway.store, owner.account.id, id)).toBeUndefined()
    expect(idsOf(await page(owner))).toEqual([other])
    expect(gateway.rows()).toEqual(books)
    for (const method of ['GET', 'DELETE'])
      await expectRefused(await at(id, owner.key, method), 404, 'generation_not_found')
    await gateway.rest()
  })

  test('a failed image can be deleted; one that is still being made cannot', async () => {
    const owner = await ownerIn(gateway)
    const { uuid, call_id } = await begin(gateway, owner)
    await expectRefused(await at(uuid, owner.key, 'DELETE'), 409, 'generation_not_ready')
    expect((await findGeneration(gateway.store, owner.account.id, uuid))?.state).toBe('generating')
    await failGenerations(gateway.store, [uuid])
    await settle(gateway, call_id, 0, 0)
    expect((await at(uuid, owner.key, 'DELETE')).status).toBe(200)
    await gateway.rest()
  })
})

describe.each(['GET', 'DELETE'])('%s', (method) => {
  test("another account's image: 404, and it stays", async () => {
    const owner = await ownerIn(gateway)
    const [id = ''] = await make(gateway, owner)
    await expectRefused(await at(id, (await ownerIn(gateway)).key, method), 404, 'generation_not_found')
    expect((await at(id, owner.key)).status).toBe(200)
  })

  test('an unknown id: 404', async () => {
    const { key } = await ownerIn(gateway)
    await expectRefused(await at(crypto.randomUUID(), key, method), 404, 'generation_not_found')
  })

  test.each(['1', 'not-a-uuid', '..%2ftollgate.db', `${crypto.randomUUID()}.png`, "'%20OR%201=1", '%00'])(
    '%s, which is not a UUID: 400',
    async (id) => {
      await expectRefused(await at(id, (await ownerIn(gateway)).key, method), 400, 'invalid_generation_id')
    },
  )

  test('without a key: 401', async () => {
    const [id = ''] = await make(gateway, await ownerIn(gateway))
    await expectRefused(await at(id, undefined, method), 401, 'invalid_api_key')
  })
})

test('the history without a key: 401', async () => {
  await expectRefused(await at('history'), 401, 'invalid_api_key')
})
