// Inspection of images: one of four formats by its bytes, within the limits, and decoded completely.
import { describe, expect, test } from 'bun:test'
import { GatewayError } from '../../src/domain/errors.ts'
import { sniffImage } from '../../src/domain/image-formats.ts'
import { convert } from '../../src/media/convert.ts'
import { inspectImage } from '../../src/media/inspect.ts'
import { MAX_FRAMES, MAX_PIXELS } from '../../src/media/limits.ts'
import { withSharp } from '../../src/media/sharp.ts'
import { randomOf } from '../providers/random-numbers.ts'
import {
  animatedPng,
  blackPng,
  hollowWebp,
  pngChunk,
  resizedJpeg,
  sparseGif,
  withJpegSegment,
  withPngChunks,
} from './crafted.ts'
import { animate, codeOf, concat, paint, refusalOf } from './support.ts'

const FORMATS = ['jpeg', 'png', 'gif', 'webp'] as const
const [JPEG, PNG, GIF, WEBP] = await Promise.all([paint('jpeg'), paint('png'), paint('gif'), paint('webp')])
const square = (side: number) => ({ width: side, height: side })
const SVG =
  '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="file:///etc/passwd"/></svg>'

describe('the four formats are recognised by their bytes and described', () => {
  test.each(FORMATS)('%s', async (format) => {
    expect(await inspectImage(await paint(format, { width: 31, height: 17 }))).toEqual({
      mime: `image/${format}`,
      width: 31,
      height: 17,
      frames: 1,
      has_alpha: format !== 'jpeg',
    })
  })

  test('a PNG without alpha', async () => {
    expect((await inspectImage(await paint('png', { alpha: false }))).has_alpha).toBe(false)
  })

  test.each(['gif', 'webp'] as const)(
    'an animated %s: all frames are counted, the size is that of one',
    async (format) => {
      expect(await inspectImage(await animate(format, 3))).toMatchObject({ width: 12, height: 10, frames: 3 })
    },
  )

  test('an animated PNG: all frames are counted', async () => {
    expect(await inspectImage(animatedPng(PNG, 7))).toMatchObject({ width: 24, height: 18, frames: 7 })
  })

  test('the size of a rotated photograph is that of the upright image', async () => {
    const rotated = await withSharp((sharp) => sharp(JPEG).withMetadata({ orientation: 6 }).toBuffer())
    expect(await inspectImage(rotated)).toMatchObject({ width: 18, height: 24 })
  })

  test('an image of exactly 40 million pixels', async () => {
    expect(await inspectImage(blackPng(8000, 5000))).toMatchObject({ width: 8000, height: 5000 })
    expect(8000 * 5000).toBe(MAX_PIXELS)
  })

  test('frames of exactly 40 million pixels', async () => {
    expect(await inspectImage(sparseGif(square(1000), 40))).toMatchObject({ frames: 40 })
  })
})

const [tiff, avif] = await Promise.all([paint('tiff'), paint('avif')])

describe('another format by its leading bytes: IMAGE_TYPE_UNSUPPORTED, even if libvips could read it', () => {
  test.each<[string, Uint8Array | string]>([
    ['an empty file', ''],
    ['one byte', '\xff'],
    ['SVG', SVG],
    ['SVG after a byte order mark', `\xef\xbb\xbf${SVG}`],
    ['TIFF', tiff],
    ['AVIF', avif],
    ['HEIC', '\0\0\0\x18ftypheic\0\0\0\0heicmif1'],
    ['BMP', 'BM\x3a\0\0\0\0\0\0\0'],
    ['ICO', '\0\0\x01\0\x01\0\x10\x10'],
    ['PDF', '%PDF-1.7\n%\xe2\xe3'],
    ['JPEG XL', '\xff\x0a\xfa\x1f\x01'],
    ['JPEG 2000', '\0\0\0\x0cjP  \r\n\x87\n'],
    ['PPM', 'P6\n1 1\n255\n\0\0\0'],
    ['Radiance', '#?RADIANCE\n'],
    ['PSD', '8BPS\0\x01'],
    ['EPS', '%!PS-Adobe-3.0 EPSF-3.0'],
    ['ImageMagick script', 'push graphic-context\nviewbox 0 0 1 1\n'],
    ['HTML', '<!doctype html><script>alert(1)</script>'],
    ['ZIP', 'PK\x03\x04'],
    ['ELF', '\x7fELF\x02\x01\x01'],
    ['MP4', '\0\0\0\x20ftypisom'],
    ['WAVE in RIFF', 'RIFF\x24\0\0\0WAVEfmt '],
    ['a PNG after a space', concat(' ', PNG)],
    ['a PNG read as text', concat('\x89PNG\n\x1a\n', PNG.subarray(8))],
    ['a GIF of another year', concat('GIF90a', GIF.subarray(6))],
    ['a JPEG without its third byte', '\xff\xd8'],
  ])('%s', async (_, content) => {
    const refusal = await refusalOf(() => inspectImage(concat(content)))
    expect(refusal).toMatchObject({ kind: 'invalid_request', code: 'IMAGE_TYPE_UNSUPPORTED' })
  })

  test.each<[string, Uint8Array | string]>([
    ['SVG', SVG],
    ['PDF', '%PDF-1.7'],
    ['BMP', 'BM'],
  ])('%s cannot be read by sharp itself either', async (_, content) => {
    await expect(withSharp((sharp) => sharp(concat(content)).metadata())).rejects.toThrow(
      'unsupported image format',
    )
  })

  test('files cannot be read by their names', async () => {
    await expect(withSharp((sharp) => sharp(import.meta.path).metadata())).rejects.toThrow()
  })
})

describe('a valid beginning followed by something else is damaged: invalid_request', () => {
  test.each<[string, Uint8Array]>([
    ['PNG signature, then SVG', concat(PNG.subarray(0, 8), SVG)],
    ['PNG signature alone', PNG.subarray(0, 8)],
    ['GIF signature, then SVG', concat('GIF89a', SVG)],
    ['GIF signature alone', concat('GIF89a')],
    ['JPEG signature, then HTML', concat('\xff\xd8\xff', '<html></html>')],
    ['WebP header, then HTML', concat(WEBP.subarray(0, 16), '<html></html>')],
    ['JPEG whose second half is missing', JPEG.subarray(0, JPEG.length / 2)],
    ['PNG whose second half is missing', PNG.subarray(0, PNG.length / 2)],
    ['WebP whose second half is missing', WEBP.subarray(0, WEBP.length / 2)],
    ['GIF whose second half is missing', GIF.subarray(0, GIF.length / 2)],
    [
      'PNG whose pixels are noise',
      withPngChunks(PNG.subarray(0, 33), pngChunk('IDAT', 'no deflate stream'), pngChunk('IEND', '')),
    ],
    ['PNG of width 0', blackPng(0, 5)],
    ['WebP that declares a larger size than it has', hollowWebp(5000, 5000)],
  ])('%s', async (_, bytes) => {
    expect(await refusalOf(() => inspectImage(bytes))).toMatchObject({
      kind: 'invalid_request',
      code: 'invalid_request',
    })
  })
})

test('damage in a later frame is also found', async () => {
  const gif = Buffer.from(await animate('gif', 4))
  gif.fill(0xff, gif.length - 150, gif.length - 20)
  expect(await codeOf(() => inspectImage(gif))).toBe('invalid_request')
})

describe('more than 40 million pixels or 10,000 frames: IMAGE_TOO_LARGE, before they are decoded', () => {
  test.each<[string, () => Uint8Array]>([
    ['PNG of 30000x30000, 110 kB', () => blackPng(30_000, 30_000)],
    ['PNG of one row too many', () => blackPng(8000, 5001)],
    ['JPEG of 30000x30000', () => resizedJpeg(JPEG, 30_000, 30_000)],
    ['JPEG of 65500x65500', () => resizedJpeg(JPEG, 65_500, 65_500)],
    ['GIF of 30000x30000', () => sparseGif(square(30_000), 1, square(30_000))],
    ['GIF of 65535x65535, twice', () => sparseGif(square(65_535), 2, square(65_535))],
    ['WebP of 16383x16383', () => hollowWebp(16_383, 16_383)],
    ['GIF of 41 frames of a million pixels', () => sparseGif(square(1000), 41)],
    ['GIF of more frames than 10,000', () => sparseGif(square(1), MAX_FRAMES + 1)],
    ['APNG of 41 frames of a million pixels', () => animatedPng(blackPng(1000, 1000), 41)],
    ['APNG of more frames than 10,000', () => animatedPng(blackPng(1, 1), MAX_FRAMES + 1)],
  ])('%s', async (_, bomb) => {
    expect(await codeOf(() => inspectImage(bomb()))).toBe('IMAGE_TOO_LARGE')
  })

  test('an animated WebP of 41 frames of a million pixels', async () => {
    const webp = Buffer.from(await animate('webp', 41))
    // VP8X, bytes 24 to 29: the canvas, less one, in two numbers of 24 bits. RFC 9649 §2.7.
    webp.writeUIntLE(999, 24, 3)
    webp.writeUIntLE(999, 27, 3)
    expect(await codeOf(() => inspectImage(webp))).toBe('IMAGE_TOO_LARGE')
  })
})

describe('a file that is an image and something else is accepted; its conversion holds the image only', () => {
  const PAYLOAD = '<script>alert("payload")</script><?php payload(); ?>'
  test.each<[string, Uint8Array]>([
    ['JPEG with a page in a comment', withJpegSegment(JPEG, 0xfe, PAYLOAD)],
    ['JPEG with a page after it', concat(JPEG, PAYLOAD)],
    ['JPEG with a ZIP after it', concat(JPEG, 'PK\x03\x04', PAYLOAD)],
    ['PNG with a page in a text chunk', withPngChunks(PNG, pngChunk('tEXt', `Comment\0${PAYLOAD}`))],
    ['PNG with a page in a private chunk', withPngChunks(PNG, pngChunk('prVt', PAYLOAD))],
    ['PNG with a page after it', concat(PNG, PAYLOAD)],
    [
      'GIF with a script in a comment',
      concat(GIF.subarray(0, -1), '!\xfe', Uint8Array.of(PAYLOAD.length), PAYLOAD, '\0;'),
    ],
    ['GIF with a page after it', concat(GIF, PAYLOAD)],
    ['WebP with a page after it', concat(WEBP, PAYLOAD)],
  ])('%s', async (_, bytes) => {
    expect(sniffImage(bytes)).toBe((await inspectImage(bytes)).mime)
    const { bytes: clean } = await convert(bytes, { size: { width: 20, height: 15 } })
    expect(Buffer.from(clean).includes('payload')).toBe(false)
  })
})

const VALID: [string, Uint8Array][] = [
  ['JPEG', JPEG],
  ['progressive JPEG', await withSharp((sharp) => sharp(JPEG).jpeg({ progressive: true }).toBuffer())],
  ['JPEG with EXIF', await withSharp((sharp) => sharp(JPEG).withMetadata({ orientation: 8 }).toBuffer())],
  ['PNG', PNG],
  [
    'interlaced PNG',
    await withSharp((sharp) => sharp(PNG).png({ progressive: true, palette: true }).toBuffer()),
  ],
  ['APNG', animatedPng(PNG, 3)],
  ['GIF', GIF],
  ['animated GIF', await animate('gif', 4)],
  ['WebP', WEBP],
  ['animated WebP', await animate('webp', 4)],
]

describe('damaged files: each is either refused or decoded', () => {
  const SEED = 11
  const ROUNDS = 30
  const ALLOWED = ['IMAGE_TYPE_UNSUPPORTED', 'IMAGE_TOO_LARGE', 'invalid_request']

  test.each(VALID.map(([name, bytes], index): [string, number, Uint8Array] => [name, SEED + index, bytes]))(
    '%s (seed %d)',
    async (_, seed, bytes) => {
      const chance = randomOf(seed)
      const damaged = Array.from({ length: ROUNDS }, () => damage(bytes, chance))
      const outcomes = await Promise.all(
        damaged.map(async (file) => ({ file, outcome: await outcomeOf(() => inspectImage(file)) })),
      )
      for (const { file, outcome } of outcomes) {
        if (outcome instanceof GatewayError) expect(ALLOWED).toContain(outcome.code ?? 'none')
        else {
          expect(sniffImage(file)).toBe(outcome.mime)
          expect(outcome.width * outcome.height * outcome.frames).toBeWithin(1, MAX_PIXELS + 1)
        }
      }
      const converted = await Promise.all(
        damaged.map((file) => outcomeOf(() => convert(file, { output_format: 'webp' }))),
      )
      for (const outcome of converted) {
        if (outcome instanceof GatewayError) expect(outcome.kind).toBe('upstream_failed')
        else expect(sniffImage(outcome.bytes)).toBe('image/webp')
      }
      // Otherwise the damage would be too small or too large to prove anything.
      const refused = outcomes.filter(({ outcome }) => outcome instanceof GatewayError).length
      expect(refused).toBeWithin(1, ROUNDS)
    },
  )
})

/** The result or the refusal; any other error fails the test. */
async function outcomeOf<T>(task: () => Promise<T>): Promise<T | GatewayError> {
  try {
    return await task()
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
}

/** Applies one to six of: a bit flipped, bytes replaced, a part cut out, a part doubled, the end cut off. */
function damage(bytes: Uint8Array, chance: () => number): Uint8Array {
  const below = (limit: number): number => Math.floor(chance() * limit)
  const kinds: ((file: Buffer) => Buffer)[] = [
    (file) => {
      const at = below(file.length)
      file[at] = (file[at] ?? 0) ^ (1 << below(8))
      return file
    },
    (file) => {
      file[below(file.length)] = below(256)
      return file
    },
    (file) => {
      file.fill(below(2) * 255, below(file.length), below(file.length))
      return file
    },
    (file) => {
      const at = below(file.length)
      return Buffer.concat([file.subarray(0, at), file.subarray(at + 1 + below(16))])
    },
    (file) => {
      const at = below(file.length)
      return Buffer.concat([file.subarray(0, at + 1 + below(16)), file.subarray(at)])
    },
    (file) => Buffer.from(file.subarray(0, 1 + below(file.length))),
  ]
  let file = Buffer.from(bytes)
  for (let times = 1 + below(6); times > 0; times -= 1)
    file = Buffer.from(kinds[below(kinds.length)]?.(file) ?? file)
  return file
}
