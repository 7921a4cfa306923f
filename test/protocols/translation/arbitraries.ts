// Arbitrary conversations and answers in the canonical form, for property tests.

import fc from 'fast-check'
import type { Usage } from '../../../src/domain/usage.ts'
import type { Candidate, ConversationAnswer } from '../../../src/protocols/canonical/answer.ts'
import {
  mergeTurns,
  type Part,
  type Signature,
  type TextPart,
  type Turn,
} from '../../../src/protocols/canonical/parts.ts'
import type { ConversationRequest } from '../../../src/protocols/canonical/request.ts'
import { BUILT_IN_PROTOCOLS, type BuiltInProtocol, type BuiltInProtocol } from '../../../src/protocols/registry.ts'
import type { Json, JsonObject } from '../../../src/protocols/wire/json.ts'

const base64 = fc
  .uint8Array({ minLength: 1, maxLength: 12 })
  .map((bytes) => Buffer.from(bytes).toString('base64'))
const word = fc.stringMatching(/^[a-z][a-z0-9_]{0,11}$/)
const text = fc.string({ minLength: 1, maxLength: 30, unit: 'grapheme' })
const id = fc.stringMatching(/^[a-zA-Z0-9_-]{4,16}$/)

/** Without -0, which is written as 0. */
const json = fc.jsonValue({ maxDepth: 2 }).map((value): Json => JSON.parse(JSON.stringify(value)))
const args: fc.Arbitrary<JsonObject> = fc.dictionary(word, json, { maxKeys: 3 })

/** Claude's provider refuses blank ones, so that they are not written. */
const spoken = text.filter((value) => value.trim() !== '')
const textPart: fc.Arbitrary<TextPart> = spoken.map((value) => ({ kind: 'text', text: value }))

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
export const FORMATS: Readonly<Record<BuiltInProtocol, string>> = {
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
  .record({ asked: fc.array(fc.oneof(textPart, media), { minLength: 1, maxLength: 3 }), said: spoken })
  .map(({ asked, said }): Turn[] => [
    { role: 'user', parts: asked },
    { role: 'assistant', parts: [{ kind: 'text', text: said }] },
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
export const requestOf = (protocol: BuiltInProtocol): fc.Arbitrary<ConversationRequest> =>
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
export const answerOf = (issuer: BuiltInProtocol): fc.Arbitrary<ConversationAnswer> =>
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
