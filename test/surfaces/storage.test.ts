// Failed writes: each surface answers them with its own overload error, wherever they show, and never with 500.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { paint } from '../media/support.ts'
import { MODEL, PICTURE } from '../support/catalogue.ts'
import { eventually } from '../support/eventually.ts'
import { answering, ask, streamPath, wholePath } from '../support/native.ts'
import { type Scene, scene } from '../support/scene.ts'
import { modelSection, providerSection } from '../support/sections.ts'
import { mayMount, mountSmallDisk, type SmallDisk } from '../support/small-disk.ts'
import { events, whole } from '../support/upstream.ts'
import { MAX_BUSY_WAIT_MS, takeWriteLock } from '../support/write-lock.ts'
import { BOUNDARY, formOf, MIN_BYTES, pictureOf, upload } from '../upload/support.ts'

const EMBEDDER = 'test-embedder'
const MORE = (url: string) => `
${providerSection('embeds', 'openai', url, '', [])}
${modelSection(EMBEDDER, { embeds: 'e' }, { kind: 'embedding', price: 'input = 1' })}
`

interface Row {
  name: string
  path: string
  method?: string
  body?: object | Uint8Array
  headers?: Record<string, string>
  status: number
  error: object
}

const FORM = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }
const NATIVE = { status: 503, error: { error: { code: 503, status: 'UNAVAILABLE' } } }
const OPENAI = { status: 503, error: { error: { type: 'server_error' } } }
const IMAGES = { status: 503, error: { error: { type: 'api_error' } } }
const CHAT_BODY = { model: MODEL, messages: [{ role: 'user', content: 'Hello' }] }
const PICTURE_BODY = { model: PICTURE, prompt: 'A cat.' }

const EDIT = Buffer.concat([
  Buffer.from(
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="model"\r\n\r\n${PICTURE}\r\n--${BOUNDARY}\r\nContent-Disposition: form-data; name="prompt"\r\n\r\nA dog.\r\n`,
  ),
  formOf([{ bytes: await paint('png'), field: 'image' }]),
])

const PAID: readonly Row[] = [
  { name: 'native', path: wholePath(), body: ask(), ...NATIVE },
  { name: 'native, streamed', path: streamPath(), body: ask(), ...NATIVE },
  {
    name: 'messages',
    path: '/v1/messages',
    body: { ...CHAT_BODY, max_tokens: 10 },
    headers: { 'anthropic-version': '2023-06-01' },
    status: 529,
    error: { type: 'error', error: { type: 'overloaded_error' } },
  },
  { name: 'chat', path: '/v1/chat/completions', body: CHAT_BODY, ...OPENAI },
  { name: 'embeddings', path: '/v1/embeddings', body: { model: EMBEDDER, input: 'a' }, ...OPENAI },
  { name: 'images', path: '/v1/images/generations', body: PICTURE_BODY, ...IMAGES },
  { name: 'edits', path: '/v1/images/edits', body: EDIT, headers: FORM, ...IMAGES },
]

/** Calls that write rows or files before, or without, any hold. */
const FREE: readonly Row[] = [
  {
    name: 'upload',
    path: '/api/v1/upload',
    body: formOf([{ bytes: pictureOf(MIN_BYTES) }]),
    headers: FORM,
    ...IMAGES,
  },
]

const KEYED = PAID.map((row) => ({
  ...row,
  name: `${row.name}, with an Idempotency-Key`,
  headers: { ...row.headers, 'idempotency-key': `once ${row.name}` },
}))

const ROWS: readonly Row[] = [...PAID, ...KEYED, ...FREE]

const EMBEDDED = whole({
  object: 'list',
  data: [{ object: 'embedding', index: 0, embedding: [1] }],
  model: 'e',
  usage: { prompt_tokens: 1, total_tokens: 1 },
})

async function open(parent_folder?: string): Promise<{ s: Scene; deletes: readonly Row[] }> {
  const s = await scene({
    script: (seen) => (seen.path.includes('embeddings') ? EMBEDDED : answering(seen)),
    more: MORE,
    max_busy_wait_ms: MAX_BUSY_WAIT_MS,
    ...(parent_folder === undefined ? {} : { parent_folder }),
  })
  const [file] = await upload(s.gateway, s.key, { bytes: pictureOf(MIN_BYTES) })
  const path = `/api/v1/files/${file?.key}`
  return { s, deletes: [{ name: 'delete', method: 'DELETE', path, ...IMAGES }] }
}

async function expectOverload({ call }: Scene, row: Row): Promise<void> {
  const { path, body, method, headers = {}, status, error, name } = row
  const response = await call(path, body, { headers, ...(method ? { method } : {}) })
  const got = { name, status: response.status, retry_after: response.headers.get('retry-after') }
  expect(got).toEqual({ name, status, retry_after: '1' })
  expect(await response.json()).toMatchObject(error)
}

describe("while another process keeps the database's write lock", () => {
  let s: Scene
  let deletes: readonly Row[]
  beforeAll(async () => {
    const opened = await open()
    s = opened.s
    deletes = opened.deletes
  })
  afterAll(() => s[Symbol.asyncDispose]())

  /** Only the end of a stream waits for its settlement. */
  const isWhole = ({ name }: Row): boolean => !name.includes('streamed')

  test('every surface is overloaded; each whole answer waits for the lock first', async () => {
    const unlock = await takeWriteLock(join(s.gateway.data_folder, 'tollgate.db'))
    const all = [...ROWS.filter(isWhole), ...deletes]
    const tried = await Promise.allSettled(all.map((row) => expectOverload(s, row)))
    // The ledger knows by then, and refuses at once.
    for (const row of PAID) await expectOverload(s, row)
    await unlock()
    expect(tried.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))).toEqual([])
    const errors = s.gateway.log.lines().filter(({ level }) => level === 'error')
    expect(new Set(errors.map(({ message }) => message))).toEqual(
      new Set(['a settlement failed', 'the ledger cannot commit: new paid calls are refused until it can']),
    )
    await eventually('calls are taken', async () => (await s.call(wholePath(), ask())).status === 200)
    s.upstream.answer(events([]))
  }, 60_000)
})

describe.skipIf(!mayMount)('while the disk is full', () => {
  let disk: SmallDisk
  let s: Scene
  let deletes: readonly Row[]
  beforeAll(async () => {
    disk = mountSmallDisk()
    const opened = await open(disk.path)
    s = opened.s
    deletes = opened.deletes
    s.gateway.db.run('PRAGMA wal_checkpoint(TRUNCATE)')
    await disk.fill()
  })
  afterAll(async () => {
    disk.free()
    await s[Symbol.asyncDispose]()
    disk[Symbol.dispose]()
  })

  test.each(ROWS.map((row) => [row.name, row] as const))('%s', (_, row) => expectOverload(s, row))
  test('deletes', async () => {
    for (const row of deletes) await expectOverload(s, row)
  })
})
