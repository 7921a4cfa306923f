// Builders of requests and answers in the native protocol.
import { expect } from 'bun:test'
import { MODEL } from './catalogue.ts'
import { type Answer, events, type UpstreamRequest, whole } from './upstream.ts'

/** The path of a whole call. */
export const wholePath = (model: string = MODEL): string => `/v1beta/models/${model}:generateContent`
/** The path of a stream without `alt=sse`: a JSON array. */
export const arrayPath = (model: string = MODEL): string => `/v1beta/models/${model}:streamGenerateContent`
/** The path of a stream of server-sent events. */
export const streamPath = (model: string = MODEL): string => `${arrayPath(model)}?alt=sse`

/** A request of one line of text. */
export const ask = (text = 'Say hello.', rest: object = {}) => ({
  contents: [{ role: 'user', parts: [{ text }] }],
  ...rest,
})

/** A part of a streamed answer that does not end it. */
export const piece = (text: string, rest: object = {}) => ({
  candidates: [{ content: { role: 'model', parts: [{ text }] }, index: 0 }],
  ...rest,
})

/** A usage of this many tokens of input and output. */
export const usage = (promptTokenCount: number, candidatesTokenCount: number, rest: object = {}) => ({
  promptTokenCount,
  candidatesTokenCount,
  totalTokenCount: promptTokenCount + candidatesTokenCount,
  ...rest,
})

/**
 * A complete answer; by default of 10 tokens of input and 5 of output.
 * @param modelVersion the name of a version of MODEL, which reaches callers unchanged
 */
export const answer = (
  text = 'Hello.',
  usageMetadata: object | undefined = usage(10, 5),
  modelVersion = `${MODEL}-001`,
) => ({
  candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP', index: 0 }],
  ...(usageMetadata ? { usageMetadata } : {}),
  modelVersion,
})

/** The cost of `answer()` at the price of MODEL, in nano-dollars. */
export const ANSWER_NANOS = 10 * 1_000 + 5 * 4_000

/** An upstream that answers `answer()`, whole or streamed as requested. */
export const answering = ({ path }: Pick<UpstreamRequest, 'path'>): Answer =>
  path.includes(':stream') ? events([answer()]) : whole(answer())

/** The error body of spec.md, Errors, Native generation endpoints. */
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
