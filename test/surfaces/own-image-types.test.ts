// Images for a server whose types nobody lists: what can be decoded becomes PNG or JPEG, all else passes unchanged.
import { describe, expect, test } from 'bun:test'
import { animate, paint } from '../media/support.ts'
import { formatOf, inlineImages, MIXED, OWN } from '../support/inline-images.ts'

const { counts, expectCounts, ask, sent } = await inlineImages()

const BMP = Buffer.from('BM\x3a\0\0\0\0\0\0\0')
const TIFF = await paint('tiff', { alpha: false })

/** Every surface with one model, and every model with chat. */
const EACH = [
  ...[...Object.values(OWN), MIXED].map((model) => ['chat', model] as const),
  ...(['messages', 'responses'] as const).map((surface) => [surface, OWN.chat] as const),
]

describe.each(EACH)('%s to %s', (surface, model) => {
  test.each([
    ['BMP', 'image/bmp', BMP],
    ['SVG', 'image/svg+xml', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['HEIC', 'image/heic', Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1')],
    ['a TIFF that cannot be decoded', 'image/tiff', TIFF.subarray(0, 40)],
  ] as const)('%s passes unchanged', async (_, mime, bytes) => {
    const image = await sent(surface, model, mime, bytes)
    expect([image.mime, image.bytes.equals(bytes)]).toEqual([mime, true])
  })

  test('TIFF, which few servers read, becomes a JPEG', async () => {
    const image = await sent(surface, model, 'image/tiff', TIFF)
    expect([image.mime, await formatOf(image.bytes)]).toEqual(['image/jpeg', 'jpeg'])
  })
})

test('more than 1 MB, on the thread: BMP passes unchanged', async () => {
  const image = await sent('chat', OWN.chat, 'image/bmp', BMP, 'word '.repeat(220_000))
  expect([image.mime, image.bytes.equals(BMP)]).toEqual(['image/bmp', true])
})

test.each(Object.values(OWN))('an animation for %s stays byte for byte', async (model) => {
  const gif = await animate('gif', 3)
  const image = await sent('chat', model, 'image/gif', gif)
  expect([image.mime, image.bytes.equals(gif)]).toEqual(['image/gif', true])
})

test.each(Object.values(OWN))('native to %s: its own list of types stands', async (model) => {
  const before = counts()
  expect((await ask('native', model, 'image/bmp', BMP)).status).toBe(400)
  await expectCounts(before)
})
