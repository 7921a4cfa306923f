// Animated images, recognized by their structure.
import { expect, test } from 'bun:test'
import { isAnimated, isAnimatedData } from '../../src/media/animation.ts'
import { animatedPng, blackPng, pngChunk, sparseGif, withPngChunks } from './crafted.ts'
import { animate, concat, paint } from './support.ts'

const GIF = await animate('gif', 3)
const WEBP = await animate('webp', 3)
const APNG = animatedPng(blackPng(12, 10), 3)
const STILL_PNG = await paint('png', { width: 300, height: 300 })
const STILLS = {
  gif: await paint('gif'),
  webp: await paint('webp'),
  png: await paint('png'),
  jpeg: await paint('jpeg', { alpha: false }),
}

/** A GIF with a byte between its blocks, which readers skip. */
function withByteBetween(gif: Uint8Array): Uint8Array {
  const at = gif.lastIndexOf(0x2c) - 8
  return concat(gif.subarray(0, at), '\0', gif.subarray(at))
}

test.each<readonly [name: string, bytes: Uint8Array, animated: boolean]>([
  ['an animated GIF', GIF, true],
  ['an animated WebP', WEBP, true],
  ['an animated PNG', APNG, true],
  ['an animated PNG after a long text', withPngChunks(APNG, pngChunk('iTXt', ' '.repeat(100_000))), true],
  ['an animated PNG of one frame', animatedPng(STILLS.png, 1), false],
  ['a GIF with a byte between its frames', withByteBetween(sparseGif({ width: 9, height: 9 }, 2)), true],
  ['a GIF of one frame', sparseGif({ width: 9, height: 9 }, 1), false],
  ['a PNG longer than the part that is read', STILL_PNG, false],
  ...Object.entries(STILLS).map(([format, bytes]) => [`a ${format}`, bytes, false] as const),
  ['bytes that are not an image', Buffer.from('hello'), false],
])('%s', (_, bytes, animated) => {
  expect([isAnimated(bytes), isAnimatedData(bytes.toBase64())]).toEqual([animated, animated])
})

test('an animation that is cut off counts as still up to one place, and as animated after it', () => {
  for (const bytes of [GIF, WEBP, APNG]) {
    const found = Array.from(bytes, (_, length) => isAnimatedData(bytes.subarray(0, length).toBase64()))
    const stills = found.indexOf(true)
    expect(stills).toBeGreaterThan(0)
    expect(found).toEqual(found.map((_, length) => length >= stills))
  }
})
