// The same call costs the same through each surface, to the nano-dollar, and shows the usage that was billed.

import { describe, expect, test } from 'bun:test'
import type { BuiltInProtocol } from '../../src/protocols/registry.ts'
import { type Json, type JsonObject, objectIn } from '../../src/protocols/wire/json.ts'
import type { Call } from '../../src/store/schema.ts'
import { readRecording, streamOf, wantsStream } from '../support/replay.ts'
import {
  CACHE_READ_NANOS,
  CACHE_WRITE_1H_NANOS,
  CACHE_WRITE_5M_NANOS,
  INPUT_NANOS,
  MODELS,
  OUTPUT_NANOS,
  PROTOCOLS,
  threeProviders,
} from '../support/three-providers.ts'
import { whole } from '../support/upstream.ts'
import { REQUESTS, type SurfaceRequest } from './requests.ts'

const { gateway, upstream, key, lastCall } = await threeProviders()

/** A usage in the numbers that all surfaces have. */
interface UsageCounts {
  read: number
  cached: number
  written: number
}

/** The surfaces: those of the three protocols, and responses, which translates to all of them. */
type SurfaceName = BuiltInProtocol | 'responses'
const SURFACES: readonly SurfaceName[] = [...PROTOCOLS, 'responses']

const requestTo = (surface: SurfaceName, model: string, stream: boolean): SurfaceRequest =>
  surface === 'responses'
    ? {
        path: '/v1/responses',
        headers: {},
        body: { model, stream, max_output_tokens: 1_000, input: 'Why are there tides?' },
      }
    : REQUESTS[surface](model, stream)

/** Reads the usage that a surface shows: of a stream's events the last value of each field. */
const READ_USAGE: Readonly<Record<SurfaceName, (events: readonly JsonObject[]) => UsageCounts>> = {
  gemini(events) {
    const usage = lastValues(events.map(({ usageMetadata }) => usageMetadata))
    return {
      read: number(usage.promptTokenCount) + number(usage.toolUsePromptTokenCount),
      cached: number(usage.cachedContentTokenCount),
      written: number(usage.candidatesTokenCount) + number(usage.thoughtsTokenCount),
    }
  },
  anthropic(events) {
    const usage = lastValues(events.flatMap((event) => [objectIn(event.message).usage, event.usage]))
    const cached = number(usage.cache_read_input_tokens)
    const stored = number(usage.cache_creation_input_tokens)
    return {
      read: number(usage.input_tokens) + cached + stored,
      cached,
      written: number(usage.output_tokens),
    }
  },
  openai(events) {
    const usage = lastValues(events.map((event) => event.usage))
    return {
      read: number(usage.prompt_tokens),
      cached: number(objectIn(usage.prompt_tokens_details).cached_tokens),
      written: number(usage.completion_tokens),
    }
  },
  responses(events) {
    const usage = lastValues(events.flatMap((event) => [event.usage, objectIn(event.response).usage]))
    return {
      read: number(usage.input_tokens),
      cached: number(objectIn(usage.input_tokens_details).cached_tokens),
      written: number(usage.output_tokens),
    }
  },
}
const lastValues = (usages: readonly (Json | undefined)[]): JsonObject =>
  Object.assign({}, ...usages.map((usage) => objectIn(usage)))
/** A field may be absent where its number is zero. */
const number = (value: Json | undefined): number => Number(value ?? 0)

/** The usage in a call's record. */
const billed = (call: Call): UsageCounts => ({
  read: call.input_tokens + call.cache_read_tokens + call.cache_write_5m_tokens + call.cache_write_1h_tokens,
  cached: call.cache_read_tokens,
  written: call.output_tokens + call.thinking_tokens,
})

async function chargeBy(surface: SurfaceName, provider: BuiltInProtocol, streams: boolean): Promise<Call> {
  const { path, headers, body } = requestTo(surface, MODELS[provider], streams)
  const response = await gateway.call(path, body, { key, form: 'x-api-key', headers })
  expect(response.status).toBe(200)
  const text = await response.text()
  const events: JsonObject[] = streams
    ? text.split('\n\n').flatMap((frame) => {
        const data = /^data: (\{.*)$/m.exec(frame)?.[1]
        return data ? [JSON.parse(data)] : []
      })
    : [JSON.parse(text)]
  const call = await lastCall()
  // Between equal protocols the bytes pass unchanged: a usage that the provider does not report is not shown.
  if (surface !== provider || call.estimated === 0) expect(READ_USAGE[surface](events)).toEqual(billed(call))
  return call
}

/** A recorded answer with another usage in it. */
function withUsage(provider: BuiltInProtocol, streams: boolean, usage: JsonObject | undefined): string[] {
  const name = streams ? 'stream-text' : 'whole-text'
  return readRecording(provider, name).map((line) =>
    line === '[DONE]' ? line : JSON.stringify(WRITE[provider](JSON.parse(line), usage)),
  )
}

const WRITE: Readonly<
  Record<BuiltInProtocol, (event: JsonObject, usage: JsonObject | undefined) => JsonObject>
> = {
  gemini: ({ usageMetadata: _, ...event }, usage) => (usage ? { ...event, usageMetadata: usage } : event),
  anthropic({ usage: old, ...event }, usage) {
    const { usage: _, ...message } = objectIn(event.message)
    return {
      ...event,
      ...(event.message ? { message: { ...message, ...(usage ? { usage } : {}) } } : {}),
      ...(old && usage ? { usage } : {}),
    }
  },
  openai: ({ usage: old, ...event }, usage) => ({ ...event, usage: old && usage ? usage : null }),
}

const uncached = (prompt: number, cached = 0) => prompt - cached

/** [name, provider, its usage, the cost in nano-dollars] */
const CALLS: [string, BuiltInProtocol, JsonObject, number][] = [
  [
    'plain',
    'gemini',
    { promptTokenCount: 101, candidatesTokenCount: 33, totalTokenCount: 134 },
    101 * INPUT_NANOS + 33 * OUTPUT_NANOS,
  ],
  [
    'cached, with thinking and tool use',
    'gemini',
    {
      promptTokenCount: 1_001,
      cachedContentTokenCount: 777,
      candidatesTokenCount: 13,
      thoughtsTokenCount: 57,
      toolUsePromptTokenCount: 9,
      totalTokenCount: 1_080,
    },
    (uncached(1_001, 777) + 9) * INPUT_NANOS + 777 * CACHE_READ_NANOS + 70 * OUTPUT_NANOS,
  ],
  [
    'thinking only',
    'gemini',
    { promptTokenCount: 7, thoughtsTokenCount: 57 },
    7 * INPUT_NANOS + 57 * OUTPUT_NANOS,
  ],
  ['zeros', 'gemini', { promptTokenCount: 0, candidatesTokenCount: 0, totalTokenCount: 0 }, 0],
  ['plain', 'anthropic', { input_tokens: 101, output_tokens: 33 }, 101 * INPUT_NANOS + 33 * OUTPUT_NANOS],
  [
    'cached: read, written for 5 minutes and for an hour',
    'anthropic',
    {
      input_tokens: 11,
      cache_read_input_tokens: 2_048,
      cache_creation_input_tokens: 401,
      cache_creation: { ephemeral_5m_input_tokens: 300, ephemeral_1h_input_tokens: 101 },
      output_tokens: 33,
    },
    11 * INPUT_NANOS +
      2_048 * CACHE_READ_NANOS +
      300 * CACHE_WRITE_5M_NANOS +
      101 * CACHE_WRITE_1H_NANOS +
      33 * OUTPUT_NANOS,
  ],
  [
    'thinking, which is part of the output',
    'anthropic',
    { input_tokens: 11, output_tokens: 90, output_tokens_details: { thinking_tokens: 60 } },
    11 * INPUT_NANOS + 90 * OUTPUT_NANOS,
  ],
  [
    'plain',
    'openai',
    { prompt_tokens: 101, completion_tokens: 33, total_tokens: 134 },
    101 * INPUT_NANOS + 33 * OUTPUT_NANOS,
  ],
  [
    'cached, with reasoning: neither is added again',
    'openai',
    {
      prompt_tokens: 1_001,
      completion_tokens: 131,
      total_tokens: 1_132,
      prompt_tokens_details: { cached_tokens: 777, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 64 },
    },
    uncached(1_001, 777) * INPUT_NANOS + 777 * CACHE_READ_NANOS + 131 * OUTPUT_NANOS,
  ],
  ['zeros', 'openai', { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }, 0],
]

const answer = (provider: BuiltInProtocol, usage: JsonObject | undefined) =>
  upstream.answer((seen) =>
    wantsStream(seen)
      ? streamOf(provider, withUsage(provider, true, usage))
      : whole(withUsage(provider, false, usage)[0]),
  )

describe('the same call costs the same through each surface, and shows the usage that was billed', () => {
  test.each(CALLS)('%s: a %s model', async (_, provider, usage, cost_nanos) => {
    answer(provider, usage)
    for (const surface of SURFACES) {
      for (const streams of [false, true]) {
        const call = await chargeBy(surface, provider, streams)
        expect({ surface, streams, cost_nanos: call.cost_nanos, estimated: call.estimated }).toEqual({
          surface,
          streams,
          cost_nanos,
          estimated: 0,
        })
      }
    }
  })

  test.each(PROTOCOLS)(
    'the usage of a %s model that reports none is estimated; a translated answer shows the estimate',
    async (provider) => {
      answer(provider, undefined)
      for (const surface of SURFACES) {
        for (const streams of [false, true]) {
          const call = await chargeBy(surface, provider, streams)
          expect(call.estimated).toBe(1)
          expect(call.output_tokens).toBeGreaterThan(10)
          expect(call.cost_nanos).toBe(call.input_tokens * INPUT_NANOS + call.output_tokens * OUTPUT_NANOS)
        }
      }
    },
  )
})
