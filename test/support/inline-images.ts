// A scene for inline images: text models behind known servers and behind the operator's own servers, and requests with an image for each surface.
import { expect } from 'bun:test'
import { withSharp } from '../../src/media/sharp.ts'
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import { replay } from './replay.ts'
import { fileScene } from './scene.ts'
import { modelSection, providerSection } from './sections.ts'

/** Models behind servers that document their image types. */
export const DOCUMENTED = {
  gemini: 'gemini-2.5-flash',
  anthropic: 'claude-haiku-4-5',
  openai: 'gpt-5',
  azure: 'gpt-5-mini',
  xai: 'grok-4',
} as const
export type Documented = keyof typeof DOCUMENTED

/** Models behind servers without a documented list of types. */
export const OWN = { chat: 'own-vision', messages: 'own-claude', groq: 'llama-4-scout' } as const

/** A model with routes to OpenAI and to a server of the operator's own. */
export const MIXED = 'mixed-vision'

const CHAT = 'responses = false'
const catalogueOf = (url: string): string =>
  [
    '[server]\nlog_level = "error"\n',
    providerSection('gemini', 'gemini', `${url}/gemini`),
    providerSection('anthropic', 'anthropic', `${url}/anthropic`, 'server = "anthropic"'),
    providerSection('openai', 'openai', `${url}/openai/v1`, `server = "openai"\n${CHAT}`),
    providerSection('azure', 'openai', `${url}/openai/openai/v1`, `server = "azure"\n${CHAT}`),
    providerSection('xai', 'openai', `${url}/openai/v1`, 'server = "xai"'),
    providerSection('own', 'openai', `${url}/openai/v1`),
    providerSection('own-messages', 'anthropic', `${url}/anthropic`),
    providerSection('groq', 'openai', `${url}/openai/v1`, 'server = "groq"'),
    ...Object.entries(DOCUMENTED).map(([provider, model]) => modelSection(model, { [provider]: model })),
    modelSection(OWN.chat, { own: OWN.chat }),
    modelSection(OWN.messages, { 'own-messages': OWN.messages }),
    modelSection(OWN.groq, { groq: OWN.groq }),
    modelSection(MIXED, { openai: 'gpt-5', own: MIXED }),
  ].join('')

/** The scene, shared by all tests of a file. */
export async function inlineImages() {
  const scene = await fileScene({ catalogue: catalogueOf })
  const { call, upstream } = scene
  const turn = (...content: object[]) => [{ role: 'user', content }]

  /** A request with one image, on each surface. */
  const surfaces = {
    native: (model: string, mimeType: string, data: string, text: string) =>
      call(`/v1beta/models/${model}:generateContent`, {
        contents: [{ role: 'user', parts: [{ text }, { inlineData: { mimeType, data } }] }],
      }),
    messages: (model: string, media_type: string, data: string, text: string) =>
      call(
        '/v1/messages',
        {
          model,
          max_tokens: 99,
          messages: turn(
            { type: 'text', text },
            { type: 'image', source: { type: 'base64', media_type, data } },
          ),
        },
        { headers: { 'anthropic-version': '2023-06-01' } },
      ),
    chat: (model: string, mime: string, data: string, text: string) =>
      call('/v1/chat/completions', {
        model,
        messages: turn(
          { type: 'text', text },
          { type: 'image_url', image_url: { url: `data:${mime};base64,${data}` } },
        ),
      }),
    responses: (model: string, mime: string, data: string, text: string) =>
      call('/v1/responses', {
        model,
        store: false,
        input: turn(
          { type: 'input_text', text },
          { type: 'input_image', detail: 'auto', image_url: `data:${mime};base64,${data}` },
        ),
      }),
  }
  type Surface = keyof typeof surfaces

  const ask = (surface: Surface, model: string, mime: string, bytes: Uint8Array, text = 'Look.') =>
    surfaces[surface](model, mime, Buffer.from(bytes).toString('base64'), text)

  /** Sends an image. @returns the image that the provider got */
  async function sent(surface: Surface, model: string, mime: string, bytes: Uint8Array, text?: string) {
    upstream.answer(replay('text'))
    const response = await ask(surface, model, mime, bytes, text)
    expect([response.status, response.ok ? '' : await response.text()]).toEqual([200, ''])
    return imageIn(JSON.parse(upstream.last().body.toString()))
  }
  return { ...scene, ask, sent }
}

/** The first image in a request, wherever its protocol has it. */
export function imageIn(body: unknown): { mime: string; bytes: Buffer } {
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
  walk(body)
  return { mime: found[0]?.mime ?? '', bytes: Buffer.from(found[0]?.data ?? '', 'base64') }
}

/** The format of an image's bytes. */
export const formatOf = (bytes: Uint8Array) =>
  withSharp(async (sharp) => (await sharp(bytes).metadata()).format)

/** The surfaces without a list of types of their own. */
export const CONVERTING = ['messages', 'chat', 'responses'] as const
