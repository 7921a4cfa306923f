// Photos for image models: sent upright, still, and without the place where they were taken; uploads are stored unchanged.
import { describe, expect, test } from 'bun:test'
import { withoutMetadata } from '../../src/media/metadata.ts'
import { withSharp } from '../../src/media/sharp.ts'
import { animate, paint } from '../media/support.ts'
import { wholePath } from '../support/native.ts'
import {
  COMPOSE,
  compose,
  dataUri,
  draws,
  EDITS,
  editForm,
  generation,
  imagesIn,
  imagesScene,
  OVER_OPENAI,
  PICTURE,
  PNG,
  postForm,
  sends,
  uploaded,
} from './support.ts'

const { gateway, upstream } = await imagesScene()

/** 24 wide and 18 high as stored; with orientation 6 a viewer shows it 18 wide and 24 high. */
const plain = {
  jpeg: await paint('jpeg', { alpha: false }),
  png: await paint('png'),
  webp: await paint('webp'),
}
type Format = keyof typeof plain
const FORMATS = Object.keys(plain) as Format[]

const GPS = { IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 0/1', GPSLongitudeRef: 'W' } }

/** A photo with a GPS position, rotated if an orientation is given. */
const photo = (format: Format, orientation?: number): Promise<Buffer> =>
  withSharp(async (sharp) => {
    const tagged = sharp(plain[format])
      .withExif({ IFD0: { Make: 'A camera' }, ...GPS })
      .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/"/>')
      .withIccProfile('srgb')
    const written = orientation === undefined ? tagged : tagged.withMetadata({ orientation, exif: GPS })
    return await written.toFormat(format).toBuffer()
  })

const headerOf = (bytes: Uint8Array) => withSharp((sharp) => sharp(bytes).metadata())
const pixelsOf = (bytes: Uint8Array) => withSharp((sharp) => sharp(bytes).raw().toBuffer())
const mime = (format: Format) => `image/${format}` as const
const fileOf = (bytes: Uint8Array, format: Format) =>
  new File([Buffer.from(bytes)], `a.${format}`, { type: mime(format) })

/** The image that the provider of Gemini's protocol received. */
const sentImage = (): Buffer => {
  const { contents } = JSON.parse(upstream.last().body.toString())
  const parts: { inlineData?: { data: string } }[] = contents.flatMap(
    (content: { parts: object[] }) => content.parts,
  )
  return Buffer.from(parts.find(({ inlineData }) => inlineData)?.inlineData?.data ?? '', 'base64')
}

type Way = (key: string, bytes: Uint8Array, format: Format) => Promise<Response>
const WAYS: Readonly<Record<string, Way>> = {
  'edits, a form': (key, bytes, format) => postForm(gateway, key, editForm({ image: fileOf(bytes, format) })),
  'edits, an upload': async (key, bytes) =>
    gateway.call(EDITS, generation({ image_key: await uploaded(gateway, key, bytes) }), { key }),
  'compose, a data URI': (key, bytes, format) =>
    gateway.call(COMPOSE, compose({ image_urls: [dataUri(bytes, mime(format))] }), { key }),
  generateContent: (key, bytes, format) =>
    gateway.call(
      wholePath(PICTURE),
      {
        contents: [
          {
            role: 'user',
            parts: [
              { text: 'bluer' },
              { inlineData: { mimeType: mime(format), data: Buffer.from(bytes).toString('base64') } },
            ],
          },
        ],
      },
      { key },
    ),
  chat: (key, bytes, format) =>
    gateway.call(
      '/v1/chat/completions',
      {
        model: PICTURE,
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'bluer' },
              { type: 'image_url', image_url: { url: dataUri(bytes, mime(format)) } },
            ],
          },
        ],
      },
      { key },
    ),
}

async function sendBy(way: string, bytes: Uint8Array, format: Format): Promise<Buffer> {
  upstream.answer(draws(PNG))
  const response = await WAYS[way]?.(await gateway.caller('10'), bytes, format)
  expect([response?.status, response?.ok ? '' : await response?.text()]).toEqual([200, ''])
  return sentImage()
}

const EACH = Object.keys(WAYS).flatMap((way) => FORMATS.map((format) => [way, format] as const))

describe.each(EACH)('%s, a %s', (way, format) => {
  test('without metadata: byte for byte', async () => {
    expect((await sendBy(way, plain[format], format)).equals(plain[format])).toBe(true)
  })

  test('with a position, not rotated: the position is cut out, the picture and its colour profile stay', async () => {
    const taken = await photo(format)
    const sent = await sendBy(way, taken, format)
    const { exif, xmp, icc } = await headerOf(sent)
    expect([exif, xmp, icc !== undefined]).toEqual([undefined, undefined, true])
    expect((await pixelsOf(sent)).equals(await pixelsOf(taken))).toBe(true)
    expect(sent.length).toBeLessThan(taken.length)
  })

  test('rotated: is sent upright, and without the position', async () => {
    const taken = await photo(format, 6)
    expect((await headerOf(taken)).orientation).toBe(6)
    const { exif, orientation, width, height } = await headerOf(await sendBy(way, taken, format))
    expect([exif, orientation, width, height]).toEqual([undefined, undefined, 18, 24])
  })
})

/** A progressive JPEG has tables between its scans. */
const progressive = await withSharp((sharp) => sharp(plain.jpeg).jpeg({ progressive: true }).toBuffer())

test.each([
  ['a JPEG', 'image/jpeg', plain.jpeg],
  ['a progressive JPEG', 'image/jpeg', progressive],
  ['a PNG', 'image/png', plain.png],
  ['a WebP', 'image/webp', plain.webp],
] as const)('%s: data that a camera appends after the picture is cut off', async (_, type, bytes) => {
  const film = Buffer.from('\0\0\0\x18ftypmp42\xa9xyz+51.5-000.1/', 'latin1')
  for (const appended of [film, await photo('jpeg'), Buffer.alloc(3)]) {
    const bare = withoutMetadata(Buffer.concat([bytes, appended]), type)
    expect(Buffer.from(bare.bytes).equals(bytes)).toBe(true)
  }
  expect(withoutMetadata(bytes, type).bytes).toBe(bytes)
})

test('a JPEG without an end stays whole', () => {
  const cut = plain.jpeg.subarray(0, -2)
  expect(withoutMetadata(cut, 'image/jpeg').bytes).toBe(cut)
})

test.each(['gif', 'webp'] as const)('an animated %s: its first frame', async (format) => {
  const sent = await sendBy('compose, a data URI', await animate(format, 3), format as Format)
  expect(await headerOf(sent)).toMatchObject({ format: 'png', width: 12, height: 10 })
})

test('an upload is stored unchanged', async () => {
  const key = await gateway.caller('10')
  const taken = await photo('jpeg', 6)
  const image_key = await uploaded(gateway, key, taken)
  const stored = await gateway.call(`/api/v1/files/${image_key}`, undefined, { key })
  expect(Buffer.from(await stored.arrayBuffer()).equals(taken)).toBe(true)
})

const TALL = await paint('png', { width: 18, height: 24 })
const WIDE = await paint('png', { width: 24, height: 18 })
const OPAQUE = await paint('png', { width: 18, height: 24, alpha: false })

describe('a mask in a form', () => {
  const edit = async (image: Blob, mask: Uint8Array) => {
    upstream.answer(sends(PNG))
    const form = editForm({
      model: OVER_OPENAI,
      image,
      mask: new File([Buffer.from(mask)], 'mask.png', { type: 'image/png' }),
    })
    return postForm(gateway, await gateway.caller('10'), form)
  }

  test('must have the size of the upright image, which the provider gets', async () => {
    await imagesIn(await edit(fileOf(await photo('jpeg', 6), 'jpeg'), TALL))
    const form = await new Response(new Uint8Array(upstream.last().body), {
      headers: { 'content-type': upstream.last().headers['content-type'] ?? '' },
    }).formData()
    const image = new Uint8Array(await (form.get('image') as File).arrayBuffer())
    expect(await headerOf(image)).toMatchObject({ width: 18, height: 24 })
  })

  test('is sent without its metadata, like a mask in JSON', async () => {
    const mask = await photo('png')
    expect((await headerOf(mask)).exif).toBeDefined()
    await imagesIn(await edit(fileOf(plain.jpeg, 'jpeg'), mask))
    const form = await new Response(new Uint8Array(upstream.last().body), {
      headers: { 'content-type': upstream.last().headers['content-type'] ?? '' },
    }).formData()
    const sent = new Uint8Array(await (form.get('mask') as File).arrayBuffer())
    expect((await headerOf(sent)).exif).toBeUndefined()
    expect((await pixelsOf(sent)).equals(await pixelsOf(mask))).toBe(true)
  })

  test.each([
    ['of another size', WIDE, 'must have the size of the first image, 18x24'],
    ['without an alpha channel', OPAQUE, 'alpha channel'],
    ['damaged', TALL.subarray(0, 60), 'damaged'],
  ])('%s is refused', async (_, mask, words) => {
    const before = gateway.counts()
    const response = await edit(fileOf(await photo('jpeg', 6), 'jpeg'), mask)
    const { error } = (await response.json()) as { error: { message: string } }
    expect([response.status, error.message.includes(words)]).toEqual([400, true])
    expect(gateway.counts()).toEqual(before)
  })
})

describe('invalid files are left unchanged', () => {
  test.each([
    ['a JPEG that ends in a segment', 'image/jpeg', Buffer.from('ffd8ffe1ffff457869660000', 'hex')],
    ['a JPEG without a marker', 'image/jpeg', Buffer.from('ffd8ff00010203', 'hex')],
    [
      'a PNG whose chunk is longer than the file',
      'image/png',
      Buffer.concat([PNG.subarray(0, 8), Buffer.from('7fffffff65584966', 'hex'), Buffer.alloc(20)]),
    ],
    [
      'a WebP whose chunk is longer than the file',
      'image/webp',
      Buffer.from('RIFF\x10\0\0\0WEBPEXIF\xff\xff\xff\x7f', 'latin1'),
    ],
    ['a GIF', 'image/gif', Buffer.from('GIF89a')],
  ] as const)('%s', (_, type, bytes) => {
    expect(withoutMetadata(bytes, type)).toEqual({ bytes, orientation: undefined })
  })

  test('an orientation above 8, and a directory beyond the end of the file, are ignored', () => {
    const exif = (tiff: string) => {
      const content = Buffer.concat([Buffer.from('Exif\0\0'), Buffer.from(tiff, 'hex')])
      const length = Buffer.alloc(2)
      length.writeUInt16BE(content.length + 2)
      return Buffer.concat([
        Buffer.from('ffd8ffe1', 'hex'),
        length,
        content,
        Buffer.from('ffda00020000', 'hex'),
      ])
    }
    expect(
      withoutMetadata(exif('4d4d002a00000008000101120003000000010009000000000000'), 'image/jpeg').orientation,
    ).toBeUndefined()
    expect(
      withoutMetadata(exif('49492a0008000000010012010300010000000600000000000000'), 'image/jpeg').orientation,
    ).toBe(6)
    expect(withoutMetadata(exif('49492a00ffffff7f'), 'image/jpeg').orientation).toBeUndefined()
    expect(withoutMetadata(exif(''), 'image/jpeg').orientation).toBeUndefined()
  })
})
