// Animated images: a provider that takes still images only gets the first frame; one that reads the first frame itself gets the bytes.
import { describe, expect, test } from 'bun:test'
import { isAnimated } from '../../src/media/animation.ts'
import { withSharp } from '../../src/media/sharp.ts'
import { animatedPng, blackPng } from '../media/crafted.ts'
import { animate } from '../media/support.ts'
import { OPENAI_STILLS, OPENAI_TYPES } from '../providers/openai/images.ts'
import { refusalBy } from '../providers/rule.ts'
import { CONVERTING, DOCUMENTED, inlineImages, MIXED } from '../support/inline-images.ts'

const { ask, counts, expectCounts, sent } = await inlineImages()

const ANIMATED: Readonly<Record<string, Uint8Array>> = {
  'image/gif': await animate('gif', 3),
  'image/webp': await animate('webp', 3),
  'image/png': animatedPng(blackPng(12, 10), 3),
}
const TYPES = Object.keys(ANIMATED)
const of = (mime: string): Uint8Array => ANIMATED[mime] ?? new Uint8Array()

const { openai, gemini, xai, anthropic, azure } = DOCUMENTED
/** Models whose providers take still images only, and models whose providers read the first frame themselves. */
const MODELS = {
  chat: { still: [openai, gemini, xai, MIXED], reading: [anthropic, azure] },
  messages: { still: [openai], reading: [anthropic] },
  responses: { still: [openai], reading: [anthropic] },
} as const

const shape = (bytes: Uint8Array) =>
  withSharp(async (sharp) => {
    const { format, width, height, pages = 1 } = await sharp(bytes, { pages: -1 }).metadata()
    return { format: String(format), width, height, pages, animated: isAnimated(bytes) }
  })
const STILL = { format: 'png', width: 12, height: 10, pages: 1, animated: false }

describe.each(CONVERTING.flatMap((surface) => TYPES.map((mime) => [surface, mime] as const)))(
  '%s, %s',
  (surface, mime) => {
    test.each(MODELS[surface].still)('%s gets the first frame as a PNG', async (model) => {
      const image = await sent(surface, model, mime, of(mime))
      expect(image.mime).toBe('image/png')
      expect(await shape(image.bytes)).toEqual(STILL)
    })

    test.each(MODELS[surface].reading)('%s reads the first frame itself: byte for byte', async (model) => {
      const image = await sent(surface, model, mime, of(mime))
      expect([image.mime, image.bytes.equals(of(mime))]).toEqual([mime, true])
    })
  },
)

test('only the first frame of a GIF is sent', async () => {
  const red = { r: 255, g: 0, b: 0 }
  const frames = await withSharp((sharp) =>
    sharp({ create: { width: 4, height: 8, channels: 3, background: red } })
      .composite([
        { input: { create: { width: 4, height: 4, channels: 3, background: 'blue' } }, top: 4, left: 0 },
      ])
      .raw()
      .toBuffer(),
  )
  const gif = await withSharp((sharp) =>
    sharp(frames, { raw: { width: 4, height: 8, channels: 3, pageHeight: 4 } })
      .gif()
      .toBuffer(),
  )
  const { bytes } = await sent('chat', DOCUMENTED.openai, 'image/gif', gif)
  const [r = 0, g = 0, b = 0] = await withSharp((sharp) => sharp(bytes).removeAlpha().raw().toBuffer())
  expect([r > 250, g < 5, b < 5]).toEqual([true, true, true])
})

test('the simulated OpenAI refuses an animated GIF, and accepts the frame that is sent instead', async () => {
  const request = (url: string) => ({
    model: openai,
    headers: new Headers(),
    body: { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }] },
  })
  const gif = of('image/gif')
  expect(refusalBy([OPENAI_STILLS], request(`data:image/gif;base64,${gif.toBase64()}`))?.status).toBe(400)
  const { mime, bytes } = await sent('chat', openai, 'image/gif', gif)
  expect(
    refusalBy([OPENAI_TYPES, OPENAI_STILLS], request(`data:${mime};base64,${bytes.toBase64()}`)),
  ).toBeUndefined()
})

test('on the native surface an animated WebP goes to Gemini as a still image', async () => {
  const image = await sent('native', DOCUMENTED.gemini, 'image/webp', of('image/webp'))
  expect(await shape(image.bytes)).toMatchObject({ pages: 1, animated: false })
})

test('an animation in a body above 1 MB is converted on the thread', async () => {
  const image = await sent('chat', DOCUMENTED.openai, 'image/gif', of('image/gif'), 'word '.repeat(220_000))
  expect(await shape(image.bytes)).toMatchObject({ pages: 1, animated: false })
})

test('a damaged animation is 400 before the hold', async () => {
  const before = counts()
  const response = await ask('chat', DOCUMENTED.openai, 'image/webp', of('image/webp').subarray(0, 60))
  expect([response.status, await response.text()]).toEqual([
    400,
    expect.stringContaining('cannot be decoded'),
  ])
  await expectCounts(before)
})
