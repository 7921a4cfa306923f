// Images in the console: access of accounts and operators, thumbnails, lineage, deletion.
import { describe, expect, test } from 'bun:test'
import sharp from 'sharp'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { type ConsoleSession, sessionsOf } from '../console/portal.ts'
import { fileGateway } from '../support/gateway.ts'

const PATH = '/console/api/images'
const WITH_CONTENT = 'content=shown'

const gateway = await fileGateway({ catalogue: FIRST_CATALOGUE })
const { alice, bob, operator } = await sessionsOf(gateway)
/** Images of alice: one, an edit of it, and an edit of the edit. */
const first = await generate('images', {})
const second = await generate('edits', { generation_id: first })
const third = await generate('edits', { generation_id: second })

async function generate(path: string, rest: object, prompt = 'a red house'): Promise<string> {
  const answer = await alice.ask(`/console/api/play/${path}`, { model: 'sim-image', prompt, ...rest })
  const { svc_generation_ids: ids = [] } = (await answer.clone().json()) as { svc_generation_ids?: string[] }
  if (answer.status !== 200) throw new Error(await answer.clone().text())
  expect([answer.status, ids.length]).toEqual([200, 1])
  return ids[0] ?? ''
}

interface Listed {
  images: {
    id: string
    account: string
    prompt: string | null
    cost_usd: string
    request_id: string
    kind: string
  }[]
  next_cursor: number | null
}
const listed = async (session: ConsoleSession, query = ''): Promise<Listed> =>
  (await (await session.ask(`${PATH}${query}`)).json()) as Listed

describe('the list', () => {
  test('has the newest first, each with its cost and its call', async () => {
    const { images } = await listed(alice)
    expect(images.map(({ id }) => id)).toEqual([third, second, first])
    expect(images[0]).toMatchObject({
      prompt: 'a red house',
      cost_usd: '0.04',
      kind: 'edit',
      account: 'alice',
    })
    expect(gateway.rows().calls.map(({ request_id }) => request_id)).toContain(images[0]?.request_id ?? '')
  })

  test('is paged, and filtered', async () => {
    const page = await listed(alice, '?limit=2')
    expect(page.images.map(({ id }) => id)).toEqual([third, second])
    const rest = await listed(alice, `?limit=2&cursor=${page.next_cursor}`)
    expect(rest.images.map(({ id }) => id)).toEqual([first])
    expect((await listed(alice, '?kind=generation')).images.map(({ id }) => id)).toEqual([first])
    expect((await listed(alice, `?model=sim-flash`)).images).toEqual([])
  })

  test('is empty for another account, which cannot name the first one', async () => {
    expect((await listed(bob)).images).toEqual([])
    expect((await bob.ask(`${PATH}?account=alice`)).status).toBe(404)
  })

  test('shows the operator accounts and costs; prompts only on request, which is logged', async () => {
    const hidden = await listed(operator)
    expect(hidden.images).toHaveLength(3)
    expect(hidden.images[0]).toMatchObject({ account: 'alice', prompt: null, cost_usd: '0.04' })
    expect(gateway.log.text()).not.toContain('operator viewed private content')
    const with_content = await listed(operator, `?account=alice&${WITH_CONTENT}`)
    expect(with_content.images[0]).toMatchObject({ prompt: 'a red house' })
    expect(gateway.log.text()).toContain('operator viewed private content')
    expect((await listed(operator, '?account=bob')).images).toEqual([])
  })
})

describe('the lineage', () => {
  interface Lineage {
    lineage: { id: string; generation: number; is: string; label: string | null; parents: string[] }[]
  }
  const lineageOf = async (session: ConsoleSession, id: string, query = '') =>
    ((await (await session.ask(`${PATH}/${id}${query}`)).json()) as Lineage).lineage.map(
      ({ id, generation, is }) => [id, generation, is] as const,
    )

  test('goes up to the images that it was made from, and down to those made from it', async () => {
    expect(await lineageOf(alice, second)).toEqual([
      [first, -1, 'image'],
      [second, 0, 'image'],
      [third, 1, 'image'],
    ])
    expect(await lineageOf(alice, third)).toEqual([
      [first, -2, 'image'],
      [second, -1, 'image'],
      [third, 0, 'image'],
    ])
  })

  test('names the files that it was made from, and marks deleted ones', async () => {
    const file = await uploadedFile()
    const child = await generate('edits', { image_key: file })
    expect(await lineageOf(alice, child)).toEqual([
      [file, -1, 'file'],
      [child, 0, 'image'],
    ])
    const deleted = await alice.ask(`/console/api/files?key=${encodeURIComponent(file)}`, undefined, {
      method: 'DELETE',
    })
    expect(deleted.status).toBe(200)
    expect(await lineageOf(alice, child)).toEqual([
      [file, -1, 'deleted'],
      [child, 0, 'image'],
    ])
    await alice.ask(`${PATH}/${child}`, undefined, { method: 'DELETE' })
  })

  async function uploadedFile(): Promise<string> {
    const bytes = await sharp({ create: { width: 20, height: 20, channels: 3, background: '#f00' } })
      .png()
      .toBuffer()
    const form = new FormData()
    form.append('files', new File([new Uint8Array(bytes)], 'red.png', { type: 'image/png' }))
    const answer = await alice.askRaw('/console/api/files', form)
    return ((await answer.json()) as { uploaded: { key: string }[] }).uploaded[0]?.key ?? ''
  }
})

describe('a picture', () => {
  test('has the original bytes, and the browser keeps it for the session', async () => {
    const answer = await alice.ask(`${PATH}/${first}/picture`)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('cache-control')).toBe('private, max-age=86400, immutable')
    expect(answer.headers.get('vary')).toBe('Cookie')
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
    const row = gateway.db.query('SELECT sha256 FROM generations WHERE uuid = ?').get(first) as {
      sha256: string
    }
    expect(new Bun.CryptoHasher('sha256').update(await answer.bytes()).digest('hex')).toBe(row.sha256)
  })

  test('has a small thumbnail', async () => {
    const [whole, small] = await Promise.all(
      ['picture', 'thumbnail'].map(async (of) => (await alice.ask(`${PATH}/${first}/${of}`)).bytes()),
    )
    const { width = 0, height = 0, format } = await sharp(small).metadata()
    expect([format, Math.max(width, height)]).toEqual(['webp', 384])
    expect(small?.length).toBeLessThan(whole?.length ?? 0)
    // The second time the same bytes come from memory.
    expect(
      Buffer.compare(
        await (await alice.ask(`${PATH}/${first}/thumbnail`)).bytes(),
        small ?? new Uint8Array(),
      ),
    ).toBe(0)
  })

  test.each(['', '/picture', '/thumbnail'])('of another account is 404: GET %s', async (of) => {
    expect((await bob.ask(`${PATH}/${first}${of}`)).status).toBe(404)
  })

  test('of another account is not deleted', async () => {
    expect((await bob.ask(`${PATH}/${first}`, undefined, { method: 'DELETE' })).status).toBe(404)
    expect((await alice.ask(`${PATH}/${first}`)).status).toBe(200)
  })

  test.each(['picture', 'thumbnail'])('is visible to the operator only on request: %s', async (of) => {
    const hidden = await operator.ask(`${PATH}/${first}/${of}`)
    expect(hidden.status).toBe(403)
    expect(await hidden.json()).toMatchObject({ error: { code: 'content_hidden' } })
    expect((await operator.ask(`${PATH}/${first}/${of}?${WITH_CONTENT}`)).status).toBe(200)
  })
})

describe('deletion', () => {
  test('removes the picture and its thumbnail, and keeps the charge', async () => {
    const id = await generate('images', {}, 'to be deleted')
    await (await alice.ask(`${PATH}/${id}/thumbnail`)).bytes()
    const calls = gateway.rows().calls.length
    expect((await alice.ask(`${PATH}/${id}`, undefined, { method: 'DELETE' })).status).toBe(200)
    for (const of of ['', '/picture', '/thumbnail'])
      expect((await alice.ask(`${PATH}/${id}${of}`)).status).toBe(404)
    expect(gateway.rows().calls).toHaveLength(calls)
    await gateway.rest()
  })

  test("by the operator has a line in the account's audit log", async () => {
    const id = await generate('images', {}, 'to be deleted by others')
    const lines = async () =>
      (await (await alice.ask('/console/api/audit-log?area=account')).json()) as { actions: object[] }
    const { actions: before } = await lines()
    for (const status of [200, 404])
      expect((await operator.ask(`${PATH}/${id}`, undefined, { method: 'DELETE' })).status).toBe(status)
    const { actions } = await lines()
    expect(actions).toHaveLength(before.length + 1)
    expect(actions[0]).toMatchObject({ action: 'image.deleted', by: 'operator', before: { image: id } })
  })

  test('from a page of another origin is refused', async () => {
    const headers = { origin: 'https://evil.example' }
    const answer = await alice.ask(`${PATH}/${first}`, undefined, { method: 'DELETE', headers })
    expect(answer.status).toBe(403)
  })
})
