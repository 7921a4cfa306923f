// The usage of a call in the form of each server, and its price by the words of silent.md, "Usage that is billed".
import fc from 'fast-check'
import { type JsonObject, objectIn, objectsIn } from '../../src/protocols/wire/json.ts'
import type { FixtureProtocol, Surface } from './servers.ts'

const FIELDS = [
  'plain',
  'audio',
  'cached',
  'written_5m',
  'written_1h',
  'tools',
  'visible',
  'thought',
  'images',
  'compacted_in',
  'compacted_out',
] as const

/** Used tokens, each counted once; `tools` are read beside the prompt, a compaction before the answer. */
export type Used = Record<(typeof FIELDS)[number], number>

export const NOTHING = Object.fromEntries(FIELDS.map((field) => [field, 0])) as Used

/** Nano-dollars per million tokens. */
interface Rates {
  input: bigint
  audio: bigint
  cache_read: bigint
  cache_write_5m: bigint
  cache_write_1h: bigint
  output: bigint
  thinking: bigint
  image_output: bigint
}

const LARGE_TOKENS = 20_000
const SMALL: Rates = {
  input: 2_000_000_000n,
  audio: 6_000_000_000n,
  cache_read: 33_300_000n,
  cache_write_5m: 2_500_000_000n,
  cache_write_1h: 4_100_000_000n,
  output: 8_000_000_000n,
  thinking: 9_000_000_000n,
  image_output: 30_000_000_000n,
}
const LARGE: Rates = {
  input: 3_000_000_000n,
  audio: 7_000_000_000n,
  cache_read: 45_100_000n,
  cache_write_5m: 3_750_000_000n,
  cache_write_1h: 6_000_000_000n,
  output: 11_000_000_000n,
  thinking: 13_000_000_000n,
  image_output: 40_000_000_000n,
}

const written = (rates: Rates): string =>
  Object.entries(rates)
    .map(([name, nanos]) => `${name} = ${Number(nanos) / 1_000_000_000}`)
    .join(', ')

/** These rates in the catalogue's words. */
export const PRICE = `${written(SMALL)}, tiers = [{ above = ${LARGE_TOKENS}, ${written(LARGE)} }]`

/** "A tier is chosen by the prompt's size and prices the whole request"; the exact sum is rounded up once. */
export function priced(used: Used, times: readonly [of: bigint, over: bigint] = [1n, 1n]): number {
  const read = used.plain + used.tools + used.compacted_in
  const prompt = read + used.audio + used.cached + used.written_5m + used.written_1h
  const rates = prompt > LARGE_TOKENS ? LARGE : SMALL
  const sum =
    BigInt(read) * rates.input +
    BigInt(used.audio) * rates.audio +
    BigInt(used.cached) * rates.cache_read +
    BigInt(used.written_5m) * rates.cache_write_5m +
    BigInt(used.written_1h) * rates.cache_write_1h +
    BigInt(used.visible + used.compacted_out) * rates.output +
    BigInt(used.thought) * rates.thinking +
    BigInt(used.images) * rates.image_output
  const [of, over] = times
  const whole = 1_000_000n * over
  return Number((sum * of + whole - 1n) / whole)
}

const few = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 3_000 }))
const many = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 12_000 }))
/** Any usage with counts in these fields, and zeros in the others. Prompt and answer have a token each at least. */
export const anyUse = (fields: readonly (keyof Used)[]): fc.Arbitrary<Used> =>
  fc
    .record(
      Object.fromEntries(
        fields.map((field) => [field, /visible|thought|images|_out/.test(field) ? few : many]),
      ) as Partial<Record<keyof Used, fc.Arbitrary<number>>>,
    )
    .map((counts) => {
      const used = { ...NOTHING, ...counts }
      return { ...used, plain: used.plain + 1, visible: used.visible + 1 }
    })

/** The form in which a server reports usage. */
export interface Form {
  protocol: FixtureProtocol
  /** The fields that the form can express. */
  fields: readonly (keyof Used)[]
  write(used: Used): JsonObject
}

const CHAT = ['plain', 'cached', 'visible', 'thought'] as const
/** `prompt_tokens` includes everything that was read, `completion_tokens` everything that was written. */
const chat = (used: Used, more: JsonObject = {}): JsonObject => {
  const prompt = used.plain + used.audio + used.cached + used.written_5m + used.written_1h
  const completion = used.visible + used.thought
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    completion_tokens_details: { reasoning_tokens: used.thought },
    ...more,
  }
}

const claude = (used: Used, more: JsonObject = {}): JsonObject => ({
  input_tokens: used.plain,
  cache_read_input_tokens: used.cached,
  cache_creation_input_tokens: used.written_5m + used.written_1h,
  output_tokens: used.visible + used.thought,
  output_tokens_details: { thinking_tokens: used.thought },
  ...more,
})
const CLAUDE = ['plain', 'cached', 'written_5m', 'visible', 'thought'] as const

export const FORMS: Readonly<Record<string, Form>> = {
  Gemini: {
    protocol: 'gemini',
    fields: ['plain', 'audio', 'cached', 'tools', 'visible', 'thought', 'images'],
    write: (used) => ({
      promptTokenCount: used.plain + used.audio + used.cached,
      cachedContentTokenCount: used.cached,
      toolUsePromptTokenCount: used.tools,
      candidatesTokenCount: used.visible + used.images,
      thoughtsTokenCount: used.thought,
      promptTokensDetails: [{ modality: 'AUDIO', tokenCount: used.audio }],
      candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: used.images }],
    }),
  },
  'Gemini, without zeros': {
    protocol: 'gemini',
    fields: CHAT,
    write: (used) => ({
      promptTokenCount: used.plain + used.cached,
      ...(used.cached > 0 ? { cachedContentTokenCount: used.cached } : {}),
      candidatesTokenCount: used.visible,
      ...(used.thought > 0 ? { thoughtsTokenCount: used.thought } : {}),
    }),
  },
  Claude: {
    protocol: 'anthropic',
    fields: [...CLAUDE, 'written_1h'],
    write: (used) =>
      claude(used, {
        cache_creation: {
          ephemeral_5m_input_tokens: used.written_5m,
          ephemeral_1h_input_tokens: used.written_1h,
        },
      }),
  },
  'Claude, without the kinds of writes': { protocol: 'anthropic', fields: CLAUDE, write: claude },
  'Claude, compacting': {
    protocol: 'anthropic',
    fields: [...CLAUDE, 'compacted_in', 'compacted_out'],
    write: (used) =>
      claude(used, {
        iterations: [
          { type: 'compaction', input_tokens: used.compacted_in, output_tokens: used.compacted_out },
          { type: 'message', ...claude(used) },
        ],
      }),
  },
  OpenAI: {
    protocol: 'openai',
    fields: [...CHAT, 'audio', 'written_5m'],
    write: (used) =>
      chat(used, {
        prompt_tokens_details: {
          cached_tokens: used.cached,
          cache_write_tokens: used.written_5m,
          audio_tokens: used.audio,
        },
      }),
  },
  Alibaba: {
    protocol: 'openai',
    fields: [...CHAT, 'written_5m'],
    write: (used) =>
      chat(used, {
        prompt_tokens_details: {
          cached_tokens: used.cached,
          cache_creation_input_tokens: used.written_5m,
        },
      }),
  },
  Moonshot: {
    protocol: 'openai',
    fields: CHAT,
    write: (used) => chat(used, { cached_tokens: used.cached }),
  },
  Mistral: {
    protocol: 'openai',
    fields: CHAT,
    write: (used) => chat(used, { num_cached_tokens: used.cached }),
  },
  DeepSeek: {
    protocol: 'openai',
    fields: CHAT,
    write: (used) =>
      chat(used, { prompt_cache_hit_tokens: used.cached, prompt_cache_miss_tokens: used.plain }),
  },
  xAI: {
    protocol: 'openai',
    fields: CHAT,
    write: (used) =>
      chat(used, {
        completion_tokens: used.visible,
        prompt_tokens_details: { cached_tokens: used.cached },
      }),
  },
  'Google’s chat completions': {
    protocol: 'openai',
    fields: ['plain', 'visible', 'thought'],
    write: ({ plain, visible, thought }) => ({
      prompt_tokens: plain,
      completion_tokens: visible,
      total_tokens: plain + visible + thought,
    }),
  },
  'OpenAI’s responses': {
    protocol: 'responses',
    fields: [...CHAT, 'written_5m'],
    write: (used) => {
      const { prompt_tokens = 0, completion_tokens = 0, total_tokens = 0 } = chat(used)
      return {
        input_tokens: prompt_tokens,
        input_tokens_details: { cached_tokens: used.cached, cache_write_tokens: used.written_5m },
        output_tokens: completion_tokens,
        output_tokens_details: { reasoning_tokens: used.thought },
        total_tokens,
      }
    },
  },
}

const count = (value: unknown): number => (typeof value === 'number' ? value : 0)
/** Fields that a surface cannot express: a caller cannot compute the price from the usage that it shows. */
export const HIDDEN: Readonly<Record<Surface, readonly (keyof Used)[]>> = {
  native: ['written_5m', 'written_1h'],
  messages: ['audio', 'images'],
  chat: ['images'],
  responses: ['audio', 'images'],
  completions: ['images'],
}

const ofModality = (details: JsonObject[string] | undefined, name: string): number =>
  objectsIn(details).reduce((sum, one) => sum + (one.modality === name ? count(one.tokenCount) : 0), 0)

/** The usage that a caller reads, by the rules of the surface's own protocol. */
export function readAs(surface: Surface, usage: JsonObject): Used {
  if (surface === 'native') {
    const audio = ofModality(usage.promptTokensDetails, 'AUDIO')
    const images = ofModality(usage.candidatesTokensDetails, 'IMAGE')
    const cached = count(usage.cachedContentTokenCount)
    return {
      ...NOTHING,
      plain: count(usage.promptTokenCount) - cached - audio,
      audio,
      cached,
      tools: count(usage.toolUsePromptTokenCount),
      visible: count(usage.candidatesTokenCount) - images,
      thought: count(usage.thoughtsTokenCount),
      images,
    }
  }
  const input = objectIn(usage.prompt_tokens_details ?? usage.input_tokens_details)
  const output = objectIn(usage.completion_tokens_details ?? usage.output_tokens_details)
  const kinds = objectIn(surface === 'messages' ? usage.cache_creation : input.cache_creation)
  const written_1h = count(kinds.ephemeral_1h_input_tokens)
  const thought = count(output.reasoning_tokens ?? output.thinking_tokens)
  const visible = count(usage.completion_tokens ?? usage.output_tokens) - thought
  if (surface === 'messages') {
    const written_5m = count(usage.cache_creation_input_tokens) - written_1h
    const cached = count(usage.cache_read_input_tokens)
    return { ...NOTHING, plain: count(usage.input_tokens), cached, written_5m, written_1h, visible, thought }
  }
  const audio = count(input.audio_tokens)
  const cached = count(input.cached_tokens)
  const stored = count(input.cache_write_tokens)
  const plain = count(usage.prompt_tokens ?? usage.input_tokens) - cached - stored - audio
  return { ...NOTHING, plain, audio, cached, written_5m: stored - written_1h, written_1h, visible, thought }
}
