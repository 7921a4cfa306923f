// The recorded upstream's answers, byte for byte as the providers write them; each event of a stream has the time of its sending.

/** The number of events of a stream, and the time between them. */
export interface Paces {
  readonly events: number
  readonly pace_ms: number
}

/** A provider's stream. */
export interface StreamRecording {
  readonly name: string
  /** Sent before the first event with text, in one piece with it. */
  readonly opening: string
  /** An event with some words, among them the time it was sent. */
  eventAt(sent_at_ms: number): string
  /** The last events: the reason for the end, and the usage. */
  readonly ending: string
}

/** The model whose streams have this many stamped events, this far apart. */
export const streamModel = ({ events, pace_ms }: Paces): string => `events-${events}-every-${pace_ms}`
export const STREAM_MODEL = /events-(\d+)-every-(\d+)/
export const WHOLE_MODEL = 'whole'

/** Precedes the time of an event's sending: milliseconds of the epoch, in `STAMP_LENGTH` characters. */
export const STAMP_MARK = 'sent at '
export const STAMP_LENGTH = 17

/** The machine's clock in fractions of a millisecond, the same for all processes. */
export const nowMs = (): number => performance.timeOrigin + performance.now()

const wordsAt = (sent_at_ms: number): string => `${STAMP_MARK}${sent_at_ms.toFixed(3)} and some words more`

const INPUT_TOKENS = 48
const OUTPUT_TOKENS = 1_000

const geminiUsage = (candidatesTokenCount: number) => ({
  promptTokenCount: INPUT_TOKENS,
  candidatesTokenCount,
  totalTokenCount: INPUT_TOKENS + candidatesTokenCount,
  promptTokensDetails: [{ modality: 'TEXT', tokenCount: INPUT_TOKENS }],
})

const GEMINI_ANSWER = { modelVersion: 'recorded-1', responseId: 'mH0vaYyxBJ6Q1PIPrNqOkAI' }
const TEXT = 'It passes Bratislava, Budapest, Novi Sad and Belgrade before its delta in Romania and Ukraine.'

/** The answer to a whole call of Gemini's generateContent. */
export const GEMINI_WHOLE = JSON.stringify({
  candidates: [
    { content: { role: 'model', parts: [{ text: TEXT }] }, finishReason: 'STOP', avgLogprobs: -0.112 },
  ],
  usageMetadata: geminiUsage(23),
  ...GEMINI_ANSWER,
})

const geminiEvent = (text: string, usageMetadata: object, finish: object): string =>
  `data: ${JSON.stringify({
    candidates: [{ content: { role: 'model', parts: [{ text }] }, ...finish, index: 0 }],
    usageMetadata,
    ...GEMINI_ANSWER,
  })}\r\n\r\n`

/** Gemini's streamGenerateContent with alt=sse: each event holds the usage so far. */
export const GEMINI_STREAM: StreamRecording = {
  name: 'gemini',
  opening: '',
  eventAt: (sent_at_ms) => geminiEvent(wordsAt(sent_at_ms), geminiUsage(10), {}),
  ending: geminiEvent('.', geminiUsage(OUTPUT_TOKENS), { finishReason: 'STOP' }),
}

const anthropicEvent = (type: string, fields: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`

const ANTHROPIC_INPUT = {
  input_tokens: INPUT_TOKENS,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
}

/** A message before its content. */
const ANTHROPIC_MESSAGE = {
  model: 'recorded-1',
  id: 'msg_01Recorded',
  type: 'message',
  role: 'assistant',
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: {
    ...ANTHROPIC_INPUT,
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
    output_tokens: 1,
    service_tier: 'standard',
  },
}

/** The answer to a whole call of Anthropic's messages. */
export const ANTHROPIC_WHOLE = JSON.stringify({
  ...ANTHROPIC_MESSAGE,
  content: [{ type: 'text', text: TEXT }],
  stop_reason: 'end_turn',
  usage: { ...ANTHROPIC_MESSAGE.usage, output_tokens: 23 },
})

/** Anthropic's messages, streamed: one block of text; the usage comes at the start and at the end. */
export const ANTHROPIC_STREAM: StreamRecording = {
  name: 'anthropic',
  opening: [
    anthropicEvent('message_start', {
      message: ANTHROPIC_MESSAGE,
    }),
    anthropicEvent('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    anthropicEvent('ping', {}),
  ].join(''),
  eventAt: (sent_at_ms) =>
    anthropicEvent('content_block_delta', {
      index: 0,
      delta: { type: 'text_delta', text: wordsAt(sent_at_ms) },
    }),
  ending: [
    anthropicEvent('content_block_stop', { index: 0 }),
    anthropicEvent('message_delta', {
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { ...ANTHROPIC_INPUT, output_tokens: OUTPUT_TOKENS },
    }),
    anthropicEvent('message_stop', {}),
  ].join(''),
}

const OPENAI_ANSWER = { id: 'chatcmpl-Recorded', created: 1_767_225_600, model: 'recorded-1' }

const openaiUsage = (completion_tokens: number) => ({
  prompt_tokens: INPUT_TOKENS,
  completion_tokens,
  total_tokens: INPUT_TOKENS + completion_tokens,
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
})

/** The answer to a whole chat completion of OpenAI's. */
export const OPENAI_WHOLE = JSON.stringify({
  ...OPENAI_ANSWER,
  object: 'chat.completion',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: TEXT, refusal: null },
      logprobs: null,
      finish_reason: 'stop',
    },
  ],
  usage: openaiUsage(23),
})

const openaiEvent = (fields: object): string =>
  `data: ${JSON.stringify({ ...OPENAI_ANSWER, object: 'chat.completion.chunk', ...fields })}\n\n`
const openaiChoice = (delta: object, finish_reason: string | null): string =>
  openaiEvent({ choices: [{ index: 0, delta, logprobs: null, finish_reason }] })

/** OpenAI's chat completion, streamed, with the usage in the last chunk. */
export const OPENAI_STREAM: StreamRecording = {
  name: 'openai',
  opening: openaiChoice({ role: 'assistant', content: '', refusal: null }, null),
  eventAt: (sent_at_ms) => openaiChoice({ content: wordsAt(sent_at_ms) }, null),
  ending: [
    openaiChoice({}, 'stop'),
    openaiEvent({ choices: [], usage: openaiUsage(OUTPUT_TOKENS) }),
    'data: [DONE]\n\n',
  ].join(''),
}
