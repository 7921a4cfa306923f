// Owns what the recorded upstream says and what callers send: a small call as vendors' users make it, byte for byte.

/** The body of every call: a system instruction, a short conversation, an output limit. */
export const REQUEST_BODY = JSON.stringify({
  systemInstruction: { parts: [{ text: 'You are a helpful assistant. Answer briefly and to the point.' }] },
  contents: [
    { role: 'user', parts: [{ text: 'Which river flows through Vienna?' }] },
    { role: 'model', parts: [{ text: 'The Danube.' }] },
    { role: 'user', parts: [{ text: 'And which cities does it reach before it ends in the Black Sea?' }] },
  ],
  generationConfig: { temperature: 0.7, topP: 0.95, maxOutputTokens: 1024 },
})

const usageOf = (candidatesTokenCount: number) => ({
  promptTokenCount: 48,
  candidatesTokenCount,
  totalTokenCount: 48 + candidatesTokenCount,
  promptTokensDetails: [{ modality: 'TEXT', tokenCount: 48 }],
})

const ANSWER =
  'It passes Bratislava, Budapest, Novi Sad and Belgrade before its delta in Romania and Ukraine.'

/** The answer to a whole call. */
export const WHOLE_ANSWER = JSON.stringify({
  candidates: [
    {
      content: { role: 'model', parts: [{ text: ANSWER }] },
      finishReason: 'STOP',
      avgLogprobs: -0.112,
    },
  ],
  usageMetadata: usageOf(23),
  modelVersion: 'recorded-1',
  responseId: 'mH0vaYyxBJ6Q1PIPrNqOkAI',
})

/** Stands before the time at which an event was sent, in milliseconds of the epoch, `STAMP_LENGTH` characters. */
export const STAMP_MARK = 'sent at '
export const STAMP_LENGTH = 17

/** The machine's clock with its fractions, the same for all processes. */
export const nowMs = (): number => performance.timeOrigin + performance.now()

const eventOf = (text: string, usage: object, finish: object): string =>
  `data: ${JSON.stringify({
    candidates: [{ content: { role: 'model', parts: [{ text }] }, ...finish, index: 0 }],
    usageMetadata: usage,
    modelVersion: 'recorded-1',
    responseId: 'mH0vaYyxBJ6Q1PIPrNqOkAI',
  })}\r\n\r\n`

/** One event of a stream, which says when it was sent. */
export const eventAt = (sent_at_ms: number): string =>
  eventOf(`${STAMP_MARK}${sent_at_ms.toFixed(3)} and some words more`, usageOf(10), {})

/** The last event: the reason of the end, and the usage. */
export const LAST_EVENT = eventOf('.', usageOf(1000), { finishReason: 'STOP' })

/** The name of a model whose streams have so many stamped events, so far apart. */
export const streamModel = (events: number, pace_ms: number): string => `events-${events}-every-${pace_ms}`
export const STREAM_MODEL = /events-(\d+)-every-(\d+)/
export const WHOLE_MODEL = 'whole'
