// spec.md, POST /api/v1/upload, and silent.md, Upload and files: stored files, and the reasons for refusals.
import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { suspendAccount } from '../../src/access/accounts.ts'
import { revokeKey } from '../../src/access/keys.ts'
import { MAX_IMAGE_BYTES } from '../../src/media/limits.ts'
import { animate, paint } from '../media/support.ts'
import { eventually } from '../support/eventually.ts'
import { expectRefused, storedIn } from '../support/image-refusals.ts'
import { fileScene } from '../support/scene.ts'
import { connectSocket, type Departure } from '../support/socket-client.ts'
import { BOUNDARY, formOf, type Part, pictureOf, post, upload, usedBytes } from './support.ts'

const { gateway } = await fileScene()

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const png = await paint('png')

describe('"each `{key, name, size, mime, sha256, width, height, created_at}`"', () => {
  test.each([
    ['png', 'image/png', paint('png')],
    ['jpeg', 'image/jpeg', paint('jpeg')],
    ['webp', 'image/webp', paint('webp')],
    ['gif', 'image/gif', animate('gif', 3, 24, 18)],
  ])('%s', async (format, mime, painting) => {
    const bytes = await painting
    const key = await gateway.caller('0')
    const [file] = await upload(gateway, key, { bytes, filename: 'My cat (1).PNG' })
    expect(file).toEqual({
      key: expect.stringMatching(new RegExp(`^files/\\d+/[0-9a-f-]{36}_My-cat-1\\.${format}$`)),
      name: `My-cat-1.${format}`,
      size: bytes.length,
      mime,
      sha256: sha256(bytes),
      width: 24,
      height: 18,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    })
    const sent = await gateway.call(`/api/v1/files/${file?.key}`, undefined, { key })
    expect(sha256(await sent.bytes())).toBe(sha256(bytes))
    expect(await usedBytes(gateway, key)).toBe(bytes.length)
    await gateway.rest()
  })

  test('"one or more `files`", in their order, each with a key of its own', async () => {
    const key = await gateway.caller('0')
    const parts = ['a.png', 'b.png', 'a.png'].map((filename) => ({ bytes: png, filename }))
    const files = await upload(gateway, key, ...parts)
    expect(files.map(({ name }) => name)).toEqual(['a.png', 'b.png', 'a.png'])
    expect(new Set(files.map((file) => file.key)).size).toBe(3)
    expect(await usedBytes(gateway, key)).toBe(3 * png.length)
  })

  test('a form as a client encodes it, of an announced or unannounced length', async () => {
    const key = await gateway.caller('0')
    const form = new FormData()
    form.append('files', new Blob([png], { type: 'image/png' }), 'ä☃.png')
    const request = new Request('http://a', { method: 'POST', body: form })
    const content_type = request.headers.get('content-type') ?? ''
    const bytes = await request.bytes()
    for (const body of [bytes, new Blob([bytes]).stream()])
      expect((await post(gateway, key, body, content_type)).status).toBe(200)
  })

  test('in packets of any size', async () => {
    const key = await gateway.caller('0')
    const body = formOf([{ bytes: png }, { bytes: png }])
    for (const step of [1, 7, 64]) {
      const packets = new ReadableStream({
        async start(controller) {
          for (let at = 0; at < body.length; at += step) controller.enqueue(body.subarray(at, at + step))
          controller.close()
        },
      })
      expect((await post(gateway, key, packets)).status).toBe(200)
    }
    expect(await usedBytes(gateway, key)).toBe(6 * png.length)
  })

  test('"25 MB each": to the byte', async () => {
    const key = await gateway.caller('0')
    const [file] = await upload(gateway, key, { bytes: pictureOf(MAX_IMAGE_BYTES) })
    expect(file?.size).toBe(MAX_IMAGE_BYTES)
  })
})

describe('"Names are reduced to a safe form"', () => {
  test.each([
    ['cat.png', 'cat'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\\\Users\\\\me\\\\cat.png', 'cat'],
    ['..', 'image'],
    ['', 'image'],
    ['.png', 'png'],
    ['.htaccess', 'htaccess'],
    ['a b\tc.png', 'a-b-c'],
    ['Crème Brûlée.jpeg', 'Creme-Brulee'],
    ['猫.png', 'image'],
    ['cat.php.png', 'cat-php'],
    ['<script>.png', 'script'],
    ["a';DROP TABLE files;--.png", 'a-DROP-TABLE-files'],
    ['a%2fb.png', 'a-2fb'],
    ['-rf.png', 'rf'],
    ['a\u202egnp.exe', 'a-gnp'],
    [`${'long'.repeat(40)}.png`, 'long'.repeat(16)],
  ])('%j is stored as %s', async (filename, name) => {
    const [file] = await upload(gateway, await gateway.caller('0'), { bytes: png, filename })
    expect(file?.name).toBe(`${name}.png`)
    expect(file?.key).toEndWith(`_${name}.png`)
    await gateway.rest()
  })
})

const text = (content: string) => Buffer.from(content)
const tiff = await paint('tiff')
const avif = await paint('avif')
const whole = formOf([{ bytes: png }])

/** Invalid files and their refusals; each is also sent between two valid files. */
const BAD_FILES: [string, readonly [number, string], () => Uint8Array][] = [
  ['over 25 MB by a byte', [413, 'IMAGE_TOO_LARGE'], () => pictureOf(MAX_IMAGE_BYTES + 1)],
  ['an empty file', [400, 'IMAGE_TYPE_UNSUPPORTED'], () => text('')],
  ['one byte', [400, 'IMAGE_TYPE_UNSUPPORTED'], () => text('\x89')],
  ['a text', [400, 'IMAGE_TYPE_UNSUPPORTED'], () => text('just a text, whatever its name says')],
  ['SVG', [400, 'IMAGE_TYPE_UNSUPPORTED'], () => text('<svg xmlns="http://www.w3.org/2000/svg"/>')],
  ['HTML', [400, 'IMAGE_TYPE_UNSUPPORTED'], () => text('<html><script>alert(1)</script></html>')],
  ['PDF', [400, 'IMAGE_TYPE_UNSUPPORTED'], () => text('%PDF-1.7 and so on')],
  ['TIFF', [400, 'IMAGE_TYPE_UNSUPPORTED'], () => tiff],
  ['AVIF', [400, 'IMAGE_TYPE_UNSUPPORTED'], () => avif],
  ['a PNG that is cut short', [400, 'invalid_request'], () => png.subarray(0, png.length >> 1)],
  ['the signature of a PNG and nothing else', [400, 'invalid_request'], () => png.subarray(0, 16)],
  [
    'the signature of a JPEG before a text',
    [400, 'invalid_request'],
    () => Buffer.from('\xff\xd8\xff and then', 'latin1'),
  ],
]

describe('a refused file: nothing of its request is kept', () => {
  test.each(BAD_FILES)('%s', async (_, refusal, make) => {
    const key = await gateway.caller('0')
    const before = await storedIn(gateway)
    await expectRefused(gateway, before, await post(gateway, key, formOf([{ bytes: make() }])), refusal)
  })

  test.each(BAD_FILES.slice(1))('%s, between two valid files', async (_, refusal, make) => {
    const key = await gateway.caller('0')
    const before = await storedIn(gateway)
    const body = formOf([{ bytes: png }, { bytes: make() }, { bytes: png }])
    await expectRefused(gateway, before, await post(gateway, key, body), refusal)
    expect(await usedBytes(gateway, key)).toBe(0)
  })
})

const INVALID = [400, 'invalid_request'] as const
const many = (count: number): Part[] => Array.from({ length: count }, () => ({ bytes: png }))
const BAD_FORMS: [string, Buffer, string?][] = [
  ['no body', Buffer.alloc(0)],
  ['no boundary in the Content-Type', whole, 'multipart/form-data'],
  ['another boundary in the Content-Type', whole, 'multipart/form-data; boundary=another'],
  ['not a form: JSON', text('{"files": []}'), 'application/json'],
  ['not a form: the image itself', Buffer.from(png), 'image/png'],
  ['a urlencoded form', text('files=cat.png'), 'application/x-www-form-urlencoded'],
  ['a form without parts', text(`--${BOUNDARY}--\r\n`)],
  ['not a form: a text', text('hello')],
  ['cut inside a part’s head', whole.subarray(0, 40)],
  ['cut inside a file', whole.subarray(0, 200)],
  ['cut before its last boundary', whole.subarray(0, -20)],
  ['cut inside its last boundary', whole.subarray(0, -6)],
  ['another field than `files`', formOf([{ bytes: png, field: 'image' }])],
  ['another field beside `files`', formOf([{ bytes: png }, { bytes: png, field: '__proto__' }])],
  [
    'a field without a name',
    formOf([{ bytes: png, head: 'Content-Disposition: form-data; filename="a.png"' }]),
  ],
  ['a text in `files`', formOf([{ bytes: 'cat.png', head: 'Content-Disposition: form-data; name="files"' }])],
  [
    'a text beside `files`',
    formOf([{ bytes: png }, { bytes: 'x', head: 'Content-Disposition: form-data; name="x"' }]),
  ],
  ['a part without a disposition', formOf([{ bytes: png, head: 'Content-Type: image/png' }])],
  ['a part with an invalid head', formOf([{ bytes: png, head: 'nonsense' }])],
  ['101 files', formOf(many(101))],
]

describe('"Bad multipart" is 400, never 500, and leaves nothing', () => {
  test.each(BAD_FORMS)('%s', async (...[_, body, content_type]) => {
    const key = await gateway.caller('0')
    const before = await storedIn(gateway)
    await expectRefused(gateway, before, await post(gateway, key, body, content_type), INVALID)
  })

  test('a hundred files are accepted', async () => {
    expect(await upload(gateway, await gateway.caller('0'), ...many(100))).toHaveLength(100)
  })

  test('cut at any byte: 400, and nothing is stored; altered at any byte: 400, or stored', async () => {
    const key = await gateway.caller('0')
    const before = (await storedIn(gateway)).on_disk.length
    let stored = 0
    for (let at = 0; at < whole.length - '\r\n'.length; at += 31) {
      expect((await post(gateway, key, whole.subarray(0, at))).status).toBe(400)
      const altered = Buffer.from(whole)
      altered[at] = (altered[at] ?? 0) ^ 0x55
      const { status } = await post(gateway, key, altered)
      expect(status).toBeOneOf([200, 400])
      if (status === 200) stored += 1
    }
    expect((await storedIn(gateway)).on_disk.length).toBe(before + stored)
    await gateway.rest()
  })
})

describe('access to uploads', () => {
  const CALLERS: [string, readonly [number, string], () => Promise<string | undefined>][] = [
    ['no key', [401, 'invalid_api_key'], async () => undefined],
    ['an unknown key', [401, 'invalid_api_key'], async () => `tg_${'x'.repeat(43)}`],
    [
      'a revoked key',
      [401, 'invalid_api_key'],
      async () => {
        const key = await gateway.caller('0')
        await revokeKey(gateway.store, key.slice(0, 10), Date.now())
        return key
      },
    ],
    [
      'a suspended account',
      [403, 'MODEL_ACCESS_DENIED'],
      async () => {
        const { name } = await gateway.account(`suspended-${crypto.randomUUID()}`)
        await suspendAccount(gateway.store, name, { now_ms: 0 })
        return await gateway.key(name)
      },
    ],
    [
      'another address',
      [403, 'MODEL_ACCESS_DENIED'],
      () => gateway.caller('0', { addresses: ['192.0.2.1'] }),
    ],
  ]
  test.each(CALLERS)('%s is refused', async (_, refusal, make) => {
    const key = await make()
    const before = await storedIn(gateway)
    await expectRefused(gateway, before, await post(gateway, key, whole), refusal)
    // The refusal comes before the body is read: this one is not a form.
    await expectRefused(gateway, before, await post(gateway, key, text('nothing'), 'image/png'), refusal)
  })

  const head = (headers: Record<string, string>) =>
    [
      'POST /api/v1/upload HTTP/1.1',
      'host: gateway.test',
      `content-type: multipart/form-data; boundary=${BOUNDARY}`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      '\r\n',
    ].join('\r\n')

  test('a request without a key is refused before its body is sent', async () => {
    const client = await connectSocket(gateway.url)
    client.send(head({ 'content-length': '10000000' }))
    await client.waitForText('401 Unauthorized')
    await client.waitForText('invalid_api_key')
    await client.closed
  })

  test('a body over 100 MB is refused before it is sent', async () => {
    const before = await storedIn(gateway)
    const authorization = `Bearer ${await gateway.caller('0')}`
    const client = await connectSocket(gateway.url)
    client.send(head({ authorization, 'content-length': String(100 * 1024 * 1024 + 1) }))
    await client.waitForText('413 ')
    await client.waitForText('invalid_request')
    await client.closed
    expect(await storedIn(gateway)).toEqual(before)
  })

  test.each(['close', 'reset'] as Departure[])(
    'a caller who disconnects during the upload (%s) leaves no files',
    async (how) => {
      const before = await storedIn(gateway)
      const authorization = `Bearer ${await gateway.caller('0')}`
      const body = formOf([{ bytes: png }, { bytes: pictureOf(1_000_000) }])
      const client = await connectSocket(gateway.url)
      client.send(head({ authorization, 'content-length': String(body.length) }))
      client.send(body.subarray(0, 500_000))
      // A file on its way to a bucket is not visible.
      const seen = gateway.files.bucket ? 1 : 2
      await eventually(
        'the first file is stored, and the second has started',
        async () => (await storedIn(gateway)).on_disk.length >= before.on_disk.length + seen,
      )
      client.leave(how)
      await eventually('both are removed', async () => Bun.deepEquals(await storedIn(gateway), before))
      await gateway.rest()
    },
  )
})
