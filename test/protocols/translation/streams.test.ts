// Streams in translation: they have the content of the whole answer, however they are cut, and a broken one ends with an error.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { UpstreamFault } from '../../../src/domain/errors.ts'
import type { ConversationAnswer, StreamEvent } from '../../../src/protocols/canonical/answer.ts'
import { BUILT_IN_PROTOCOLS, type BuiltInProtocol } from '../../../src/protocols/registry.ts'
import { decodeByteString, toByteString } from '../../../src/protocols/wire/byte-string.ts'
import { EventCutter, EventWalk } from '../../../src/protocols/wire/sse.ts'
import {
  CONTEXT,
  collect,
  decodeStream,
  encodeStream,
  PAIRS,
  PROTOCOLS,
  plain,
  recordedStream,
  recordedWhole,
} from './recordings.ts'

const SCENARIOS: readonly (readonly [BuiltInProtocol, string])[] = [
  ...PROTOCOLS.flatMap((protocol) =>
    ['text', 'tools', 'refused', 'length'].map((name) => [protocol, name] as const),
  ),
  ['gemini', 'blocked'],
  ['openai', 'logprobs'],
  ['openai', 'two-answers'],
]

describe('a recorded stream gives the same answer as the recorded whole', () => {
  test.each(SCENARIOS)('%s: %s', (protocol, name) => {
    const streamed = collect(decodeStream(protocol, recordedStream(protocol, name)))
    const whole = BUILT_IN_PROTOCOLS[protocol].text.decodeAnswer(recordedWhole(protocol, name), CONTEXT.id)
    expect(plain(streamed)).toEqual(plain(whole))
  })
})

/** The answer that a caller gets, without its id, for comparisons. */
const callersAnswer = (protocol: BuiltInProtocol, answer: ConversationAnswer) => {
  const { id: _, ...rest } = BUILT_IN_PROTOCOLS[protocol].text.decodeAnswer(
    BUILT_IN_PROTOCOLS[protocol].text.encodeAnswer(answer, CONTEXT),
    CONTEXT.id,
  )
  return plain(rest)
}

describe('a translated stream has the content of the translated whole answer', () => {
  for (const [from, to] of PAIRS) {
    const names = SCENARIOS.filter(([protocol]) => protocol === from).map(([, name]) => name)
    test.each(names)(`${from} to ${to}: %s`, (name) => {
      const whole = BUILT_IN_PROTOCOLS[from].text.decodeAnswer(recordedWhole(from, name), CONTEXT.id)
      const payloads = encodeStream(to, decodeStream(from, recordedStream(from, name)))
      const { id: _, ...streamed } = collect(decodeStream(to, payloads))
      // The native protocol ends every stream with an empty text, as its provider does: that is not a part.
      expect(plain(streamed)).toEqual(callersAnswer(to, whole))
    })
  }
})

describe('bytes of a stream may be split anywhere', () => {
  test.each(PROTOCOLS)('%s: every split of the bytes in two gives the same events', (protocol) => {
    const payloads = recordedStream(protocol, 'text')
    const bytes = Buffer.from(payloads.map((payload) => `data: ${payload}\n\n`).join(''))
    const expected = decodeStream(protocol, payloads)
    for (let at = 1; at < bytes.length; at++) {
      const cutter = new EventCutter()
      const read: string[] = []
      for (const chunk of [bytes.subarray(0, at), bytes.subarray(at)]) {
        const whole = cutter.cut(chunk)
        if (whole) {
          const walk = new EventWalk(toByteString(whole))
          while (walk.next()) read.push(decodeByteString(walk.data))
        }
      }
      expect(decodeStream(protocol, read)).toEqual(expected)
    }
  })
})

/** The same stream with each text or piece of arguments cut in two at a random place. */
function cutDeltas(events: readonly StreamEvent[], places: readonly number[]): StreamEvent[] {
  return events.flatMap((event, index): StreamEvent[] => {
    const place = places[index % places.length] ?? 0
    if (event.type === 'text_delta' || event.type === 'thinking_delta') {
      const at = place % (event.text.length + 1)
      return [
        { ...event, text: event.text.slice(0, at) },
        { ...event, text: event.text.slice(at) },
      ]
    }
    if (event.type !== 'arguments_delta') return [event]
    const at = place % (event.json.length + 1)
    return [
      { ...event, json: event.json.slice(0, at) },
      { ...event, json: event.json.slice(at) },
    ]
  })
}

describe('pieces of a stream may be of any size', () => {
  for (const [from, to] of PAIRS) {
    test(`${from} to ${to}: cutting texts and arguments changes nothing`, () => {
      fc.assert(
        fc.property(fc.array(fc.nat(200), { minLength: 1, maxLength: 12 }), (places) => {
          const events = decodeStream(from, recordedStream(from, 'tools'))
          const uncut = collect(decodeStream(to, encodeStream(to, events)))
          const cut = collect(decodeStream(to, encodeStream(to, cutDeltas(events, places))))
          expect(plain(cut)).toEqual(plain(uncut))
        }),
        { numRuns: 30 },
      )
    })
  }
})

describe('translation is incremental', () => {
  test.each(PAIRS)('%s to %s: each piece of text is written in the step that reads it', (from, to) => {
    const decoder = BUILT_IN_PROTOCOLS[from].text.createStreamDecoder(CONTEXT.id)
    const encoder = BUILT_IN_PROTOCOLS[to].text.createStreamEncoder(CONTEXT)
    for (const payload of recordedStream(from, 'text')) {
      const out = decoder
        .decode(payload)
        .flatMap((event) => encoder.encode(event))
        .map(({ data }) => data)
        .join('')
      for (const piece of ['"Tides"', ' rise because', 'each side. 🌊'])
        if (payload.includes(piece)) expect(out).toContain(piece)
    }
  })
})

describe('a broken stream ends with an error, which hides the provider’s text from the caller', () => {
  const last = (protocol: BuiltInProtocol, payloads: readonly string[]) =>
    decodeStream(protocol, payloads).at(-1)

  const CASES: readonly (readonly [string, BuiltInProtocol, readonly string[], string])[] = [
    ['an error event', 'anthropic', recordedStream('anthropic', 'error'), 'Overloaded'],
    ['an error in a chunk', 'openai', recordedStream('openai', 'error'), 'disconnected'],
    [
      'an error record',
      'gemini',
      ['{"error": {"code": 503,"message": "The model is overloaded.","status": "UNAVAILABLE"}}'],
      'overloaded',
    ],
    ['no end', 'anthropic', recordedStream('anthropic', 'cut'), 'stop_reason'],
    ['no end', 'openai', recordedStream('openai', 'cut'), 'finish_reason'],
    ['no end', 'gemini', recordedStream('gemini', 'text').slice(0, 1), 'finishReason'],
    ['no events', 'anthropic', [], 'stop_reason'],
    ['no events', 'openai', [], 'finish_reason'],
    ['no events', 'gemini', [], 'finishReason'],
    ['not JSON', 'anthropic', ['<html>'], 'html'],
    ['not JSON', 'openai', ['<html>'], 'html'],
    ['not JSON', 'gemini', ['<html>'], 'html'],
    ['[DONE] before an end', 'openai', [...recordedStream('openai', 'cut'), '[DONE]'], 'finish_reason'],
  ]
  test.each(CASES)('%s (%s)', (_name, protocol, payloads, cause) => {
    const event = last(protocol, payloads)
    if (event?.type !== 'error') throw new Error('no error')
    expect(event.error.kind).toBe('upstream_failed')
    expect(event.error.message).not.toContain(cause)
    expect(String(event.error.cause)).toContain(cause)
  })

  test('events after an error are not read', () => {
    const payloads = [...recordedStream('openai', 'error'), ...recordedStream('openai', 'text')]
    expect(decodeStream('openai', payloads).at(-1)?.type).toBe('error')
  })

  test('a piece of a tool call after the start of the next call is an error', () => {
    const call = (index: number, id: string | undefined) =>
      JSON.stringify({
        choices: [
          { index: 0, delta: { tool_calls: [{ index, id, function: { name: 'f', arguments: '{' } }] } },
        ],
      })
    expect(last('openai', [call(0, 'a'), call(1, 'b'), call(0, undefined)])?.type).toBe('error')
  })
})

describe('other servers of the protocol', () => {
  const answerOf = (name: string) => collect(decodeStream('openai', recordedStream('openai', name)))

  test('Ollama: reasoning is thinking, and `stop` after a tool call is tool_use', () => {
    const [answer] = answerOf('ollama').candidates
    expect(plain(answer.parts)).toEqual([
      { kind: 'thinking', text: 'The user' },
      { kind: 'text', text: 'Hello' },
      { kind: 'tool_call', id: 'call_a1', name: 'now', arguments: {} },
    ])
    expect(answer.stop_reason).toBe('tool_use')
  })

  test('OpenRouter: the signature of a Claude model behind it is carried', () => {
    const [answer] = answerOf('openrouter-reasoning').candidates
    expect(plain(answer.parts)).toEqual([
      {
        kind: 'thinking',
        text: 'Nine wins.',
        signature: { format: 'anthropic-claude-v1', value: expect.stringContaining('EqQBCkYI') },
      },
      { kind: 'text', text: '9.9' },
    ])
    expect(answerOf('openrouter-reasoning').usage?.output_tokens).toBe(12)
  })

  test("Google: the signature of a Gemini model behind it is carried, and a missing index is the call's position", () => {
    const [answer] = answerOf('google').candidates
    expect(plain(answer.parts)).toEqual([
      {
        kind: 'tool_call',
        id: 'function-call-11',
        name: 'get_weather',
        arguments: { city: 'Bergen' },
        signature: { format: 'google-gemini-v1', value: 'Cp4BAdHtim8F7mZk0Z9u1c2xqg==' },
      },
    ])
  })

  test('a tool call cut off by the limit is left out, and is the stop reason if the protocol has one for it', () => {
    const events = decodeStream('openai', [
      '{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{\\"x\\":"}}]}}]}',
      '{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}',
      '[DONE]',
    ])
    const out = encodeStream('gemini', events).join('')
    expect(out).not.toContain('functionCall')
    expect(out).toContain('MALFORMED_FUNCTION_CALL')
  })
})

// https://ai.google.dev/api/generate-content#FinishReason
describe("a call that Gemini's provider could not read fails the answer", () => {
  const { text } = BUILT_IN_PROTOCOLS.gemini
  const candidate = (finishReason: string) => ({
    candidates: [{ index: 0, content: { role: 'model', parts: [] }, finishReason }],
  })

  test('whole', () => {
    expect(() => text.decodeAnswer(candidate('MALFORMED_FUNCTION_CALL'), 'id')).toThrow(UpstreamFault)
  })

  test('streamed', () => {
    const decoder = text.createStreamDecoder('id')
    const events = decoder.decode(JSON.stringify(candidate('MALFORMED_FUNCTION_CALL')))
    expect([...events, ...decoder.finish()].at(-1)).toMatchObject({ type: 'error' })
  })

  test.each(['STOP', 'MAX_TOKENS', 'SAFETY', 'UNEXPECTED_TOOL_CALL'])('%s does not', (finish_reason) => {
    expect(text.decodeAnswer(candidate(finish_reason), 'id').candidates).toHaveLength(1)
    const decoder = text.createStreamDecoder('id')
    const events = decoder.decode(JSON.stringify(candidate(finish_reason)))
    expect([...events, ...decoder.finish()].at(-1)).toMatchObject({ type: 'end' })
  })
})
