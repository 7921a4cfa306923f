// Streams in each provider's wire shape, event by event, and the usage of a call after each of them.
import type { Call } from '../../src/store/schema.ts'
import { MODEL } from '../support/catalogue.ts'
import { OVER_CHAT, OVER_MESSAGES, OVER_RESPONSES, REQUESTS, type SurfaceRequest } from './surfaces.ts'

/** One stream of a provider. */
export interface ProviderStream {
  /** The events on the wire: one that opens the answer, pieces, and the end. */
  events: readonly string[]
  /** From this many events on the answer is complete. */
  finished_at: number
  /** The event by which the provider reports an error. */
  error: string
  /** The charge of a call that ends after this many events. */
  charge(events: number): Partial<Call>
}

/** The first and the second piece, as callers see them. */
export const SEEN = ['Once upon', ' a time'] as const
const TEXTS = [...SEEN, ', the end.']
/** The texts' tokens by estimate, one after the other. */
const TEXT_ESTIMATES = [0, 3, 4, 7]
const PROMPT_ESTIMATE = 4
const REPORTED = { input_tokens: 10, output_tokens: 9 }
const INPUT_NANOS = 1_000
const OUTPUT_NANOS = 4_000
const HIDDEN = 'shard 7 at 10.0.0.7 is broken'

const data = (payload: object): string => `data: ${JSON.stringify(payload)}\n\n`
const named = (payload: { type: string; [field: string]: unknown }): string =>
  `event: ${payload.type}\n${data(payload)}`

const priced = (input_tokens: number, output_tokens: number, estimated: 0 | 1): Partial<Call> => ({
  cost_nanos: input_tokens * INPUT_NANOS + output_tokens * OUTPUT_NANOS,
  input_tokens,
  output_tokens,
  estimated,
})

/** @param reported_at from this many events on the usage is known @param input_reported_at the same for its input */
const charging =
  (reported_at: number, input_reported_at = reported_at) =>
  (events: number): Partial<Call> => {
    if (events >= reported_at) return priced(REPORTED.input_tokens, REPORTED.output_tokens, 0)
    const input = events >= input_reported_at ? REPORTED.input_tokens : PROMPT_ESTIMATE
    return priced(input, TEXT_ESTIMATES[Math.max(0, events - 1)] ?? TEXT_ESTIMATES.at(-1) ?? 0, 1)
  }

const chunk = (delta: object, finish_reason: string | null = null): string =>
  data({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: `upstream-${OVER_CHAT}`,
    choices: [{ index: 0, delta, finish_reason }],
  })
const CHAT: ProviderStream = {
  events: [
    chunk({ role: 'assistant', content: '' }),
    ...TEXTS.map((content, index) => chunk({ content }, index === 2 ? 'stop' : null)),
    data({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 9, total_tokens: 19 } }),
    'data: [DONE]\n\n',
  ],
  finished_at: 4,
  error: data({ error: { message: HIDDEN, type: 'server_error', param: null, code: null } }),
  charge: charging(5),
}

const MESSAGE = { id: 'msg_1', type: 'message', role: 'assistant', model: `upstream-${OVER_MESSAGES}` }
const MESSAGES: ProviderStream = {
  events: [
    named({
      type: 'message_start',
      message: { ...MESSAGE, content: [], usage: { input_tokens: 10, output_tokens: 1 } },
    }) + named({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    ...TEXTS.map((text) =>
      named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
    ),
    named({ type: 'content_block_stop', index: 0 }) +
      named({
        type: 'message_delta',
        delta: { stop_reason: 'end_turn', stop_sequence: null },
        usage: { output_tokens: 9 },
      }),
    named({ type: 'message_stop' }),
  ],
  finished_at: 5,
  error: named({ type: 'error', error: { type: 'api_error', message: HIDDEN } }),
  charge: charging(5, 1),
}

const native = (text: string | undefined, more: object = {}): string =>
  data({
    candidates: [
      { index: 0, content: { role: 'model', parts: text === undefined ? [] : [{ text }] }, ...more },
    ],
  })
const NATIVE: ProviderStream = {
  events: [
    native(undefined),
    ...TEXTS.map((text) => native(text)),
    data({
      candidates: [{ index: 0, content: { role: 'model', parts: [] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 9, totalTokenCount: 19 },
    }),
  ],
  finished_at: 5,
  error: data({ error: { code: 500, message: HIDDEN, status: 'INTERNAL' } }),
  charge: charging(5),
}

const response = (status: string, output: object[], usage: object | null) => ({
  id: 'resp_theirs',
  object: 'response',
  created_at: 1,
  status,
  error: null,
  model: `upstream-${OVER_RESPONSES}`,
  output,
  usage,
})
const place = { item_id: 'msg_theirs', output_index: 0, content_index: 0 }
const item = (text?: string) => ({
  id: 'msg_theirs',
  type: 'message',
  role: 'assistant',
  content: text === undefined ? [] : [{ type: 'output_text', text, annotations: [] }],
})
const RESPONSES: ProviderStream = {
  events: [
    named({ type: 'response.created', response: response('in_progress', [], null) }) +
      named({ type: 'response.output_item.added', output_index: 0, item: item() }),
    ...TEXTS.map((delta) => named({ type: 'response.output_text.delta', ...place, delta })),
    named({ type: 'response.output_item.done', output_index: 0, item: item(TEXTS.join('')) }) +
      named({
        type: 'response.completed',
        response: response('completed', [item(TEXTS.join(''))], {
          input_tokens: 10,
          input_tokens_details: { cached_tokens: 0 },
          output_tokens: 9,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: 19,
        }),
      }),
  ],
  finished_at: 5,
  error: named({ type: 'error', code: 'server_error', message: HIDDEN, param: null }),
  charge: charging(5),
}

const AUDIO_ERROR = data({ type: 'error', error: { type: 'server_error', message: HIDDEN } })
/** 2.5 s of audio are 25 tokens by estimate, at 6,000 nano-dollars; output costs 10,000 a token. */
const TRANSCRIPT: ProviderStream = {
  events: [
    data({ type: 'transcript.text.delta', delta: '' }),
    ...TEXTS.map((delta) => data({ type: 'transcript.text.delta', delta })),
    data({
      type: 'transcript.text.done',
      text: TEXTS.join(''),
      usage: {
        type: 'tokens',
        input_tokens: 14,
        input_token_details: { text_tokens: 0, audio_tokens: 14 },
        output_tokens: 9,
        total_tokens: 23,
      },
    }),
  ],
  finished_at: 5,
  error: AUDIO_ERROR,
  charge: (events) =>
    events >= 5
      ? { cost_nanos: 14 * 6_000 + 9 * 10_000, estimated: 0 }
      : { cost_nanos: 25 * 6_000 + (TEXT_ESTIMATES[Math.max(0, events - 1)] ?? 0) * 10_000, estimated: 1 },
}

/** An eighth of a second each, as 24,000 samples of two bytes a second; callers see a piece as its base64. */
const sound = (piece: string) => Buffer.from(piece.repeat(6_000 / piece.length)).toString('base64')
/** Tokens by the estimate of the seconds after each piece, at 12,000 nano-dollars; input costs 600 a token. */
const SOUND_ESTIMATES = [0, 3, 6, 8]
const SPEECH: ProviderStream = {
  events: [
    data({ type: 'speech.audio.delta', audio: '' }),
    ...['abc', 'def', 'ghi'].map((piece) => data({ type: 'speech.audio.delta', audio: sound(piece) })),
    data({ type: 'speech.audio.done', usage: { input_tokens: 5, output_tokens: 11, total_tokens: 16 } }),
  ],
  finished_at: 5,
  error: AUDIO_ERROR,
  charge: (events) =>
    events >= 5
      ? { cost_nanos: 5 * 600 + 11 * 12_000, estimated: 0 }
      : { cost_nanos: 4 * 600 + (SOUND_ESTIMATES[Math.max(0, events - 1)] ?? 0) * 12_000, estimated: 1 },
}

export interface StreamedSurface {
  request: SurfaceRequest
  provider: ProviderStream
  /** The first and the second piece, as callers see them. */
  seen?: readonly [string, string]
}

/** The request of a caller, and the stream of the provider. */
export const STREAMED: Readonly<Record<string, StreamedSurface>> = {
  'responses, passed through': { request: REQUESTS.responses(OVER_RESPONSES, true), provider: RESPONSES },
  'responses over chat': { request: REQUESTS.responses(OVER_CHAT, true), provider: CHAT },
  'responses over messages': { request: REQUESTS.responses(OVER_MESSAGES, true), provider: MESSAGES },
  'responses over native': { request: REQUESTS.responses(MODEL, true), provider: NATIVE },
  'completions over chat': { request: REQUESTS.completions(OVER_CHAT, true), provider: CHAT },
  'chat, passed through': { request: REQUESTS.chat(OVER_CHAT, true), provider: CHAT },
  'messages, passed through': { request: REQUESTS.messages(OVER_MESSAGES, true), provider: MESSAGES },
  'messages over chat': { request: REQUESTS.messages(OVER_CHAT, true), provider: CHAT },
  transcription: { request: REQUESTS.transcription('ear-by-token', true), provider: TRANSCRIPT },
  'speech as events': {
    request: REQUESTS.speech('voice-by-token', { stream_format: 'sse' }),
    provider: SPEECH,
    seen: [sound('abc'), sound('def')],
  },
}
