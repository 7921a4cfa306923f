// Streams of the gateway, assembled by the providers' own SDKs: the result equals the whole answers.
import { describe, expect, test } from 'bun:test'
import { MessageStream } from '@anthropic-ai/sdk/lib/MessageStream'
import { ChatCompletionStream } from 'openai/lib/ChatCompletionStream'
import { BUILT_IN_PROTOCOLS } from '../../../src/protocols/registry.ts'
import { CONTEXT, decodeStream, encodeStream, PAIRS, recordedStream, recordedWhole } from './recordings.ts'

/** The form in which the SDKs read a stream that they have serialised: one JSON a line. */
const asLines = (payloads: readonly string[]): ReadableStream =>
  new Response(
    payloads
      .filter((payload) => payload !== '[DONE]')
      .map((payload) => `${payload}\n`)
      .join(''),
  ).body ?? new ReadableStream()

const SCENARIOS = ['text', 'tools', 'refused', 'length']

describe('@anthropic-ai/sdk', () => {
  for (const [from, to] of PAIRS) {
    if (to !== 'anthropic') continue
    test.each(SCENARIOS)(`an answer of ${from}: %s`, async (name) => {
      const payloads = encodeStream(to, decodeStream(from, recordedStream(from, name)))
      const message = await MessageStream.fromReadableStream(asLines(payloads)).finalMessage()
      const whole = BUILT_IN_PROTOCOLS[to].text.encodeAnswer(
        BUILT_IN_PROTOCOLS[from].text.decodeAnswer(recordedWhole(from, name), CONTEXT.id),
        CONTEXT,
      )
      expect(JSON.parse(JSON.stringify(message))).toMatchObject(whole)
    })
  }
})

describe('openai', () => {
  for (const [from, to] of PAIRS) {
    if (to !== 'openai') continue
    test.each(SCENARIOS)(`an answer of ${from}: %s`, async (name) => {
      const payloads = encodeStream(to, decodeStream(from, recordedStream(from, name)))
      const stream = ChatCompletionStream.fromReadableStream(asLines(payloads))
      const completion = await stream.finalChatCompletion()
      const whole = BUILT_IN_PROTOCOLS[to].text.decodeAnswer(
        BUILT_IN_PROTOCOLS[to].text.encodeAnswer(
          BUILT_IN_PROTOCOLS[from].text.decodeAnswer(recordedWhole(from, name), CONTEXT.id),
          CONTEXT,
        ),
        CONTEXT.id,
      )
      const assembled = BUILT_IN_PROTOCOLS[to].text.decodeAnswer(
        JSON.parse(JSON.stringify(completion)),
        CONTEXT.id,
      )
      const visible = (answer: typeof whole) =>
        answer.candidates[0].parts.filter(({ kind }) => kind === 'text' || kind === 'tool_call')
      expect(visible(assembled).map(withoutSignature)).toEqual(visible(whole).map(withoutSignature))
      expect(assembled.candidates[0].stop_reason).toBe(whole.candidates[0].stop_reason)
      expect(assembled.usage).toEqual(whole.usage)
    })
  }
})

const withoutSignature = (part: object): object => ({ ...part, signature: undefined })
