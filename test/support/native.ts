// Owns the native protocol's requests and answers as scenarios write them.
import { expect } from 'bun:test'
import { MODEL } from './catalogue.ts'

/** The path of a whole call. */
export const wholePath = (model: string = MODEL): string => `/v1beta/models/${model}:generateContent`
/** The path of a stream of server-sent events. */
export const streamPath = (model: string = MODEL): string =>
  `/v1beta/models/${model}:streamGenerateContent?alt=sse`

/** A request of one line of text. */
export const ask = (text = 'Say hello.', rest: object = {}) => ({
  contents: [{ role: 'user', parts: [{ text }] }],
  ...rest,
})

/** A piece of an answer, without an end. */
export const piece = (text: string, rest: object = {}) => ({
  candidates: [{ content: { role: 'model', parts: [{ text }] }, index: 0 }],
  ...rest,
})

/** A usage of that many tokens read and written. */
export const usage = (promptTokenCount: number, candidatesTokenCount: number, rest: object = {}) => ({
  promptTokenCount,
  candidatesTokenCount,
  totalTokenCount: promptTokenCount + candidatesTokenCount,
  ...rest,
})

/** A complete answer; 10 tokens read and 5 written where nothing else is said. */
export const answer = (text = 'Hello.', usageMetadata: object | undefined = usage(10, 5)) => ({
  candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP', index: 0 }],
  ...(usageMetadata ? { usageMetadata } : {}),
  modelVersion: 'vendor-model-1-001',
})

/** What `answer()` costs under the price of MODEL, in nano-dollars. */
export const ANSWER_NANOS = 10 * 1_000 + 5 * 4_000

/** The native error shape: spec.md, Errors, Native generation endpoints. */
export const nativeError = (code: number, status: string) => ({
  error: { code, status, message: expectText },
})
const expectText = expect.stringMatching(/\S/)

/** The JSON payloads of a stream of server-sent events. */
export const payloadsOf = (text: string): unknown[] =>
  text
    .split(/\r?\n\r?\n/)
    .filter((record) => record !== '')
    .map((record) => JSON.parse(record.replace(/^data: ?/, '')))

/** A refusal in the native shape: its HTTP status, its body, and the message in it. */
export async function refusalOf(
  response: Response,
): Promise<{ status: number; body: unknown; message: string }> {
  const body = (await response.json()) as { error?: { message?: string } }
  return { status: response.status, body, message: body.error?.message ?? '' }
}
