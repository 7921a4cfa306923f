// Properties: what a protocol can carry survives being written in it and read again, conversations and answers alike.

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { promptTokens, totalTokens } from '../../../src/domain/usage.ts'
import type { ConversationAnswer, StreamEvent } from '../../../src/protocols/canonical/answer.ts'
import type { Part } from '../../../src/protocols/canonical/parts.ts'
import type { ConversationRequest } from '../../../src/protocols/canonical/request.ts'
import { BUILT_IN_PROTOCOLS, type BuiltInProtocol, type BuiltInProtocol } from '../../../src/protocols/registry.ts'
import { userMark } from '../../../src/protocols/tool-names.ts'
import type { Json } from '../../../src/protocols/wire/json.ts'
import { answerOf, requestOf } from './arbitraries.ts'
import { CONTEXT, collect, decodeStream, encodeStream, PROTOCOLS, plain } from './recordings.ts'

const TARGETS: Readonly<Record<BuiltInProtocol, string>> = {
  gemini: 'gemini-2.5-flash',
  anthropic: 'claude-sonnet-4-20250514',
  openai: 'gpt-4.1',
}

/** What each protocol's tables (its carries.ts) say that it drops of a conversation. */
const DROPPED: Readonly<Record<BuiltInProtocol, Partial<ConversationRequest>>> = {
  gemini: { user: undefined },
  anthropic: { seed: undefined },
  openai: {},
}

/** Without the places in a request, which differ between requests. */
const withoutPlaces = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (key: string, item: Json) => (key === 'at' ? undefined : item))

/** With the mark of the end user, and without documents' names: the native protocol has no field for them, and chat completions gives one to a document without. */
const asSent = (request: ConversationRequest): ConversationRequest => ({
  ...request,
  user: request.user === undefined ? undefined : userMark(request.user),
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

describe('a conversation survives each protocol there and back', () => {
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

describe("an answer survives each protocol, whole and streamed, whichever provider's model gave it", () => {
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

describe('the usage shown is the usage that was billed', () => {
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

  test.each(PROTOCOLS)('%s: prompt and total are the same when read again', (protocol) => {
    fc.assert(
      fc.property(billed, (usage) => {
        const answer: ConversationAnswer = {
          id: undefined,
          model: 'm',
          usage,
          candidates: [{ parts: [], stop_reason: 'stop', stop_sequence: undefined, logprobs: undefined }],
        }
        const { decodeAnswer, encodeAnswer } = BUILT_IN_PROTOCOLS[protocol].text
        const shown = decodeAnswer(encodeAnswer(answer, CONTEXT), CONTEXT.id).usage ?? usage
        expect(promptTokens(shown)).toBe(promptTokens(usage))
        expect(totalTokens(shown)).toBe(totalTokens(usage))
        expect(shown.cache_read_tokens).toBe(usage.cache_read_tokens)
        expect(shown.thinking_tokens).toBe(usage.thinking_tokens)
      }),
      { numRuns: 100 },
    )
  })
})
