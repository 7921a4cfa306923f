// Base64 as clients write it: in either alphabet, padded or not, with line breaks, under any name of the type; providers get one form.
import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import { replay } from '../support/replay.ts'
import { MODELS, PROTOCOLS, threeProviders } from '../support/three-providers.ts'

const { call, upstream } = await threeProviders()

/** Bytes whose base64 has every character in which the alphabets differ, and needs padding. */
const BYTES = Buffer.concat([
  Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
  Buffer.from('fbff3efbffbf3f', 'hex'),
])
const STANDARD = BYTES.toString('base64')
const URL_SAFE = BYTES.toString('base64url')

const FORMS: Readonly<Record<string, string>> = {
  'the URL alphabet, unpadded': URL_SAFE,
  'the URL alphabet, padded': URL_SAFE.padEnd(STANDARD.length, '='),
  'the standard alphabet, unpadded': STANDARD.replace(/=+$/, ''),
  'line breaks': `${STANDARD.slice(0, 8)}\r\n${STANDARD.slice(8)}\n`,
}

interface Surface {
  path: (model: string) => string
  /** @param pad makes the body so large that it is parsed on the thread */
  body: (model: string, data: string, pad: string) => JsonObject
  headers?: Record<string, string>
}

const uri = (type: string, data: string) => `data:${type};base64,${data}`

const SURFACES: Readonly<Record<string, Surface>> = {
  'native, camelCase': {
    path: (model) => `/v1beta/models/${model}:generateContent`,
    body: (_, data, text) => ({
      contents: [{ role: 'user', parts: [{ text }, { inlineData: { mimeType: 'image/jpg', data } }] }],
    }),
  },
  'native, snake_case': {
    path: (model) => `/v1beta/models/${model}:generateContent`,
    body: (_, data, text) => ({
      contents: [{ role: 'user', parts: [{ text }, { inline_data: { mime_type: 'IMAGE/JPEG', data } }] }],
    }),
  },
  messages: {
    path: () => '/v1/messages',
    headers: { 'anthropic-version': '2023-06-01' },
    body: (model, data, text) => ({
      model,
      max_tokens: 99,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text },
            { type: 'image', source: { type: 'base64', media_type: 'image/jpg', data } },
          ],
        },
      ],
    }),
  },
  chat: {
    path: () => '/v1/chat/completions',
    body: (model, data, text) => ({
      model,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text },
            { type: 'image_url', image_url: { url: uri('image/jpg', data) } },
          ],
        },
      ],
    }),
  },
  responses: {
    path: () => '/v1/responses',
    body: (model, data, text) => ({
      model,
      store: false,
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text },
            { type: 'input_image', detail: 'auto', image_url: uri('Image/JPEG; charset=binary', data) },
          ],
        },
      ],
    }),
  },
}

const LARGE = 'word '.repeat(220_000)

const CASES = Object.keys(SURFACES).flatMap((surface) =>
  PROTOCOLS.flatMap((provider) => Object.keys(FORMS).map((form) => [surface, provider, form] as const)),
)

async function sentFor(surface: string, provider: (typeof PROTOCOLS)[number], data: string, pad = 'Look.') {
  const {
    path,
    body,
    headers = {},
  } = SURFACES[surface] ?? SURFACES.chat ?? { path: String, body: () => ({}) }
  upstream.answer(replay('text'))
  const model = MODELS[provider]
  const response = await call(path(model), body(model, data, pad), { headers })
  expect([response.status, response.ok ? '' : await response.text()]).toEqual([200, ''])
  return upstream.last().body.toString()
}

describe('an image reaches its provider in standard base64, by the registered name of its type', () => {
  test.each(CASES)('%s, a %s model: %s', async (surface, provider, form) => {
    const sent = await sentFor(surface, provider, FORMS[form] ?? '')
    expect(sent).toContain(STANDARD)
    expect(sent).not.toContain(URL_SAFE)
    expect(sent).toContain('image/jpeg')
    expect(sent).not.toMatch(/image\/jpg|IMAGE|Image\/JPEG|charset/)
  })

  test.each(
    Object.keys(SURFACES).flatMap((surface) => PROTOCOLS.map((provider) => [surface, provider] as const)),
  )('%s, a %s model, more than 1 MB: on the thread', async (surface, provider) => {
    const sent = await sentFor(surface, provider, URL_SAFE, LARGE)
    expect([sent.length > 1_000_000, sent.includes(STANDARD), sent.includes(URL_SAFE)]).toEqual([
      true,
      true,
      false,
    ])
  })
})
