// spec.md, Image compose request, rules 1 to 5, with the validation of edits and the reference rows of the error table.
import { describe, expect, test } from 'bun:test'
import { expectRefused, type Refusal, storedIn } from '../support/image-refusals.ts'
import {
  COMPOSE,
  compose,
  dataUri,
  EDITS,
  editForm,
  GIF,
  generated,
  generation,
  imagesIn,
  imagesScene,
  JPEG,
  PNG,
  postForm,
  uploaded,
  WEB,
  WEBP,
} from './support.ts'

const { gateway, upstream, fetched } = await imagesScene()

const MEGABYTE = 1024 * 1024
const CAT = 'https://pictures.example.com/cat.png'
const DOG = 'https://pictures.example.com/dog.jpg'
const UUID = '0b7f6a52-8f3e-4a51-9d0f-6c1c0d5b7a11'
const KEY_OF_ANOTHER = `files/999999/${UUID}_cat.png`

/** A PNG of this many bytes. */
const heavy = (bytes: number, mark = 0): Uint8Array => {
  const image = Buffer.alloc(bytes, mark)
  PNG.copy(image)
  return image
}

const malformedKeys: readonly (readonly [row: string, key: string])[] = [
  ['malformed', 'cat.png'],
  ['malformed: no uuid', 'files/1/cat.png'],
  ['malformed: an extension that is not an image type', `files/1/${UUID}_cat.svg`],
  ['malformed: empty', ''],
  ['traversal characters', `files/1/../2/${UUID}_cat.png`],
  ['traversal in the name', `files/1/${UUID}_../../etc/passwd.png`],
  ['traversal, encoded', `files/1/%2e%2e/${UUID}_cat.png`],
  ['traversal, with backslashes', `files\\1\\${UUID}_cat.png`],
  ['a NUL', `files/1/${UUID}_cat.png\0`],
  ['not the caller’s', KEY_OF_ANOTHER],
]
const malformedIds: readonly (readonly [row: string, id: string])[] = [
  ['a text', 'the last one'],
  ['empty', ''],
  ['a UUID without hyphens', UUID.replaceAll('-', '')],
  ['a UUID and more', `${UUID}/..`],
  ['a UUID in braces', `{${UUID}}`],
]

describe.each([
  ['edits', EDITS, (key: string) => ({ image_key: key }), (id: string) => ({ generation_id: id })],
  ['compose', COMPOSE, (key: string) => ({ image_keys: [key] }), (id: string) => ({ generation_ids: [id] })],
] as const)('%s refuses', (_name, path, byKey, byId) => {
  async function refuses(fields: object, refusal: Refusal, key?: string) {
    const caller = key ?? (await gateway.caller())
    const before = await storedIn(gateway)
    const answer = await gateway.call(path, generation(fields), { key: caller })
    await expectRefused(gateway, before, answer, refusal)
    return answer
  }

  test.each(malformedKeys)('invalid_image_key: %s', (_row, key) =>
    refuses(byKey(key), [400, 'invalid_image_key']),
  )
  test.each(malformedIds)('invalid_generation_id: %s', (_row, id) =>
    refuses(byId(id), [400, 'invalid_generation_id']),
  )

  test('invalid_image_key: an existing file of another account', async () => {
    const key = await uploaded(gateway, await gateway.caller())
    await refuses(byKey(key), [400, 'invalid_image_key'])
  })
  test('IMAGE_NOT_FOUND: a file that no longer exists', async () => {
    const caller = await gateway.caller()
    const key = await uploaded(gateway, caller)
    const deleted = await gateway.call(`/api/v1/files/${key}`, undefined, { key: caller, method: 'DELETE' })
    expect(deleted.status).toBe(200)
    await refuses(byKey(key), [404, 'IMAGE_NOT_FOUND'], caller)
  })
  test('generation_not_ready: a file that is still being stored', async () => {
    const caller = await gateway.caller()
    const key = await uploaded(gateway, caller)
    const row = gateway.db.query<{ id: number }, [string]>('SELECT id FROM files WHERE key = ?').get(key)
    gateway.db.run("UPDATE files SET state = 'storing' WHERE id = ?", [row?.id ?? 0])
    await refuses(byKey(key), [409, 'generation_not_ready'], caller)
    gateway.db.run("UPDATE files SET state = 'stored' WHERE id = ?", [row?.id ?? 0])
  })
  test('generation_not_found: absent', () => refuses(byId(UUID), [404, 'generation_not_found']))
  test('generation_not_found: not the caller’s', async () => {
    const id = await generated(gateway, await gateway.caller())
    await refuses(byId(id), [404, 'generation_not_found'])
  })
  test('generation_not_ready: still being generated, 409, retry after 1 to 2 seconds', async () => {
    const caller = await gateway.caller()
    const id = await insertGenerating(caller)
    const answer = await refuses(byId(id), [409, 'generation_not_ready'], caller)
    expect(['1', '2']).toContain(answer.headers.get('retry-after') ?? '')
  })
  test('generation_not_ready: failed, 422', async () => {
    const caller = await gateway.caller()
    const id = await insertGenerating(caller)
    gateway.db.run("UPDATE generations SET state = 'failed' WHERE uuid = ?", [id])
    await refuses(byId(id), [422, 'generation_not_ready'], caller)
  })
})

/** Inserts the row of a running generation. @returns its UUID */
async function insertGenerating(key: string): Promise<string> {
  const uuid = crypto.randomUUID()
  const made = await generated(gateway, key)
  gateway.db.run(
    `INSERT INTO generations (uuid, account_id, call_id, position, kind, state, model, prompt, parents, created_at_ms)
     SELECT ?, account_id, call_id, 1, kind, 'generating', model, prompt, parents, created_at_ms
     FROM generations WHERE uuid = ?`,
    [uuid, made],
  )
  return uuid
}

/** A row for each code: all URLs and data URIs that are refused are in test/media. */
const inline: readonly (readonly [row: string, image_urls: () => string[], refusal: Refusal])[] = [
  ['invalid_url: not a URL', () => ['cat.png'], [400, 'invalid_url']],
  ['invalid_url: data that is not an image', () => ['data:text/plain;base64,QQ=='], [400, 'invalid_url']],
  ['NON_HTTPS', () => ['http://example.com/cat.png'], [400, 'NON_HTTPS']],
  ['BLOCKED_HOST: credentials', () => ['https://user:pass@example.com/cat.png'], [400, 'BLOCKED_HOST']],
  ['PRIVATE_IP: loopback', () => ['https://127.0.0.1/cat.png'], [400, 'PRIVATE_IP']],
  ['UPSTREAM_ERROR: not found', () => ['https://pictures.example.com/none.png'], [400, 'UPSTREAM_ERROR']],
  ['invalid_data_uri: malformed', () => ['data:image/png,plain'], [400, 'invalid_data_uri']],
  ['MAGIC_MISMATCH', () => [dataUri(JPEG, 'image/png')], [400, 'MAGIC_MISMATCH']],
  [
    'image_too_large: decoded over 25 MB, 400',
    () => [dataUri(heavy(25 * MEGABYTE + 1))],
    [400, 'image_too_large'],
  ],
  [
    'image_too_large: a string over 35 MB, 413, before decoding',
    () => [`data:image/png;base64,${'!'.repeat(35 * MEGABYTE)}`],
    [413, 'image_too_large'],
  ],
  [
    'IMAGES_TOO_LARGE_TOTAL: over 30 MB together',
    () => [dataUri(heavy(15 * MEGABYTE)), dataUri(heavy(15 * MEGABYTE + 1, 1))],
    [400, 'IMAGES_TOO_LARGE_TOTAL'],
  ],
  ['duplicate_reference: one URL twice', () => [CAT, CAT], [400, 'duplicate_reference']],
  [
    'duplicate_reference: one data URI twice',
    () => [dataUri(PNG), dataUri(PNG)],
    [400, 'duplicate_reference'],
  ],
  ['duplicate_reference: equal bytes', () => [dataUri(PNG), CAT], [400, 'duplicate_reference']],
]

describe('compose refuses inline images:', () => {
  test.each(inline)('%s', async (_row, image_urls, refusal) => {
    const key = await gateway.caller()
    const before = await storedIn(gateway)
    const answer = await gateway.call(COMPOSE, compose({ image_urls: image_urls() }), { key })
    await expectRefused(gateway, before, answer, refusal)
  })

  test('duplicate_reference: one generation twice, in another case', async () => {
    const key = await gateway.caller()
    const id = await generated(gateway, key)
    const before = await storedIn(gateway)
    const body = generation({ generation_ids: [id, id.toUpperCase()] })
    const answer = await gateway.call(COMPOSE, body, { key })
    await expectRefused(gateway, before, answer, [400, 'duplicate_reference'])
  })

  test('duplicate_reference: one key twice', async () => {
    const key = await gateway.caller()
    const image_key = await uploaded(gateway, key)
    const before = await storedIn(gateway)
    const answer = await gateway.call(COMPOSE, generation({ image_keys: [image_key, image_key] }), { key })
    await expectRefused(gateway, before, answer, [400, 'duplicate_reference'])
  })

  test('IMAGES_TOO_LARGE_TOTAL: stored plus inline', async () => {
    const key = await gateway.caller()
    const image_key = await uploaded(gateway, key, heavy(20 * MEGABYTE))
    const before = await storedIn(gateway)
    const body = compose({ image_keys: [image_key], image_urls: [dataUri(heavy(10 * MEGABYTE + 1))] })
    await expectRefused(gateway, before, await gateway.call(COMPOSE, body, { key }), [
      400,
      'IMAGES_TOO_LARGE_TOTAL',
    ])
  })

  test('nothing is fetched before all stored references are found', async () => {
    const key = await gateway.caller()
    fetched.length = 0
    const answer = await gateway.call(COMPOSE, compose({ image_urls: [CAT], generation_ids: [UUID] }), {
      key,
    })
    expect([answer.status, fetched]).toEqual([404, []])
  })
})

/** The images of the last request upstream, in their order. */
function imagesSent(): { mime: string; bytes: Buffer }[] {
  const body = JSON.parse(upstream.last().body.toString())
  const parts: { inlineData?: { mimeType: string; data: string } }[] = body.contents[0].parts
  return parts.flatMap(({ inlineData }) =>
    inlineData ? [{ mime: inlineData.mimeType, bytes: Buffer.from(inlineData.data, 'base64') }] : [],
  )
}

describe('referenced images are sent upstream', () => {
  test('compose: the three arrays may be mixed, and keep their order', async () => {
    const key = await gateway.caller()
    const image_key = await uploaded(gateway, key, WEBP)
    const id = await generated(gateway, key)
    const body = compose({ image_urls: [DOG], generation_ids: [id], image_keys: [image_key] })
    const answer = await imagesIn(await gateway.call(COMPOSE, body, { key }))
    expect(imagesSent()).toEqual([
      { mime: 'image/webp', bytes: WEBP },
      { mime: 'image/png', bytes: PNG },
      { mime: 'image/jpeg', bytes: JPEG },
    ])
    const { generations } = await storedIn(gateway)
    const made = generations.find(({ uuid }) => uuid === answer.svc_generation_ids[0])
    expect(JSON.parse(String(made?.parents))).toEqual([image_key, id])
    expect(made?.kind).toBe('compose')
  })

  test('a GIF is sent as a PNG, which every provider reads', async () => {
    const key = await gateway.caller()
    await imagesIn(await gateway.call(COMPOSE, compose({ image_urls: [dataUri(GIF, 'image/gif')] }), { key }))
    expect(imagesSent().map(({ mime, bytes }) => [mime, bytes.subarray(1, 4).toString()])).toEqual([
      ['image/png', 'PNG'],
    ])
  })

  test('inline images are held only for the request: not stored, not counted, not in the history', async () => {
    const key = await gateway.caller()
    const before = await storedIn(gateway)
    await imagesIn(await gateway.call(COMPOSE, compose({ image_urls: [CAT, DOG] }), { key }))
    const after = await storedIn(gateway)
    expect(after.files).toEqual(before.files)
    expect(after.on_disk).toHaveLength(before.on_disk.length + 1)
    const history = await gateway.call('/api/images/history', undefined, { key })
    expect(await history.json()).toMatchObject({ images: [{ kind: 'compose', parents: [] }] })
    expect(Object.keys(WEB)).toEqual([CAT, DOG])
  })

  test('edits: by image_key, then by the generation_id of the result, in any case', async () => {
    const key = await gateway.caller()
    const image_key = await uploaded(gateway, key, JPEG)
    const first = await imagesIn(await gateway.call(EDITS, generation({ image_key }), { key }))
    expect(imagesSent()).toEqual([{ mime: 'image/jpeg', bytes: JPEG }])
    const generation_id = first.svc_generation_ids[0]?.toUpperCase()
    await imagesIn(await gateway.call(EDITS, generation({ generation_id }), { key }))
    expect(imagesSent()).toEqual([{ mime: 'image/png', bytes: PNG }])
  })

  test('edits, multipart: the image is stored as a file of its user, and listed', async () => {
    const key = await gateway.caller()
    const answer = await imagesIn(await postForm(gateway, key, editForm()))
    expect(imagesSent()).toEqual([{ mime: 'image/png', bytes: PNG }])
    const listed = await gateway.call('/api/v1/files', undefined, { key })
    const { files, quota } = (await listed.json()) as { files: { key: string }[]; quota: object }
    expect(quota).toMatchObject({ used_bytes: PNG.length })
    expect(files[0]?.key).toMatch(/^files\/\d+\/[0-9a-f-]{36}_my-house\.png$/)
    const { generations } = await storedIn(gateway)
    const made = generations.find(({ uuid }) => uuid === answer.svc_generation_ids[0])
    expect(JSON.parse(String(made?.parents))).toEqual([files[0]?.key ?? ''])
  })
})
