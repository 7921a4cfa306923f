// Images in types that a model's provider does not take: made into PNG or JPEG, or refused before anything is held, with the types that are taken.
import { describe, expect, test } from 'bun:test'
import { withSharp } from '../../src/media/sharp.ts'
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import { animate, paint } from '../media/support.ts'
import { replay } from '../support/replay.ts'
import { MODELS, PROTOCOLS, threeProviders } from '../support/three-providers.ts'

const { gateway, call, upstream, counts, expectCounts } = await threeProviders()

const HEIC = Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1')
const TIFF = await paint('tiff', { alpha: false })
const AVIF = await paint('avif')
const GIF = await animate('gif', 3)
const WEBP = await paint('webp')

type Surface = (model: string, mime: string, data: string, text: string) => Promise<Response>
const SURFACES: Readonly<Record<string, Surface>> = {
  native: (model, mimeType, data, text) =>
    call(`/v1beta/models/${model}:generateContent`, {
      contents: [{ role: 'user', parts: [{ text }, { inlineData: { mimeType, data } }] }],
    }),
  messages: (model, media_type, data, text) =>
    call(
      '/v1/messages',
      {
        model,
        max_tokens: 99,
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text },
              { type: 'image', source: { type: 'base64', media_type, data } },
            ],
          },
        ],
      },
      { headers: { 'anthropic-version': '2023-06-01' } },
    ),
  chat: (model, mime, data, text) =>
    call('/v1/chat/completions', {
      model,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text },
            { type: 'image_url', image_url: { url: `data:${mime};base64,${data}` } },
          ],
        },
      ],
    }),
  responses: (model, mime, data, text) =>
    call('/v1/responses', {
      model,
      store: false,
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text },
            { type: 'input_image', detail: 'auto', image_url: `data:${mime};base64,${data}` },
          ],
        },
      ],
    }),
}

/** The image in what the provider got, wherever its protocol has it. */
function sentImage(): { mime: string; bytes: Buffer } {
  const found: { mime: string; data: string }[] = []
  const walk = (value: unknown): void => {
    if (typeof value === 'string') {
      const [, mime = '', data = ''] = /^data:([^;,]*);base64,(.*)$/s.exec(value) ?? []
      if (data !== '') found.push({ mime, data })
      return
    }
    if (typeof value !== 'object' || value === null) return
    const { data, media_type, mimeType } = value as JsonObject
    if (typeof data === 'string') found.push({ mime: String(media_type ?? mimeType), data })
    for (const inner of Object.values(value)) walk(inner)
  }
  walk(JSON.parse(upstream.last().body.toString()))
  return { mime: found[0]?.mime ?? '', bytes: Buffer.from(found[0]?.data ?? '', 'base64') }
}

async function sent(
  surface: string,
  provider: keyof typeof MODELS,
  mime: string,
  bytes: Uint8Array,
  text = 'Look.',
) {
  upstream.answer(replay('text'))
  const response = await SURFACES[surface]?.(
    MODELS[provider],
    mime,
    Buffer.from(bytes).toString('base64'),
    text,
  )
  expect([response?.status, response?.ok ? '' : await response?.text()]).toEqual([200, ''])
  const image = sentImage()
  const { format } = await withSharp((sharp) => sharp(image.bytes).metadata())
  return { ...image, format }
}

/** The native surface has a list of its own (spec.md, Native generation request, "Allowed image MIME types"). */
const CONVERTING = Object.keys(SURFACES).filter((surface) => surface !== 'native')
const EACH = CONVERTING.flatMap((surface) => PROTOCOLS.map((provider) => [surface, provider] as const))

describe.each(EACH)('%s, a %s model', (surface, provider) => {
  test('TIFF without alpha becomes a JPEG, AVIF with alpha a PNG', async () => {
    expect(await sent(surface, provider, 'image/tiff', TIFF)).toMatchObject({
      mime: 'image/jpeg',
      format: 'jpeg',
    })
    expect(await sent(surface, provider, 'image/avif', AVIF)).toMatchObject({
      mime: 'image/png',
      format: 'png',
    })
  })

  test('GIF and WebP become a still image where they are not taken, else stay byte for byte', async () => {
    const webp = await sent(surface, provider, 'image/webp', WEBP)
    expect(webp.bytes.equals(WEBP)).toBe(true)
    const gif = await sent(surface, provider, 'image/gif', GIF)
    if (provider !== 'gemini') expect(gif.bytes.equals(GIF)).toBe(true)
    else expect(['image/png', 'image/jpeg']).toContain(gif.mime)
  })

  test('an unknown type of known bytes gets their name alone', async () => {
    const image = await sent(surface, provider, 'image/x-photo', WEBP)
    expect([image.mime, image.bytes.equals(WEBP)]).toEqual(['image/webp', true])
  })

  test.each([
    ['damaged', 'image/tiff', TIFF.subarray(0, 40), /cannot be decoded/],
    [
      'SVG',
      'image/svg+xml',
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
      /image\/svg\+xml is not taken/,
    ],
    ['BMP', 'image/bmp', Buffer.from('BM\x3a\0\0\0\0\0\0\0'), /image\/bmp is not taken.*image\/jpeg/],
    ['an unreadable file', 'image/tiff', Buffer.from('hello'), /image\/tiff is not taken/],
  ] as const)('%s: 400 before the hold', async (_, mime, bytes, words) => {
    const before = counts()
    const response = await SURFACES[surface]?.(
      MODELS[provider],
      mime,
      Buffer.from(bytes).toString('base64'),
      'Look.',
    )
    expect([response?.status, words.test((await response?.text()) ?? '')]).toEqual([400, true])
    await expectCounts(before)
  })

  test('more than 1 MB, on the thread', async () => {
    const image = await sent(surface, provider, 'image/tiff', TIFF, 'word '.repeat(220_000))
    expect(image).toMatchObject({ mime: 'image/jpeg', format: 'jpeg' })
  })
})

describe.each(
  Object.keys(SURFACES).flatMap((surface) => PROTOCOLS.map((provider) => [surface, provider] as const)),
)('%s, a %s model', (surface, provider) => {
  test('HEIC, which cannot be decoded here, reaches the provider that takes it', async () => {
    upstream.answer(replay('text'))
    const response = await SURFACES[surface]?.(
      MODELS[provider],
      'image/heic',
      HEIC.toString('base64'),
      'Look.',
    )
    if (provider === 'gemini') expect([response?.status, sentImage().bytes.equals(HEIC)]).toEqual([200, true])
    else
      expect([response?.status, await response?.text()]).toEqual([400, expect.stringContaining('image/png')])
  })
})

test.each(PROTOCOLS)('native, a %s model: a type beyond its own list is refused', async (provider) => {
  const before = counts()
  for (const [mime, bytes] of [
    ['image/gif', GIF],
    ['image/tiff', TIFF],
    ['image/avif', AVIF],
  ] as const) {
    const response = await SURFACES.native?.(
      MODELS[provider],
      mime,
      Buffer.from(bytes).toString('base64'),
      'Look.',
    )
    expect([response?.status, await response?.text()]).toEqual([400, expect.stringContaining('image/heic')])
  }
  await expectCounts(before)
})

test('of more images than are converted in a request none is', async () => {
  const before = counts()
  const tiff = { type: 'image_url', image_url: { url: `data:image/tiff;base64,${TIFF.toBase64()}` } }
  const response = await call('/v1/chat/completions', {
    model: MODELS.openai,
    messages: [{ role: 'user', content: Array.from({ length: 21 }, () => tiff) }],
  })
  expect([response.status, await response.text()]).toEqual([
    400,
    expect.stringMatching(/21 images .* at most 20 are converted\. Send image\/jpeg/),
  ])
  await expectCounts(before)
})

test('an account without balance has nothing decoded', async () => {
  const key = await gateway.caller('0')
  const response = await call(
    '/v1/chat/completions',
    {
      model: MODELS.openai,
      messages: [
        {
          role: 'user',
          content: [
            {
              type: 'image_url',
              image_url: { url: `data:image/tiff;base64,${TIFF.subarray(0, 40).toString()}` },
            },
          ],
        },
      ],
    },
    { key },
  )
  expect(response.status).toBe(402)
})
