// Images of types that a provider's documentation does not list: made into PNG or JPEG, or refused before the hold with the types that it takes.
import { describe, expect, test } from 'bun:test'
import { animate, paint } from '../media/support.ts'
import {
  CONVERTING,
  DOCUMENTED,
  type Documented,
  formatOf,
  imageIn,
  inlineImages,
  MIXED,
  OWN,
} from '../support/inline-images.ts'
import { replay } from '../support/replay.ts'
import { whole } from '../support/upstream.ts'

const { gateway, call, upstream, counts, expectCounts, ask, sent } = await inlineImages()

const HEIC = Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1')
const TIFF = await paint('tiff', { alpha: false })
const AVIF = await paint('avif')
const GIF = await paint('gif')
const WEBP = await paint('webp')

const PROVIDERS = Object.keys(DOCUMENTED) as Documented[]
/** Every surface with OpenAI, and every provider with chat. */
const EACH = [
  ...PROVIDERS.map((provider) => ['chat', provider] as const),
  ...(['messages', 'responses'] as const).map((surface) => [surface, 'openai'] as const),
]

describe.each(EACH)('%s, a %s model', (surface, provider) => {
  const model = DOCUMENTED[provider]

  test('TIFF without alpha becomes a JPEG, AVIF with alpha a PNG', async () => {
    const tiff = await sent(surface, model, 'image/tiff', TIFF)
    expect([tiff.mime, await formatOf(tiff.bytes)]).toEqual(['image/jpeg', 'jpeg'])
    const avif = await sent(surface, model, 'image/avif', AVIF)
    expect([avif.mime, await formatOf(avif.bytes)]).toEqual(['image/png', 'png'])
  })

  test.each([
    ['image/gif', GIF, ['gemini', 'xai']],
    ['image/webp', WEBP, ['xai']],
  ] as const)(
    '%s becomes a PNG where the provider does not take it, else stays byte for byte',
    async (mime, bytes, not_by) => {
      const image = await sent(surface, model, mime, bytes)
      if (not_by.some((name) => name === provider)) expect(image.mime).toBe('image/png')
      else expect([image.mime, image.bytes.equals(bytes)]).toEqual([mime, true])
    },
  )

  test('known bytes of an unknown type get the right type and stay byte for byte', async () => {
    const png = await paint('png')
    const image = await sent(surface, model, 'image/x-photo', png)
    expect([image.mime, image.bytes.equals(png)]).toEqual(['image/png', true])
  })

  test.each([
    ['damaged', 'image/tiff', TIFF.subarray(0, 40), /cannot be decoded/],
    [
      'SVG',
      'image/svg+xml',
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
      /image\/svg\+xml is not supported/,
    ],
    ['BMP', 'image/bmp', Buffer.from('BM\x3a\0\0\0\0\0\0\0'), /image\/bmp is not supported.*image\/jpeg/],
    ['an unreadable file', 'image/tiff', Buffer.from('hello'), /image\/tiff is not supported/],
  ] as const)('%s: 400 before the hold', async (_, mime, bytes, words) => {
    const before = counts()
    const response = await ask(surface, model, mime, bytes)
    expect([response.status, words.test(await response.text())]).toEqual([400, true])
    await expectCounts(before)
  })
})

test.each(CONVERTING)('%s: an image in a body above 1 MB is converted on the thread', async (surface) => {
  const image = await sent(surface, DOCUMENTED.openai, 'image/tiff', TIFF, 'word '.repeat(220_000))
  expect([image.mime, await formatOf(image.bytes)]).toEqual(['image/jpeg', 'jpeg'])
})

describe.each([...EACH, ['native', 'gemini'], ['native', 'openai']] as const)(
  '%s, a %s model',
  (surface, provider) => {
    test('HEIC, which cannot be decoded here, reaches the provider that takes it', async () => {
      upstream.answer(replay('text'))
      const response = await ask(surface, DOCUMENTED[provider], 'image/heic', HEIC)
      if (provider === 'gemini') {
        const image = imageIn(JSON.parse(upstream.last().body.toString()))
        expect([response.status, image.bytes.equals(HEIC)]).toEqual([200, true])
      } else
        expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('image/png')])
    })
  },
)

test.each(['gemini', 'openai'] as const)(
  'native, a %s model: a type beyond its own list is refused',
  async (provider) => {
    const before = counts()
    const animated = await animate('webp', 3)
    for (const [mime, bytes] of [
      ['image/gif', GIF],
      ['image/tiff', TIFF],
      ['image/avif', AVIF],
    ] as const) {
      const inline = (mimeType: string, image: Uint8Array) => ({
        inlineData: { mimeType, data: image.toBase64() },
      })
      for (const parts of [[inline(mime, bytes)], [inline(mime, bytes), inline('image/webp', animated)]]) {
        const response = await call(`/v1beta/models/${DOCUMENTED[provider]}:generateContent`, {
          contents: [{ role: 'user', parts }],
        })
        expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('image/heic')])
      }
    }
    await expectCounts(before)
  },
)

test('a request with more images than the gateway converts is refused', async () => {
  const before = counts()
  for (const [mime, bytes] of [
    ['image/tiff', TIFF],
    ['image/gif', await animate('gif', 3)],
  ] as const) {
    const image = { type: 'image_url', image_url: { url: `data:${mime};base64,${bytes.toBase64()}` } }
    const response = await call('/v1/chat/completions', {
      model: DOCUMENTED.openai,
      messages: [{ role: 'user', content: Array.from({ length: 21 }, () => image) }],
    })
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringMatching(/21 images .* at most 20 are\. Send image\/jpeg.*, not animated\./),
    ])
  }
  await expectCounts(before)
})

test('images that only get another type do not count as converted', async () => {
  upstream.answer(replay('text'))
  const url = `data:image/x-photo;base64,${WEBP.toBase64()}`
  const response = await call('/v1/chat/completions', {
    model: DOCUMENTED.openai,
    messages: [
      {
        role: 'user',
        content: Array.from({ length: 21 }, () => ({ type: 'image_url', image_url: { url } })),
      },
    ],
  })
  expect(response.status).toBe(200)
})

test.each([
  ['on the event loop', 'Look.'],
  ['on the thread', 'word '.repeat(220_000)],
])('tokens are counted of the images that the call would send, %s', async (_, text) => {
  upstream.answer(whole({ input_tokens: 9 }))
  const source = { type: 'base64', media_type: 'image/tiff', data: TIFF.toBase64() }
  const response = await call(
    '/v1/messages/count_tokens',
    {
      model: DOCUMENTED.anthropic,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text },
            { type: 'image', source },
          ],
        },
      ],
    },
    { headers: { 'anthropic-version': '2023-06-01' } },
  )
  expect([response.status, await response.json()]).toEqual([200, { input_tokens: 9 }])
  const { mime, bytes } = imageIn(JSON.parse(upstream.last().body.toString()))
  expect([mime, await formatOf(bytes)]).toEqual(['image/jpeg', 'jpeg'])
})

test('no image of an account without balance is decoded', async () => {
  const key = await gateway.caller('0')
  const url = `data:image/tiff;base64,${TIFF.subarray(0, 40).toString()}`
  const response = await call(
    '/v1/chat/completions',
    {
      model: DOCUMENTED.openai,
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
    },
    { key },
  )
  expect(response.status).toBe(402)
})

const BMP = Buffer.from('BM\x3a\0\0\0\0\0\0\0')

/** Servers without a documented list of types: every surface with one model, and every model with chat. */
const EACH_OWN = [
  ...[...Object.values(OWN), MIXED].map((model) => ['chat', model] as const),
  ...(['messages', 'responses'] as const).map((surface) => [surface, OWN.chat] as const),
]

describe.each(EACH_OWN)('%s to %s', (surface, model) => {
  test.each([
    ['BMP', 'image/bmp', BMP],
    ['SVG', 'image/svg+xml', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['HEIC', 'image/heic', HEIC],
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

test('a BMP in a body above 1 MB, parsed on the thread, passes unchanged', async () => {
  const image = await sent('chat', OWN.chat, 'image/bmp', BMP, 'word '.repeat(220_000))
  expect([image.mime, image.bytes.equals(BMP)]).toEqual(['image/bmp', true])
})

test.each(Object.values(OWN))('an animation for %s stays byte for byte', async (model) => {
  const gif = await animate('gif', 3)
  const image = await sent('chat', model, 'image/gif', gif)
  expect([image.mime, image.bytes.equals(gif)]).toEqual(['image/gif', true])
})

test.each(Object.values(OWN))('native to %s: the native list of types applies', async (model) => {
  const before = counts()
  expect((await ask('native', model, 'image/bmp', BMP)).status).toBe(400)
  await expectCounts(before)
})
