// Properties of protocols: conversations and answers that they can carry are the same after being written and read again.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { promptTokens, totalTokens, type Usage } from '../../../src/domain/usage.ts'
import type { Candidate, ConversationAnswer, StreamEvent } from '../../../src/protocols/canonical/answer.ts'
import {
  mergeTurns,
  type Part,
  type Signature,
  type TextPart,
  type Turn,
} from '../../../src/protocols/canonical/parts.ts'
import type { ConversationRequest } from '../../../src/protocols/canonical/request.ts'
import { BUILT_IN_PROTOCOLS, type BuiltInProtocol } from '../../../src/protocols/registry.ts'
import { hashedUserId } from '../../../src/protocols/tool-names.ts'
import type { Json, JsonObject } from '../../../src/protocols/wire/json.ts'
import { CONTEXT, collect, decodeStream, encodeStream, PROTOCOLS, plain } from './recordings.ts'

const base64 = fc
  .uint8Array({ minLength: 1, maxLength: 12 })
  .map((bytes) => Buffer.from(bytes).toString('base64'))
const word = fc.stringMatching(/^[a-z][a-z0-9_]{0,11}$/)
const text = fc.string({ minLength: 1, maxLength: 30, unit: 'grapheme' })
const id = fc.stringMatching(/^[a-zA-Z0-9_-]{4,16}$/)

/** Without -0, which is written as 0. */
const json = fc.jsonValue({ maxDepth: 2 }).map((value): Json => JSON.parse(JSON.stringify(value)))
const args: fc.Arbitrary<JsonObject> = fc.dictionary(word, json, { maxKeys: 3 })

/** Texts that are not blank: Claude's provider refuses blank ones, so they are not written. */
const words = text.filter((value) => value.trim() !== '')
const textPart: fc.Arbitrary<TextPart> = words.map((value) => ({ kind: 'text', text: value }))

const media: fc.Arbitrary<Part> = fc.oneof(
  base64.map(
    (data): Part => ({ kind: 'image', source: { by: 'data', mime_type: 'image/png', data }, at: '' }),
  ),
  word.map(
    (name): Part => ({
      kind: 'image',
      source: { by: 'url', url: `https://example.com/${name}.png` },
      at: '',
    }),
  ),
  base64.map(
    (data): Part => ({
      kind: 'document',
      source: { by: 'data', mime_type: 'application/pdf', data },
      at: '',
    }),
  ),
)

/** The formats of the protocols' own signatures. */
const FORMATS: Readonly<Record<BuiltInProtocol, string>> = {
  gemini: 'google-gemini-v1',
  anthropic: 'anthropic-claude-v1',
  openai: 'openai-responses-v1',
}

const signatureOf = (issuer: BuiltInProtocol): fc.Arbitrary<Signature> =>
  base64.map((value) => ({ format: FORMATS[issuer], value }))

/** Thinking that its own protocol takes back: signed in its format. */
const thinkingOf = (protocol: BuiltInProtocol): fc.Arbitrary<Part> =>
  fc.record({ text, signature: signatureOf(protocol) }).map((part) => ({ kind: 'thinking', ...part }))

/** A tool's result: text that is not a JSON object, because the native protocol treats those differently. */
const resultText = text.filter((value) => !value.trim().startsWith('{') && value.trim() !== '')

/** The assistant calls tools, and the user's turn holds a result for each. */
const toolTurns = (protocol: BuiltInProtocol): fc.Arbitrary<Turn[]> =>
  fc
    .record({
      thoughts: protocol === 'openai' ? fc.constant([]) : fc.array(thinkingOf(protocol), { maxLength: 1 }),
      calls: fc.uniqueArray(
        fc.record({ id, name: word, arguments: args, result: resultText, failed: fc.boolean() }),
        { selector: (call) => call.id, minLength: 1, maxLength: 3 },
      ),
      signature:
        protocol === 'gemini' ? fc.option(signatureOf('gemini'), { nil: undefined }) : fc.constant(undefined),
    })
    .map(({ thoughts, calls, signature }): Turn[] => [
      {
        role: 'assistant',
        parts: [
          ...thoughts,
          ...calls.map(
            (call, index): Part => ({
              kind: 'tool_call',
              id: call.id,
              name: call.name,
              arguments: call.arguments,
              signature: index === 0 ? signature : undefined,
            }),
          ),
        ],
      },
      {
        role: 'user',
        parts: calls.map(
          (call): Part => ({
            kind: 'tool_result',
            call_id: call.id,
            name: call.name,
            content: [{ kind: 'text', text: call.result }],
            // Chat completions has no field for a tool's failure.
            failed: protocol === 'openai' ? false : call.failed,
          }),
        ),
      },
    ])

const chatTurns: fc.Arbitrary<Turn[]> = fc
  .record({ question: fc.array(fc.oneof(textPart, media), { minLength: 1, maxLength: 3 }), reply: words })
  .map(({ question, reply }): Turn[] => [
    { role: 'user', parts: question },
    { role: 'assistant', parts: [{ kind: 'text', text: reply }] },
  ])

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })

/** The ids of a conversation's exchanges, made distinct. */
function distinctIds(turns: readonly Turn[]): Turn[] {
  let exchange = 0
  return turns.map((turn) => {
    if (turn.parts.some(({ kind }) => kind === 'tool_call')) exchange++
    const suffix = `_${exchange}`
    return {
      ...turn,
      parts: turn.parts.map((part): Part => {
        if (part.kind === 'tool_call') return { ...part, id: part.id + suffix }
        return part.kind === 'tool_result' ? { ...part, call_id: part.call_id + suffix } : part
      }),
    }
  })
}

/** A conversation that a protocol can carry in full, as decoded from it. */
const requestOf = (protocol: BuiltInProtocol): fc.Arbitrary<ConversationRequest> =>
  fc
    .record({
      system: fc.array(text, { maxLength: 2 }),
      exchanges: fc.array(fc.oneof(chatTurns, toolTurns(protocol)), { maxLength: 3 }),
      last: textPart,
      tools: fc.uniqueArray(
        fc.record({
          name: word,
          description: maybe(text),
          parameters: fc.constant<JsonObject>({ type: 'object', properties: { a: { type: 'string' } } }),
          strict: fc.constant(undefined),
          at: fc.constant(''),
        }),
        { selector: (tool) => tool.name, minLength: 1, maxLength: 3 },
      ),
      mode: fc.constantFrom('auto', 'any', 'none', undefined),
      max_output_tokens: fc.integer({ min: 1, max: 100_000 }),
      temperature: maybe(fc.constantFrom(0, 0.5, 1)),
      top_p: maybe(fc.constantFrom(0.1, 1)),
      stop: fc.uniqueArray(word, { maxLength: 3 }),
      seed: maybe(fc.integer({ min: 0, max: 1_000 })),
      user: maybe(word),
    })
    .map(
      ({ system, exchanges, last, mode, ...fields }): ConversationRequest => ({
        from: BUILT_IN_PROTOCOLS[protocol].carries,
        streams: true,
        shows_usage: true,
        system,
        turns: mergeTurns(distinctIds([...exchanges.flat(), { role: 'user', parts: [last] }])),
        tool_choice: mode === undefined ? undefined : { mode },
        parallel_tool_calls: undefined,
        verbosity: undefined,
        cache_key: undefined,
        top_k: undefined,
        candidates: undefined,
        thinking: undefined,
        shows_thinking: undefined,
        output: undefined,
        images: undefined,
        logprobs: undefined,
        frequency_penalty: undefined,
        presence_penalty: undefined,
        ...fields,
      }),
    )

const count = fc.nat(10_000)

const usage: fc.Arbitrary<Usage> = fc.record({
  input_tokens: count,
  input_audio_tokens: fc.constant(0),
  cache_read_tokens: count,
  cache_write_5m_tokens: fc.constant(0),
  cache_write_1h_tokens: fc.constant(0),
  output_tokens: count,
  thinking_tokens: count,
  output_image_tokens: fc.constant(0),
})

/** An answer of one provider's model: thinking before text before tool calls, the order of all providers. */
const answerOf = (issuer: BuiltInProtocol): fc.Arbitrary<ConversationAnswer> =>
  fc
    .record({
      thinking: fc.array(
        fc
          .record({ text, signature: signatureOf(issuer) })
          .map((part): Part => ({ kind: 'thinking', ...part })),
        { maxLength: 1 },
      ),
      texts: fc.array(textPart, { maxLength: 1 }),
      calls: fc.uniqueArray(
        fc
          .record({ id, name: word, arguments: args })
          .map((call) => ({ kind: 'tool_call' as const, ...call })),
        { selector: (call) => call.id, maxLength: 3 },
      ),
      reason: fc.constantFrom('stop', 'length', 'safety'),
      usage,
    })
    .map(({ thinking, texts, calls, reason, usage }): ConversationAnswer => {
      const candidate: Candidate = {
        parts: [...thinking, ...texts, ...calls],
        stop_reason: reason === 'stop' && calls.length > 0 ? 'tool_use' : (reason as 'stop'),
        stop_sequence: undefined,
        logprobs: undefined,
      }
      return { id: undefined, model: 'm', candidates: [candidate], usage }
    })

const TARGETS: Readonly<Record<BuiltInProtocol, string>> = {
  gemini: 'gemini-2.5-flash',
  anthropic: 'claude-sonnet-4-20250514',
  openai: 'gpt-4.1',
}

/** The fields of a conversation that each protocol drops by its tables (carries.ts). */
const DROPPED: Readonly<Record<BuiltInProtocol, Partial<ConversationRequest>>> = {
  gemini: { user: undefined },
  anthropic: { seed: undefined },
  openai: {},
}

/** Without the places in a request, which differ between requests. */
const withoutPlaces = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (key: string, item: Json) => (key === 'at' ? undefined : item))

/** With the hash of the end user, and without documents' names: the native protocol has no field for them, and chat completions adds missing ones. */
const asSent = (request: ConversationRequest): ConversationRequest => ({
  ...request,
  user: request.user === undefined ? undefined : hashedUserId(request.user),
  // Chat completions is sent one system message, because many chat templates take only one.
  system:
    request.from === BUILT_IN_PROTOCOLS.openai.carries
      ? [request.system.join('\n\n')].filter(Boolean)
      : request.system,
  turns: request.turns.map((turn) => ({
    ...turn,
    parts: turn.parts.map((part): Part => (part.kind === 'document' ? { ...part, name: undefined } : part)),
  })),
})

describe('a conversation is the same after a round trip through each protocol', () => {
  test.each(PROTOCOLS)('%s', (protocol) => {
    fc.assert(
      fc.property(requestOf(protocol), (request) => {
        const { encodeRequest, decodeRequest } = BUILT_IN_PROTOCOLS[protocol].text
        const body = encodeRequest(request, { model: TARGETS[protocol], max_output_tokens: 1 })
        const read = decodeRequest(structuredClone(body), true)
        expect(withoutPlaces(asSent(read))).toEqual(
          withoutPlaces(asSent({ ...request, ...DROPPED[protocol] })),
        )
      }),
      { numRuns: 150 },
    )
  })
})

describe('a conversation is translated to another protocol with every text, call and result', () => {
  const essence = (request: ConversationRequest) =>
    request.turns.map(({ role, parts }) => ({
      role,
      texts: parts.flatMap((part) => (part.kind === 'text' ? part.text : [])),
      calls: parts.flatMap((part) =>
        part.kind === 'tool_call' ? [[part.id, part.name, part.arguments]] : [],
      ),
      results: parts.flatMap((part) => (part.kind === 'tool_result' ? [[part.call_id, part.name]] : [])),
      media: parts.filter(({ kind }) => kind === 'image' || kind === 'document').length,
    }))

  for (const from of PROTOCOLS) {
    for (const to of PROTOCOLS.filter((name) => name !== from)) {
      test(`${from} to ${to}`, () => {
        fc.assert(
          fc.property(requestOf(from), (request) => {
            const body = BUILT_IN_PROTOCOLS[to].text.encodeRequest(request, {
              model: TARGETS[to],
              max_output_tokens: 1,
            })
            expect(essence(BUILT_IN_PROTOCOLS[to].text.decodeRequest(body, true))).toEqual(essence(request))
          }),
          { numRuns: 60 },
        )
      })
    }
  }
})

/** The events of a provider's stream of an answer. */
function eventsOf({ id, model, candidates, usage }: ConversationAnswer): StreamEvent[] {
  return [
    { type: 'start', id, model, usage: undefined },
    ...candidates.flatMap(({ parts, stop_reason, stop_sequence }, candidate): StreamEvent[] => [
      ...parts.flatMap((part) => partEvents(part, candidate)),
      { type: 'candidate_end', candidate, stop_reason, stop_sequence },
    ]),
    ...(usage ? [{ type: 'usage', usage } as const] : []),
    { type: 'end' },
  ]
}

function partEvents(part: Part, candidate: number): StreamEvent[] {
  const pieces: StreamEvent[] =
    part.kind === 'text'
      ? [{ type: 'text_delta', candidate, text: part.text }]
      : part.kind === 'thinking'
        ? [
            { type: 'thinking_delta', candidate, text: part.text },
            ...(part.signature ? [{ type: 'signature', candidate, signature: part.signature } as const] : []),
          ]
        : part.kind === 'tool_call'
          ? [{ type: 'arguments_delta', candidate, json: JSON.stringify(part.arguments) }]
          : []
  if (part.kind !== 'text' && part.kind !== 'thinking' && part.kind !== 'tool_call') return []
  return [{ type: 'part_start', candidate, part }, ...pieces, { type: 'part_end', candidate }]
}

describe('an answer of each provider is the same after a round trip through each protocol, whole and streamed', () => {
  for (const issuer of PROTOCOLS) {
    for (const protocol of PROTOCOLS) {
      test(`of ${issuer}, for a caller of ${protocol}`, () => {
        fc.assert(
          fc.property(answerOf(issuer), (answer) => {
            const { decodeAnswer, encodeAnswer } = BUILT_IN_PROTOCOLS[protocol].text
            const whole = decodeAnswer(structuredClone(encodeAnswer(answer, CONTEXT)), CONTEXT.id)
            const streamed = collect(decodeStream(protocol, encodeStream(protocol, eventsOf(answer))))
            const reason = answer.candidates[0].stop_reason
            const stop_reason = reason === 'safety' && protocol === 'anthropic' ? 'refusal' : reason
            const expected = [{ ...answer.candidates[0], stop_reason }]
            expect(plain(whole.candidates)).toEqual(plain(expected))
            expect(plain(streamed.candidates)).toEqual(plain(expected))
            expect(whole.usage).toEqual(answer.usage)
            expect(streamed.usage).toEqual(answer.usage)
          }),
          { numRuns: 60 },
        )
      })
    }
  }
})

describe('the visible usage is the billed usage', () => {
  const billed = fc.record({
    input_tokens: fc.nat(9_999),
    input_audio_tokens: fc.nat(9_999),
    cache_read_tokens: fc.nat(9_999),
    cache_write_5m_tokens: fc.nat(9_999),
    cache_write_1h_tokens: fc.nat(9_999),
    output_tokens: fc.nat(9_999),
    thinking_tokens: fc.nat(9_999),
    output_image_tokens: fc.nat(9_999),
  })

  test.each(PROTOCOLS)('%s: prompt and total are the same after a round trip', (protocol) => {
    fc.assert(
      fc.property(billed, (usage) => {
        const answer: ConversationAnswer = {
          id: undefined,
          model: 'm',
          usage,
          candidates: [{ parts: [], stop_reason: 'stop', stop_sequence: undefined, logprobs: undefined }],
        }
        const { decodeAnswer, encodeAnswer } = BUILT_IN_PROTOCOLS[protocol].text
        const visible = decodeAnswer(encodeAnswer(answer, CONTEXT), CONTEXT.id).usage ?? usage
        expect(promptTokens(visible)).toBe(promptTokens(usage))
        expect(totalTokens(visible)).toBe(totalTokens(usage))
        expect(visible.cache_read_tokens).toBe(usage.cache_read_tokens)
        expect(visible.thinking_tokens).toBe(usage.thinking_tokens)
      }),
      { numRuns: 100 },
    )
  })
})
