// Data URIs, spec.md, Image compose request, rule 4: valid base64, at most 35 MB of text, at most 25 MB decoded, bytes that match the type.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { isImageDataUri, parseDataUri } from '../../src/media/data-uri.ts'
import { MAX_DATA_URI_CHARS, MAX_IMAGE_BYTES } from '../../src/media/limits.ts'
import { concat, paint, refusalOf } from './support.ts'

const PNG = await paint('png')
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
const PNG_TEXT = base64(PNG)
const png = (data: string): string => `data:image/png;base64,${data}`
/** A data URI that decodes to this number of bytes: PNG's signature and filler. */
const pngOf = (bytes: number): string => png(base64(concat(PNG.subarray(0, 8), new Uint8Array(bytes - 8))))

describe('a data URI is read', () => {
  test.each(['jpeg', 'png', 'gif', 'webp'] as const)('of data:image/%s;base64', async (format) => {
    const bytes = await paint(format)
    const image = parseDataUri(`data:image/${format};base64,${base64(bytes)}`)
    expect(image.mime).toBe(`image/${format}`)
    expect(Buffer.from(image.bytes).equals(bytes)).toBe(true)
  })

  test('with scheme, type and base64 in any case', () => {
    expect(parseDataUri(`DATA:Image/PNG;Base64,${PNG_TEXT}`).mime).toBe('image/png')
  })

  test.each([
    ['the URL alphabet', (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')],
    ['padding missing', (bytes: Uint8Array) => base64(bytes).replace(/=+$/, '')],
    [
      'the URL alphabet, padded',
      (bytes: Uint8Array) => base64(bytes).replaceAll('+', '-').replaceAll('/', '_'),
    ],
  ])('with %s', (_, write) => {
    for (const tail of ['\xfb\xff\xfe', '\xfb\xff\xfe\xfb', '\xfb\xff\xfe\xfb\xff']) {
      const bytes = concat(PNG.subarray(0, 8), Buffer.from(tail, 'latin1'))
      expect(Buffer.from(parseDataUri(png(write(bytes))).bytes)).toEqual(Buffer.from(bytes))
    }
  })

  test('of exactly 25 MB', () => {
    expect(parseDataUri(pngOf(MAX_IMAGE_BYTES)).bytes.length).toBe(MAX_IMAGE_BYTES)
  })

  test('with any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (tail) => {
        const bytes = concat(PNG.subarray(0, 8), tail)
        expect(Buffer.from(parseDataUri(png(base64(bytes))).bytes)).toEqual(Buffer.from(bytes))
      }),
    )
  })
})

describe('malformed, type not allowed, or no base64 body: 400 invalid_data_uri', () => {
  const unpadded = base64(concat(PNG.subarray(0, 8), 'ab'))
  test.each([
    ['no data', png('')],
    ['no comma', 'data:image/png;base64'],
    ['not base64', `data:image/png,${PNG_TEXT}`],
    ['percent-encoded instead', 'data:image/png,%89PNG%0d%0a%1a%0a'],
    ['no type', `data:;base64,${PNG_TEXT}`],
    ['no subtype', `data:image/;base64,${PNG_TEXT}`],
    ['a parameter', `data:image/png;charset=utf-8;base64,${PNG_TEXT}`],
    ['base64 twice', `data:image/png;base64;base64,${PNG_TEXT}`],
    ['a space before the comma', `data:image/png;base64 ,${PNG_TEXT}`],
    ['a space before the data', png(` ${PNG_TEXT}`)],
    ['SVG', `data:image/svg+xml;base64,${base64(Buffer.from('<svg/>'))}`],
    ['TIFF', `data:image/tiff;base64,${PNG_TEXT}`],
    ['AVIF', `data:image/avif;base64,${PNG_TEXT}`],
    ['HEIC', `data:image/heic;base64,${PNG_TEXT}`],
    ['BMP', `data:image/bmp;base64,${PNG_TEXT}`],
    ['image/jpg, which is not a registered type', `data:image/jpg;base64,${PNG_TEXT}`],
    ['an unregistered type', `data:image/x-png;base64,${PNG_TEXT}`],
    ['the name of an object property', `data:image/constructor;base64,${PNG_TEXT}`],
    ['padding too long', png(`${unpadded}=`)],
    ['padding inside', png(`${unpadded}${PNG_TEXT}`)],
    ['padding alone', png('====')],
    ['one character', png('i')],
    ['five characters', png('iVBOR')],
    ['unused bits that are not zero', png(`${base64(PNG.subarray(0, 8)).slice(0, -2)}p=`)],
    ['a newline in the middle', png(`${PNG_TEXT.slice(0, 40)}\n${PNG_TEXT.slice(40)}`)],
    ['a newline at the end', png(`${PNG_TEXT}\n`)],
    ['spaces that complete the length', png(`${PNG_TEXT}    `)],
    ['a part of its padding missing', png('iVBORw0KGg=')],
    ['a percent sign', png(`${PNG_TEXT.slice(0, 40)}%2B${PNG_TEXT.slice(43)}`)],
    ['a letter of another script', png(`${PNG_TEXT.slice(0, 40)}Ａ${PNG_TEXT.slice(41)}`)],
    ['a NUL', png(`${PNG_TEXT.slice(0, 40)}\u0000${PNG_TEXT.slice(41)}`)],
    ['a fragment', png(`${PNG_TEXT}#a`)],
    ['a URL as data', 'data:image/png;base64,https://images.example.com/a.png'],
  ])('%s', async (_, text) => {
    expect(await refusalOf(() => parseDataUri(text))).toMatchObject({
      kind: 'invalid_request',
      code: 'invalid_data_uri',
    })
  })
})

describe('leading bytes that do not match the declared type: 400 MAGIC_MISMATCH', () => {
  test.each([
    ['a PNG that says JPEG', 'jpeg', PNG],
    ['a PNG that says WebP', 'webp', PNG],
    ['an HTML page', 'png', Buffer.from('<html></html>')],
    ['an SVG', 'png', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['a signature cut short', 'png', PNG.subarray(0, 7)],
    ['a signature one byte late', 'png', concat('\0', PNG)],
    ['a RIFF file that holds sound', 'webp', Buffer.from('RIFF\x04\0\0\0WAVEfmt ', 'latin1')],
    ['an unknown GIF', 'gif', Buffer.from('GIF88a\x01\0\x01\0')],
    ['one byte', 'jpeg', Uint8Array.of(0xff)],
  ])('%s', async (_, type, bytes) => {
    const refusal = await refusalOf(() => parseDataUri(`data:image/${type};base64,${base64(bytes)}`))
    expect(refusal).toMatchObject({ kind: 'invalid_request', code: 'MAGIC_MISMATCH' })
  })
})

describe('too large: image_too_large', () => {
  test('one byte over 25 MB decoded is a 400', async () => {
    const refusal = await refusalOf(() => parseDataUri(pngOf(MAX_IMAGE_BYTES + 1)))
    expect(refusal).toMatchObject({ kind: 'invalid_request', code: 'image_too_large' })
  })

  test('a text of exactly 35 MB is also a 400: it decodes to more than 25 MB', async () => {
    const text = png('A'.repeat(MAX_DATA_URI_CHARS - png('').length))
    expect(text.length).toBe(MAX_DATA_URI_CHARS)
    const refusal = await refusalOf(() => parseDataUri(text))
    expect(refusal).toMatchObject({ kind: 'invalid_request', code: 'image_too_large' })
  })

  test('one character over 35 MB is a 413, for any text', async () => {
    const text = `data:image/svg+xml,${'*'.repeat(MAX_DATA_URI_CHARS)}`.slice(0, MAX_DATA_URI_CHARS + 1)
    const refusal = await refusalOf(() => parseDataUri(text))
    expect(refusal).toMatchObject({ kind: 'payload_too_large', code: 'image_too_large' })
  })
})

test.each([
  ['data:image/png;base64,AAAA', true],
  ['DATA:IMAGE/svg+xml,x', true],
  ['data:text/plain,hello', false],
  [' data:image/png;base64,AAAA', false],
  ['https://images.example.com/data:image/png', false],
])('%j is read as a data URI of an image: %p', (text, expected) => {
  expect(isImageDataUri(text)).toBe(expected)
})
