// The kind of a model, guessed by its name: new-api and one-api do not store kinds, but go by the endpoint of the call.

/** A kind of the catalogue, or the reason why Tollgate cannot serve the model. */
type KindOfName = { readonly kind: string } | { readonly reason: string }

/** The first match counts. Names are those in the providers' lists of models. */
const KINDS: readonly (readonly [pattern: RegExp, kind: string])[] = [
  [/rerank/i, 'rerank'],
  [/moderation/i, 'moderation'],
  [/embed|^(?:bge|m3e|gte|e5)-|\/(?:bge|m3e|gte|e5)-|^tao-8k$/i, 'embedding'],
  [/whisper|transcribe|paraformer|-asr\b/i, 'transcription'],
  [/(?:^|[-/])tts(?:-|$)|cosyvoice|-speech\b/i, 'speech'],
  [
    /dall-e|gpt-image|chatgpt-image|^imagen|\/imagen|flux|stable-diffusion|sdxl|wanx|cogview|seedream|kolors|-image(?:-|$)|image-generation/i,
    'image',
  ],
]

const UNSUPPORTED: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/realtime|-live(?:-|$)/i, 'Tollgate does not serve real-time models.'],
  [/^mj_|midjourney|^swap_face$/i, 'Tollgate does not serve Midjourney tasks.'],
  [/^suno|music|^chirp/i, 'Tollgate does not serve music tasks.'],
  [
    /^sora|^veo-|kling|vidu|hailuo|seedance|runway|luma|text-to-video|-video(?:-|$)/i,
    'Tollgate does not serve video tasks.',
  ],
]

export function kindOfName(name: string): KindOfName {
  const [, reason] = UNSUPPORTED.find(([pattern]) => pattern.test(name)) ?? []
  if (reason !== undefined) return { reason }
  return { kind: KINDS.find(([pattern]) => pattern.test(name))?.[1] ?? 'text' }
}

/** The context length and output limit of a text model. */
interface TokenLimits {
  readonly context: number
  readonly max_output_tokens: number
}

/**
 * By the start of a name; the longest match counts. https://developers.openai.com/api/docs/models,
 * https://platform.claude.com/docs/en/about-claude/models/overview, https://ai.google.dev/gemini-api/docs/models.
 */
const LIMITS: readonly (readonly [beginning: string, context: number, max_output_tokens: number])[] = [
  ['gpt-3.5-turbo', 16_385, 4_096],
  ['gpt-4', 8_192, 8_192],
  ['gpt-4-turbo', 128_000, 4_096],
  ['gpt-4o', 128_000, 16_384],
  ['chatgpt-4o', 128_000, 16_384],
  ['gpt-4.1', 1_047_576, 32_768],
  ['gpt-5', 400_000, 128_000],
  ['o1', 200_000, 100_000],
  ['o1-mini', 128_000, 65_536],
  ['o3', 200_000, 100_000],
  ['o4-mini', 200_000, 100_000],
  ['claude-3-', 200_000, 4_096],
  ['claude-3-5', 200_000, 8_192],
  ['claude-3-7', 200_000, 64_000],
  ['claude-sonnet-4', 200_000, 64_000],
  ['claude-haiku-4', 200_000, 64_000],
  ['claude-opus-4', 200_000, 32_000],
  ['claude-opus-4-5', 200_000, 64_000],
  ['gemini-1.5', 1_048_576, 8_192],
  ['gemini-2.0', 1_048_576, 8_192],
  ['gemini-2.5', 1_048_576, 65_536],
  ['gemini-3', 1_048_576, 65_536],
]

/** @returns undefined for an unknown model */
export function limitsOfName(name: string): TokenLimits | undefined {
  const [closest] = LIMITS.filter(([beginning]) => name.startsWith(beginning)).toSorted(
    ([one], [other]) => other.length - one.length,
  )
  return closest && { context: closest[1], max_output_tokens: closest[2] }
}

/**
 * The reason why a name is not a model of a provider: new-api turns its ending into a setting
 * (relay/channel/{claude,gemini,openai}/adaptor.go).
 */
export const settingInNameReason = (name: string): string | undefined =>
  /^(?:claude|gemini).*-(?:thinking(?:-\d+)?|nothinking)$/.test(name) ||
  /^(?:o\d|gpt-5|claude-opus)(?!.*codex).*-(?:none|minimal|low|medium|high|xhigh|max)$/.test(name)
    ? 'Its ending is a setting of new-api, not a model of the provider. Call the model without the ending, and request thinking in the body.'
    : undefined
