// The turn after a tool call, in every pair: the caller sends back the answer, and the provider finds its signatures and ids.
import { describe, expect, test } from 'bun:test'
import { NO_USAGE } from '../../../src/domain/usage.ts'
import type { StreamEvent } from '../../../src/protocols/canonical/answer.ts'
import type { Part } from '../../../src/protocols/canonical/parts.ts'
import { BUILT_IN_PROTOCOLS, type BuiltInProtocol } from '../../../src/protocols/registry.ts'
import { type JsonObject, objectIn, objectsIn, stringIn } from '../../../src/protocols/wire/json.ts'
import { CONTEXT, decodeStream, encodeStream, PAIRS, recordedStream, recordedWhole } from './recordings.ts'

const TARGETS: Readonly<Record<BuiltInProtocol, string>> = {
  gemini: 'gemini-3-pro-preview',
  anthropic: 'claude-sonnet-4-5',
  openai: 'gpt-5',
}

const TOOL = { type: 'object', properties: { city: { type: 'string' } } }

/** The next request of each protocol's client after an answer with tool calls: that answer unchanged, and a result for each call. */
const NEXT: Readonly<Record<BuiltInProtocol, (answer: JsonObject) => JsonObject>> = {
  gemini: ({ candidates }) => {
    const content = objectIn(objectsIn(candidates)[0]?.content)
    const calls = objectsIn(content.parts).flatMap(({ functionCall }) =>
      functionCall ? [objectIn(functionCall)] : [],
    )
    return {
      contents: [
        { role: 'user', parts: [{ text: 'Which is warmer?' }] },
        content,
        {
          role: 'user',
          parts: calls.map(({ id, name }) => ({
            functionResponse: {
              ...(id === undefined ? {} : { id }),
              name: name ?? '',
              response: { output: '7' },
            },
          })),
        },
      ],
      tools: [{ functionDeclarations: [{ name: 'get_weather', parametersJsonSchema: TOOL }] }],
      generationConfig: {
        maxOutputTokens: 9_000,
        thinkingConfig: { thinkingBudget: 2_000, includeThoughts: true },
      },
    }
  },
  anthropic: ({ content }) => ({
    model: 'm',
    max_tokens: 9_000,
    thinking: { type: 'enabled', budget_tokens: 2_000 },
    messages: [
      { role: 'user', content: 'Which is warmer?' },
      { role: 'assistant', content: content ?? [] },
      {
        role: 'user',
        content: objectsIn(content).flatMap((block) =>
          block.type === 'tool_use'
            ? [{ type: 'tool_result', tool_use_id: block.id ?? '', content: '7' }]
            : [],
        ),
      },
    ],
    tools: [{ name: 'get_weather', input_schema: TOOL }],
  }),
  openai: ({ choices }) => {
    const message = objectIn(objectsIn(choices)[0]?.message)
    return {
      model: 'm',
      max_completion_tokens: 9_000,
      reasoning_effort: 'low',
      messages: [
        { role: 'user', content: 'Which is warmer?' },
        message,
        ...objectsIn(message.tool_calls).map(({ id }) => ({
          role: 'tool',
          tool_call_id: id ?? '',
          content: '7',
        })),
      ],
      tools: [{ type: 'function', function: { name: 'get_weather', parameters: TOOL } }],
    }
  },
}

/** Each provider's own signatures, which its next request must contain. */
const SIGNATURES: Readonly<Record<BuiltInProtocol, readonly string[]>> = {
  gemini: ['CikB0e2KbzqkVPHZ0WkxM2bXb8z3mJ1q0oYVhQ=='],
  anthropic: [stringIn(objectsIn(recordedWhole('anthropic', 'tools').content)[0]?.signature) ?? ''],
  openai: [],
}

describe.each(PAIRS)('a model of %s, a caller of %s', (provider, caller) => {
  const signatures = SIGNATURES[provider]

  const nextRequest = (answer: JsonObject): JsonObject => {
    const request = BUILT_IN_PROTOCOLS[caller].text.decodeRequest(NEXT[caller](answer), false)
    return BUILT_IN_PROTOCOLS[provider].text.encodeRequest(request, {
      model: TARGETS[provider],
      max_output_tokens: 9_000,
    })
  }

  const callersAnswer = (): JsonObject =>
    BUILT_IN_PROTOCOLS[caller].text.encodeAnswer(
      BUILT_IN_PROTOCOLS[provider].text.decodeAnswer(recordedWhole(provider, 'tools'), CONTEXT.id),
      CONTEXT,
    )

  test('every signature comes back unchanged, exactly once', () => {
    const body = JSON.stringify(nextRequest(callersAnswer()))
    for (const signature of signatures) expect(body.split(signature).length - 1).toBe(1)
    expect(body).not.toContain('skip_thought_signature_validator')
  })

  test('every call and its result have the same id', () => {
    const again = BUILT_IN_PROTOCOLS[provider].text.decodeRequest(nextRequest(callersAnswer()), false)
    const parts: Part[] = again.turns.flatMap((turn) => [...turn.parts])
    const calls = parts.flatMap((part) => (part.kind === 'tool_call' ? part.id : []))
    const results = parts.flatMap((part) => (part.kind === 'tool_result' ? part.call_id : []))
    expect(calls).toHaveLength(2)
    expect(results).toEqual(calls)
    expect(new Set(calls).size).toBe(2)
  })

  test('the request enables thinking, because it has the signatures', () => {
    const body = nextRequest(callersAnswer())
    const settings = JSON.stringify([
      body.thinking ?? null,
      body.reasoning_effort ?? null,
      body.generationConfig ?? null,
    ])
    expect(settings).toMatch(/budget_tokens|"low"|"medium"|thinkingLevel/)
  })

  test('a stream carries the same signatures as the whole answer', () => {
    const payloads = encodeStream(caller, decodeStream(provider, recordedStream(provider, 'tools'))).join(
      '\n',
    )
    const whole = JSON.stringify(callersAnswer())
    const carried = whole.match(/(?<="(?:signature|thoughtSignature|thought_signature)":")[^"]+/g) ?? []
    expect(carried.length).toBeGreaterThanOrEqual(signatures.length)
    for (const signature of carried) expect(payloads).toContain(signature)
  })
})

describe('a conversation that moves to a model of another provider', () => {
  test("Gemini 3 gets the documented placeholder for a signature that is not Gemini's, on the first call of the current turn", () => {
    const request = BUILT_IN_PROTOCOLS.anthropic.text.decodeRequest(
      NEXT.anthropic(recordedWhole('anthropic', 'tools')),
      false,
    )
    const body = BUILT_IN_PROTOCOLS.gemini.text.encodeRequest(request, {
      model: 'gemini-3-pro-preview',
      max_output_tokens: 1,
    })
    const sent = JSON.stringify(body).match(/"thoughtSignature":"[^"]*"/g)
    expect(sent).toEqual(['"thoughtSignature":"skip_thought_signature_validator"'])
  })

  test('Gemini 2.5 gets no signature, because it needs none', () => {
    const request = BUILT_IN_PROTOCOLS.anthropic.text.decodeRequest(
      NEXT.anthropic(recordedWhole('anthropic', 'tools')),
      false,
    )
    const body = BUILT_IN_PROTOCOLS.gemini.text.encodeRequest(request, {
      model: 'gemini-2.5-flash',
      max_output_tokens: 1,
    })
    expect(JSON.stringify(body)).not.toContain('thoughtSignature')
  })

  test("Claude gets no signature of Gemini's, and no thinking in a turn that did not begin with Claude's thinking", () => {
    const answer = BUILT_IN_PROTOCOLS.anthropic.text.encodeAnswer(
      BUILT_IN_PROTOCOLS.gemini.text.decodeAnswer(recordedWhole('gemini', 'tools'), CONTEXT.id),
      CONTEXT,
    )
    const request = BUILT_IN_PROTOCOLS.anthropic.text.decodeRequest(NEXT.anthropic(answer), false)
    const body = BUILT_IN_PROTOCOLS.anthropic.text.encodeRequest(request, {
      model: 'claude-sonnet-4-5',
      max_output_tokens: 1,
    })
    expect(body.thinking).toBeUndefined()
    expect(JSON.stringify(body.messages)).not.toContain('signature')
  })

  test("OpenAI's models get no signatures, because they refuse unknown fields; Gemini's behind Google's endpoint get theirs", () => {
    const request = BUILT_IN_PROTOCOLS.gemini.text.decodeRequest(
      NEXT.gemini(recordedWhole('gemini', 'tools')),
      false,
    )
    const body = BUILT_IN_PROTOCOLS.openai.text.encodeRequest(request, {
      model: 'gpt-5',
      max_output_tokens: 1,
    })
    expect(JSON.stringify(body)).not.toContain('thought_signature')
    const google = BUILT_IN_PROTOCOLS.openai.text.encodeRequest(request, {
      model: 'gemini-3-pro-preview',
      max_output_tokens: 1,
    })
    expect(JSON.stringify(google)).toContain('thought_signature')
    const sent = { server: undefined, model: 'gemini-3-pro-preview', is_translated: true }
    const fitted = BUILT_IN_PROTOCOLS.openai.text.fit?.(google, sent).body
    expect(JSON.stringify(fitted)).toContain('thought_signature')
  })
})

describe('a client that sends back its calls unchanged, without thoughts', () => {
  const signature = { format: 'openai-responses-v1', value: 'gAAAAABencrypted' }
  const encrypted: Part = { kind: 'redacted_thinking', signature }
  const unsigned: Part = { kind: 'thinking', text: 'Which is colder, „Åre“ or Oslo?' }
  const call: Part = { kind: 'tool_call', id: 'call_1', name: 'get_weather', arguments: { city: 'Oslo' } }
  const usage = NO_USAGE

  const wholeFor = (caller: BuiltInProtocol, thought: Part): JsonObject =>
    BUILT_IN_PROTOCOLS[caller].text.encodeAnswer(
      {
        id: 'a',
        model: 'm',
        candidates: [
          {
            parts: [thought, call],
            stop_reason: 'tool_use',
            stop_sequence: undefined,
            logprobs: undefined,
          },
        ],
        usage,
      },
      CONTEXT,
    )

  const eventsOf = (thought: Part): StreamEvent[] => [
    { type: 'start', id: 'a', model: 'm', usage: undefined },
    ...(thought.kind === 'redacted_thinking'
      ? [{ type: 'part_start', candidate: 0, part: thought } as const]
      : [
          { type: 'part_start', candidate: 0, part: { kind: 'thinking' } } as const,
          ...['Which is colder,', ' „Åre“ or Oslo?'].map(
            (text) => ({ type: 'thinking_delta', candidate: 0, text }) as const,
          ),
        ]),
    { type: 'part_end', candidate: 0 },
    { type: 'part_start', candidate: 0, part: { kind: 'tool_call', id: 'call_1', name: 'get_weather' } },
    { type: 'arguments_delta', candidate: 0, json: '{"city":"Oslo"}' },
    { type: 'part_end', candidate: 0 },
    { type: 'candidate_end', candidate: 0, stop_reason: 'tool_use', stop_sequence: undefined },
    { type: 'usage', usage },
    { type: 'end' },
  ]

  /** As agents store answers: https://github.com/google-gemini/gemini-cli/blob/main/packages/core/src/core/geminiChat.ts */
  const withoutThoughts = (answer: JsonObject): JsonObject => {
    const { choices, candidates } = answer
    for (const { message } of objectsIn(choices)) {
      delete objectIn(message).reasoning_details
      delete objectIn(message).reasoning_content
    }
    for (const { content } of objectsIn(candidates))
      Object.assign(objectIn(content), {
        parts: objectsIn(objectIn(content).parts).filter(({ thought }) => thought !== true),
      })
    return answer
  }

  const returnedParts = (caller: BuiltInProtocol, answer: JsonObject): readonly Part[] =>
    BUILT_IN_PROTOCOLS[caller].text.decodeRequest(NEXT[caller](answer), false).turns[1]?.parts ?? []

  const CASES: readonly (readonly [BuiltInProtocol, Part])[] = [
    ['openai', encrypted],
    ['gemini', encrypted],
    ['gemini', unsigned],
  ]

  test.each(CASES)('of %s: the thinking comes back with the call, once: %o', (caller, thought) => {
    const parts = returnedParts(caller, withoutThoughts(wholeFor(caller, thought)))
    expect(parts.map(({ kind }) => kind)).toEqual([thought.kind, 'tool_call'])
    expect(parts[0]).toEqual(thought)
    const all = returnedParts(caller, wholeFor(caller, thought))
    expect(all.filter(({ kind }) => kind === thought.kind)).toEqual([thought])
  })

  test.each(CASES)('of %s: the call has the same field in a stream: %o', (caller, thought) => {
    const on_call = /(?:thoughtSignature|thought_signature)":"([^"]+)"/
    const [, whole = 'none'] = on_call.exec(JSON.stringify(wholeFor(caller, thought))) ?? []
    const streamed = encodeStream(caller, eventsOf(thought))
    expect(streamed.filter((data) => data.includes(whole) && data.includes('get_weather'))).toHaveLength(1)
  })

  test('a known server gets no field that only Google takes', () => {
    const body = NEXT.openai(wholeFor('openai', encrypted))
    const sent = { server: 'openai', model: 'gpt-5.6-terra', is_translated: false }
    expect(JSON.stringify(body)).toContain('extra_content')
    expect(JSON.stringify(BUILT_IN_PROTOCOLS.openai.text.fit?.(body, sent).body)).not.toContain(
      'extra_content',
    )
  })
})
