// Recorded answers of real servers as values: the scripts that play them, and where each surface has its usage.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isObject, type Json, type JsonObject, objectIn } from '../../src/protocols/wire/json.ts'
import { type Answer, whole } from '../support/upstream.ts'
import type { SurfaceRequest } from './requests.ts'

const FOLDER = join(import.meta.dir, '../fixtures/servers')

export type FixtureProtocol = 'gemini' | 'anthropic' | 'openai' | 'responses'
export type Surface = 'native' | 'messages' | 'chat' | 'responses' | 'completions'

/** A recorded answer; its README explains the fields. */
export interface Fixture {
  name: string
  server: string
  protocol: FixtureProtocol
  stream: boolean
  bills: {
    uncached_input: number
    audio_input?: number
    cache_read: number
    cache_write_5m?: number
    cache_write_1h?: number
    output: number
    image_output?: number
    cost_usd?: string
    byok_upstream_usd?: string
  }
  charge_usd: string
  body?: JsonObject
  events?: JsonObject[]
}

/** All recorded answers, in the order of their names. */
export const fixtures = (): Fixture[] =>
  readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.json'))
    .sort()
    .map((path) => ({
      ...JSON.parse(readFileSync(join(FOLDER, path), 'utf8')),
      name: path.slice(0, -'.json'.length),
    }))

/** The surface of an answer's own protocol, and the others. */
export const SURFACES: Readonly<Record<FixtureProtocol, { own: Surface; others: readonly Surface[] }>> = {
  gemini: { own: 'native', others: ['messages', 'chat', 'responses', 'completions'] },
  anthropic: { own: 'messages', others: ['native', 'chat', 'responses', 'completions'] },
  openai: { own: 'chat', others: ['native', 'messages', 'responses', 'completions'] },
  responses: { own: 'responses', others: ['native', 'messages', 'chat', 'completions'] },
}

/**
 * Answers that some surfaces cannot carry: messages and completions carry no images, and only native callers can request
 * arguments in parts.
 */
const NOT_CARRIED: Readonly<Record<string, readonly Surface[]>> = {
  'gemini/image-whole': ['messages', 'completions'],
  'vertex/stream-no-args-tool-call-stream': ['messages', 'chat', 'responses', 'completions'],
  'vertex/stream-tool-call-arguments-stream': ['messages', 'chat', 'responses', 'completions'],
}

/** The other surfaces that an answer is played to. */
export const othersOf = ({ protocol, name }: Fixture): readonly Surface[] =>
  SURFACES[protocol].others.filter((surface) => !NOT_CARRIED[name]?.includes(surface))

const framed = (protocol: FixtureProtocol, event: JsonObject): string =>
  `${protocol === 'anthropic' || protocol === 'responses' ? `event: ${event.type}\n` : ''}data: ${JSON.stringify(event)}\n\n`

/** The script that plays an answer. */
export function playedBy({
  protocol,
  stream,
  body = {},
  events = [],
}: Pick<Fixture, 'protocol' | 'stream' | 'body' | 'events'>): Answer {
  if (!stream) return whole(body)
  const text = events.map((event) => framed(protocol, event)).join('')
  return {
    headers: { 'content-type': 'text/event-stream' },
    steps: [{ send: protocol === 'openai' ? `${text}data: [DONE]\n\n` : text }],
  }
}

const QUESTION = 'Why are there tides?'
const MESSAGES = [{ role: 'user', content: QUESTION }]

/** A plain question to a model. */
export function requestTo(surface: Surface, model: string, stream: boolean): SurfaceRequest {
  const limit = 16_384
  switch (surface) {
    case 'native':
      return {
        path: `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
        headers: {},
        body: {
          contents: [{ role: 'user', parts: [{ text: QUESTION }] }],
          generationConfig: { maxOutputTokens: limit },
        },
      }
    case 'messages':
      return {
        path: '/v1/messages',
        headers: { 'anthropic-version': '2023-06-01' },
        body: { model, stream, max_tokens: limit, messages: MESSAGES },
      }
    case 'responses':
      return {
        path: '/v1/responses',
        headers: {},
        body: { model, stream, max_output_tokens: limit, input: QUESTION },
      }
    case 'chat':
      return {
        path: '/v1/chat/completions',
        headers: {},
        body: { model, stream, max_tokens: limit, messages: MESSAGES, ...withUsage(stream) },
      }
    case 'completions':
      return {
        path: '/v1/completions',
        headers: {},
        body: { model, stream, max_tokens: limit, prompt: QUESTION, ...withUsage(stream) },
      }
  }
}

const withUsage = (stream: boolean): JsonObject => (stream ? { stream_options: { include_usage: true } } : {})

const number = (value: Json | undefined): number => Number(value ?? 0)

/** The usage in an answer, unchanged; of a stream's events the last value of each field. */
export function usageIn(text: string): JsonObject {
  const payloads = text.startsWith('{')
    ? [JSON.parse(text)]
    : text.split('\n').flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice(6))] : []))
  const usage: JsonObject = {}
  for (const payload of payloads)
    for (const found of [
      payload.usage,
      payload.message?.usage,
      payload.response?.usage,
      payload.usageMetadata,
    ])
      if (isObject(found)) Object.assign(usage, found)
  return usage
}

/** The counts of an answer's usage, in the names of its surface. */
export function countsIn(surface: Surface, text: string): JsonObject {
  const usage = usageIn(text)
  if (surface === 'native')
    return Object.fromEntries(
      [
        'promptTokenCount',
        'cachedContentTokenCount',
        'candidatesTokenCount',
        'thoughtsTokenCount',
        'totalTokenCount',
      ].map((name) => [name, number(usage[name])]),
    )
  if (surface === 'messages')
    return {
      input_tokens: number(usage.input_tokens),
      cache_read_input_tokens: number(usage.cache_read_input_tokens),
      cache_creation_input_tokens: number(usage.cache_creation_input_tokens),
      output_tokens: number(usage.output_tokens),
      thinking_tokens: number(objectIn(usage.output_tokens_details).thinking_tokens),
    }
  const input = objectIn(usage.prompt_tokens_details ?? usage.input_tokens_details)
  const output = objectIn(usage.completion_tokens_details ?? usage.output_tokens_details)
  return {
    input: number(usage.prompt_tokens ?? usage.input_tokens),
    cached_tokens: number(input.cached_tokens),
    cache_write_tokens: number(input.cache_write_tokens),
    output: number(usage.completion_tokens ?? usage.output_tokens),
    reasoning_tokens: number(output.reasoning_tokens),
    total_tokens: number(usage.total_tokens),
  }
}
