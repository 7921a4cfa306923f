// Conversion to the request of the caller: exactly the size, the aspect ratio, the format, and alpha or none.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { mimeOf, OUTPUT_FORMATS, sniffImage } from '../../src/domain/image-formats.ts'
import { hasAspectRatio, parseAspectRatio, parseSize } from '../../src/domain/image-size.ts'
import { type ConvertOptions, convert } from '../../src/media/convert.ts'
import { inspectImage } from '../../src/media/inspect.ts'
import { withSharp } from '../../src/media/sharp.ts'
import { blackPng, pngChunk, withPngChunks } from './crafted.ts'
import { animate, concat, paint, refusalOf } from './support.ts'

const FORMATS = ['jpeg', 'png', 'gif', 'webp'] as const
const BACKGROUNDS = ['auto', 'transparent', 'opaque'] as const
const PNG = await paint('png')

const sized = (text: string) => {
  const size = parseSize(text)
  if (size === 'auto') throw new Error('not a size')
  return size
}

/** The red, green, blue and alpha of a pixel. */
const pixelAt = async (bytes: Uint8Array, left: number, top: number): Promise<number[]> =>
  withSharp(async (sharp) => [
    ...(await sharp(bytes).ensureAlpha().extract({ left, top, width: 1, height: 1 }).raw().toBuffer()),
  ])

/** One colour, as red, green, blue and alpha from 0 to 1. */
const plain = (
  width: number,
  height: number,
  [r, g, b, alpha]: [number, number, number, number],
): Promise<Uint8Array> =>
  withSharp((sharp) =>
    sharp({ create: { width, height, channels: 4, background: { r, g, b, alpha } } })
      .png()
      .toBuffer(),
  )

describe('properties of every conversion', () => {
  const side = fc.integer({ min: 1, max: 90 })
  const source = fc.record({
    format: fc.constantFrom(...FORMATS),
    width: side,
    height: side,
    alpha: fc.boolean(),
  })
  const ratio = fc
    .constantFrom('1:1', '16:9', '9:16', '4:3', '3:4', '3:2', '2:3', '21:9', '7:5')
    .map(parseAspectRatio)
  const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined })
  const anyOptions = fc
    .record({
      size: maybe(fc.record({ width: side, height: side })),
      aspect_ratio: maybe(ratio),
      output_format: maybe(fc.constantFrom(...OUTPUT_FORMATS)),
      background: maybe(fc.constantFrom(...BACKGROUNDS)),
    })
    .filter(({ output_format, background }) => !(output_format === 'jpeg' && background === 'transparent'))

  test('size, aspect ratio, format, and alpha are as requested, and the result is described correctly', async () => {
    await fc.assert(
      fc.asyncProperty(source, anyOptions, async ({ format, ...dimensions }, options) => {
        const original = await paint(format, dimensions)
        const result = await convert(original, options)
        const facts = await inspectImage(result.bytes)
        expect(facts).toMatchObject({
          mime: result.mime,
          width: result.width,
          height: result.height,
          frames: 1,
        })
        if (options.output_format) expect(sniffImage(result.bytes)).toBe(mimeOf(options.output_format))
        if (options.size) expect({ width: facts.width, height: facts.height }).toEqual(options.size)
        else if (options.aspect_ratio) expect(hasAspectRatio(facts, options.aspect_ratio)).toBe(true)
        else
          expect({ width: facts.width, height: facts.height }).toEqual({
            width: dimensions.width,
            height: dimensions.height,
          })
        if (options.background === 'opaque') expect(facts.has_alpha).toBe(false)
        if (options.background === 'transparent' && facts.mime === 'image/png')
          expect(facts.has_alpha).toBe(true)
      }),
      { numRuns: 40 },
    )
  })

  test('an image that was converted once is returned unchanged by the same conversion', async () => {
    await fc.assert(
      fc.asyncProperty(source, anyOptions, async ({ format, ...dimensions }, options) => {
        const once = await convert(await paint(format, dimensions), options)
        // WebP drops an alpha channel in which nothing is transparent: that conversion is repeated each time.
        fc.pre(!(once.mime === 'image/webp' && options.background === 'transparent'))
        const twice = await convert(once.bytes, options)
        expect(Buffer.from(twice.bytes).equals(once.bytes)).toBe(true)
      }),
      { numRuns: 20 },
    )
  })
})

describe('the sizes of spec.md, Limits', () => {
  test.each([
    '1024x1024',
    '1024x1536',
    '1536x1024',
    '1024x1792',
    '1792x1024',
    '1280x1280',
    '2048x2048',
    '256x256',
    '512x512',
  ])('%s', async (text) => {
    const { bytes } = await convert(PNG, { size: sized(text), output_format: 'jpeg' })
    expect(await inspectImage(bytes)).toMatchObject({ ...sized(text), mime: 'image/jpeg' })
  })
})

describe('an image is scaled to cover the size, and cropped from the centre', () => {
  test('the left and right are cropped, the middle stays', async () => {
    const stripes = await withSharp(async (sharp) => {
      const part = (background: string) =>
        sharp({ create: { width: 40, height: 40, channels: 3, background } })
          .png()
          .toBuffer()
      const [red, green, blue] = await Promise.all(['#f00', '#0f0', '#00f'].map(part))
      return sharp({ create: { width: 120, height: 40, channels: 3, background: '#000' } })
        .composite(
          [red, green, blue].flatMap((input, index) => (input ? [{ input, left: index * 40, top: 0 }] : [])),
        )
        .png()
        .toBuffer()
    })
    for (const options of [{ size: { width: 40, height: 40 } }, { aspect_ratio: { width: 1, height: 1 } }]) {
      const { bytes } = await convert(stripes, options)
      expect(await pixelAt(bytes, 3, 20)).toEqual([0, 255, 0, 255])
      expect(await pixelAt(bytes, 36, 20)).toEqual([0, 255, 0, 255])
    }
  })

  test('an aspect ratio alone crops and leaves the pixels unchanged', async () => {
    const { bytes, width, height } = await convert(PNG, { aspect_ratio: { width: 1, height: 1 } })
    expect({ width, height }).toEqual({ width: 18, height: 18 })
    expect(await pixelAt(bytes, 0, 5)).toEqual(await pixelAt(PNG, 3, 5))
    expect(await pixelAt(bytes, 17, 17)).toEqual(await pixelAt(PNG, 20, 17))

    const wide = await paint('png', { width: 40, height: 30 })
    const cropped = await convert(wide, { aspect_ratio: { width: 16, height: 9 } })
    expect([cropped.width, cropped.height]).toEqual([32, 18])
    expect(await pixelAt(cropped.bytes, 5, 7)).toEqual(await pixelAt(wide, 5 + 4, 7 + 6))
  })
})

describe('background', () => {
  const clear = plain(10, 10, [255, 0, 0, 0])
  const half = plain(10, 10, [255, 0, 0, 0.5])

  test.each([undefined, ...OUTPUT_FORMATS])('opaque flattens on white (%s)', async (output_format) => {
    const { bytes } = await convert(await clear, { background: 'opaque', output_format })
    expect((await inspectImage(bytes)).has_alpha).toBe(false)
    expect(await pixelAt(bytes, 5, 5)).toEqual([255, 255, 255, 255])
  })

  test('a JPEG is flattened on white, whatever the background', async () => {
    for (const background of [undefined, 'auto', 'opaque'] as const) {
      const { bytes } = await convert(await clear, { background, output_format: 'jpeg' })
      expect(await pixelAt(bytes, 5, 5)).toEqual([255, 255, 255, 255])
    }
  })

  test.each([undefined, 'png', 'webp'] as const)(
    'transparent keeps transparency (%s)',
    async (output_format) => {
      const { bytes } = await convert(await half, {
        background: 'transparent',
        output_format,
        size: { width: 7, height: 7 },
      })
      expect((await inspectImage(bytes)).has_alpha).toBe(true)
      expect((await pixelAt(bytes, 3, 3))[3]).toBeWithin(120, 136)
    },
  )

  test('a transparent background turns a JPEG into a PNG with an alpha channel if no format was requested', async () => {
    const { bytes } = await convert(await paint('jpeg'), { background: 'transparent' })
    expect(await inspectImage(bytes)).toMatchObject({ mime: 'image/png', has_alpha: true })
  })

  test('a transparent JPEG is refused: 400 invalid_request', async () => {
    const options: ConvertOptions = { background: 'transparent', output_format: 'jpeg' }
    expect(await refusalOf(() => convert(PNG, options))).toMatchObject({
      kind: 'invalid_request',
      code: 'invalid_request',
    })
  })
})

describe('an image is re-encoded only if needed', () => {
  test.each(['jpeg', 'png', 'webp'] as const)(
    'a %s that already meets the request is returned byte for byte',
    async (format) => {
      const bytes = await paint(format)
      const already_met: ConvertOptions[] = [
        {},
        { output_format: format },
        { size: { width: 24, height: 18 } },
        { aspect_ratio: { width: 4, height: 3 } },
      ]
      for (const options of already_met) expect((await convert(bytes, options)).bytes).toBe(bytes)
    },
  )

  test('a GIF becomes a PNG, an animation its first frame', async () => {
    expect((await convert(await paint('gif'), {})).mime).toBe('image/png')
    for (const format of ['gif', 'webp'] as const) {
      const { bytes } = await convert(await animate(format, 3), {})
      expect(await inspectImage(bytes)).toMatchObject({ width: 12, height: 10, frames: 1 })
    }
  })
})

describe('metadata is stripped', () => {
  const secrets: [string, Promise<Uint8Array>][] = [
    [
      'EXIF',
      withSharp((sharp) =>
        sharp(PNG)
          .jpeg()
          .withExif({ IFD0: { Copyright: 'secret' }, IFD3: { GPSLatitude: '51/1 30/1 0/1' } })
          .toBuffer(),
      ),
    ],
    [
      'XMP',
      withSharp((sharp) =>
        sharp(PNG).jpeg().withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/">secret</x:xmpmeta>').toBuffer(),
      ),
    ],
    ['a text chunk', Promise.resolve(withPngChunks(PNG, pngChunk('tEXt', 'parameters\0secret')))],
  ]
  test.each(secrets)('%s, even if nothing else was requested', async (_, file) => {
    const bytes = await file
    expect(Buffer.from(bytes).includes('secret')).toBe(true)
    const result = await convert(bytes, {})
    expect(Buffer.from(result.bytes).includes('secret')).toBe(false)
    const { exif, xmp, comments } = await withSharp((sharp) => sharp(result.bytes).metadata())
    expect([exif, xmp, comments]).toEqual([undefined, undefined, undefined])
  })

  test('the orientation is applied first', async () => {
    const upright = await withSharp((sharp) =>
      sharp(PNG).jpeg({ quality: 100 }).withMetadata({ orientation: 6 }).toBuffer(),
    )
    const { bytes, width, height } = await convert(upright, { output_format: 'png' })
    expect({ width, height }).toEqual({ width: 18, height: 24 })
    expect(await inspectImage(bytes)).toMatchObject({ width: 18, height: 24 })
  })
})

describe('an image that cannot be converted is 502 upstream_error', () => {
  const cut = PNG.subarray(0, PNG.length - 40)
  test.each<[string, Uint8Array, ConvertOptions]>([
    ['bytes that are not an image', Buffer.from('not an image'), {}],
    ['an empty file', new Uint8Array(), {}],
    ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'), {}],
    ['a damaged image that must be converted', cut, { output_format: 'webp' }],
    ['a damaged image that already meets the request', cut, { output_format: 'png' }],
    ['a signature alone', concat('\x89PNG\r\n\x1a\n'), {}],
    ['an image of more than 40 million pixels', blackPng(8000, 5001), { size: sized('8x5') }],
    ['a size of more than 40 million pixels', PNG, { size: sized('9999x9999') }],
    ['a size that overflows', PNG, { size: sized('9999999x9999999') }],
    ['a side that is too long for WebP', PNG, { size: sized('16384x9'), output_format: 'webp' }],
    ['a side that is too long for JPEG', PNG, { size: sized('65536x9'), output_format: 'jpeg' }],
  ])('%s', async (_, bytes, options) => {
    expect(await refusalOf(() => convert(bytes, options))).toMatchObject({
      kind: 'upstream_failed',
      code: 'upstream_error',
    })
  })
})
