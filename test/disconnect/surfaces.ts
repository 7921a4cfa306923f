// The surfaces beyond the native one for the tests of disconnects: requests, models, and the catalogue behind them.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { paint } from '../media/support.ts'
import { modelSection, providerSection } from '../support/sections.ts'
import { unitModels } from '../support/unit-models.ts'

/** Text models, by the protocol of their provider; input costs 1,000 nano-dollars a token, output 4,000. */
export const OVER_RESPONSES = 'over-responses'
export const OVER_CHAT = 'over-chat'
export const OVER_MESSAGES = 'over-messages'
/** An image model over OpenAI's images API. */
export const OVER_IMAGES = 'over-images'
/** Speech: 15,000 nano-dollars a character, and 100 a millisecond. */
export const VOICE = 'voice-by-both'

const textModel = (id: string, provider: string): string =>
  modelSection(id, { [provider]: `upstream-${id}` }, { more: 'max_output_tokens = 8192' })

/** Further sections of the catalogue. @param url the upstream's address */
export const surfaceModels = (url: string): string => `
${unitModels(url)}
${providerSection('speaks-responses', 'openai', `${url}/v1`, `responses = true\ncooldown_ms = 0`)}
${providerSection('speaks-messages', 'anthropic', url, 'cooldown_ms = 0')}
${textModel(OVER_RESPONSES, 'speaks-responses')}
${textModel(OVER_CHAT, 'speaks-openai')}
${textModel(OVER_MESSAGES, 'speaks-messages')}
${modelSection(VOICE, { 'speaks-openai': 'upstream-voice' }, { kind: 'speech', price: 'per_million_characters = 15, per_minute = 0.006' })}
${modelSection(OVER_IMAGES, { 'speaks-openai': 'gpt-image-1.5' }, { kind: 'image', price: 'per_image = 0.05' })}
`

/** One request, as its caller sends it. */
export interface SurfaceRequest {
  path: string
  body: object | FormData
  headers?: Record<string, string>
}

/** The request as it goes over the wire. */
export async function wireOf({ path, body, headers = {} }: SurfaceRequest): Promise<(key: string) => Buffer> {
  const is_form = body instanceof FormData
  const encoded = new Response(is_form ? body : JSON.stringify(body))
  const content_type = is_form ? (encoded.headers.get('content-type') ?? '') : 'application/json'
  const bytes = Buffer.from(await encoded.arrayBuffer())
  return (key) => {
    const all = {
      host: 'gateway.test',
      'content-type': content_type,
      'content-length': String(bytes.length),
      'x-api-key': key,
      connection: 'close',
      ...headers,
    }
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
    return Buffer.concat([Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`), bytes])
  }
}

/** 15 ASCII letters: 4 tokens by estimate, 15 characters. */
const PROMPT = 'Tell me a story'
const MESSAGES = [{ role: 'user', content: PROMPT }]
const WAV = readFileSync(join(import.meta.dir, '../fixtures/audio/tone.wav'))
export const PNG = Buffer.from(await paint('png', { width: 48, height: 32 }))

const formOf = (fields: Record<string, string | Blob>): FormData => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  return form
}

export const REQUESTS = {
  responses: (model: string, stream: boolean) => ({
    path: '/v1/responses',
    body: { model, stream, input: PROMPT },
  }),
  completions: (model: string, stream: boolean) => ({
    path: '/v1/completions',
    body: { model, stream, prompt: PROMPT, max_tokens: 1_000 },
  }),
  chat: (model: string, stream: boolean) => ({
    path: '/v1/chat/completions',
    body: { model, stream, messages: MESSAGES },
  }),
  messages: (model: string, stream: boolean) => ({
    path: '/v1/messages',
    headers: { 'anthropic-version': '2023-06-01' },
    body: { model, stream, max_tokens: 1_000, messages: MESSAGES },
  }),
  native: (model: string, stream: boolean) => ({
    path: `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: { contents: [{ role: 'user', parts: [{ text: PROMPT }] }] },
  }),
  speech: (model: string, more: object = {}) => ({
    path: '/v1/audio/speech',
    body: { model, input: PROMPT, voice: 'alloy', ...more },
  }),
  /** Of 2.5 s of audio. */
  transcription: (model: string, stream: boolean) => ({
    path: '/v1/audio/transcriptions',
    body: formOf({ model, stream: String(stream), file: new File([WAV], 'tone.wav', { type: 'audio/wav' }) }),
  }),
  moderation: (model: string) => ({ path: '/v1/moderations', body: { model, input: PROMPT } }),
  rerank: (model: string) => ({
    path: '/v1/rerank',
    body: { model, query: PROMPT, documents: ['one', 'two'] },
  }),
  generations: (model: string, stream: boolean) => ({
    path: '/v1/images/generations',
    body: { model, prompt: PROMPT, stream },
  }),
  edits: (model: string, stream: boolean) => ({
    path: '/v1/images/edits',
    body: formOf({
      model,
      prompt: PROMPT,
      ...(stream ? { stream: 'true' } : {}),
      image: new File([PNG], 'house.png', { type: 'image/png' }),
    }),
  }),
} satisfies Record<string, (...args: never[]) => SurfaceRequest>
