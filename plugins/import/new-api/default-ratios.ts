// Default ratios of one-api and new-api for well-known models, from their public sources.
import type { SourceName } from '../move-in.ts'
import { type Fraction, fraction } from './fraction.ts'

/**
 * Ratios by model, a ratio and its models on each line: github.com/QuantumNous/new-api setting/ratio_setting/model_ratio.go (2026),
 * github.com/songquanpeng/one-api relay/billing/ratio/model.go (February 2025). Only models that are still in use and have a
 * decimal ratio. Other models need a ratio in the settings or the log.
 */
const MODEL_RATIOS = {
  'new-api': `
    0.01 text-embedding-3-small
    0.025 gpt-5-nano gpt-5-nano-2025-08-07
    0.05 gpt-4.1-nano gpt-4.1-nano-2025-04-14 gemini-2.0-flash text-embedding-ada-002
    0.065 text-embedding-3-large
    0.075 gpt-4o-mini gpt-4o-mini-2024-07-18 gemini-1.5-flash-latest gemini-embedding-001
    0.1 text-moderation-stable text-moderation-latest
    0.125 gpt-5-mini gpt-5-mini-2025-08-07 claude-3-haiku-20240307
    0.135 deepseek-chat deepseek-coder
    0.15 gemini-2.5-flash grok-3-mini-beta
    0.2 gpt-4.1-mini gpt-4.1-mini-2025-04-14
    0.25 gpt-3.5-turbo gpt-3.5-turbo-0125 command-r
    0.275 deepseek-reasoner
    0.5 gpt-3.5-turbo-1106 gpt-5.6-luna claude-3-5-haiku-20241022 claude-haiku-4-5-20251001
    0.55 o1-mini o1-mini-2024-09-12 o3-mini o3-mini-2025-01-31 o4-mini o4-mini-2025-04-16
    0.625 gpt-5 gpt-5-2025-08-07 gpt-5-chat-latest gemini-2.5-pro
    1 gpt-4.1 gpt-4.1-2025-04-14 o3 o3-2025-04-16 o4-mini-deep-research grok-2
    1.25 gpt-4o gpt-4o-2024-08-06 gpt-4o-2024-11-20 gpt-5.6-terra gemini-1.5-pro-latest
    1.5 claude-3-5-sonnet-20240620 claude-3-5-sonnet-20241022 claude-3-7-sonnet-20250219
    1.5 claude-sonnet-4-20250514 claude-sonnet-4-5-20250929 claude-sonnet-5 grok-3-beta command-r-plus
    2.5 gpt-4o-2024-05-13 chatgpt-4o-latest gpt-image-1 gpt-5.5 gpt-5.6-sol
    2.5 claude-opus-4-5-20251101 claude-opus-4-6 claude-opus-4-7 claude-opus-4-8 claude-opus-5
    5 gpt-4-turbo gpt-4-turbo-2024-04-09 gpt-4-1106-preview gpt-4-0125-preview o3-deep-research claude-fable-5
    7.5 o1 o1-2024-12-17 tts-1 tts-1-1106 claude-3-opus-20240229 claude-opus-4-20250514 claude-opus-4-1-20250805
    10 o3-pro o3-pro-2025-06-10
    15 gpt-4 gpt-4-0613 tts-1-hd tts-1-hd-1106 whisper-1
    75 o1-pro o1-pro-2025-03-19`,
  'one-api': `
    0.01 text-embedding-3-small
    0.0375 gemini-1.5-flash gemini-1.5-flash-001
    0.05 text-embedding-ada-002
    0.065 text-embedding-3-large
    0.07 deepseek-chat
    0.075 gpt-4o-mini gpt-4o-mini-2024-07-18 gemini-2.0-flash gemini-2.0-flash-001
    0.125 claude-3-haiku-20240307 gemini-pro
    0.25 gpt-3.5-turbo gpt-3.5-turbo-0125
    0.275 deepseek-reasoner
    0.5 gpt-3.5-turbo-1106 claude-3-5-haiku-20241022 claude-3-5-haiku-latest
    0.625 gemini-1.5-pro gemini-1.5-pro-001
    1.25 gpt-4o-2024-08-06 gpt-4o-2024-11-20
    1.5 o1-mini o1-mini-2024-09-12 o3-mini o3-mini-2025-01-31
    1.5 claude-3-sonnet-20240229 claude-3-5-sonnet-20240620 claude-3-5-sonnet-20241022 claude-3-5-sonnet-latest
    2.5 gpt-4o gpt-4o-2024-05-13 chatgpt-4o-latest grok-beta
    5 gpt-4-turbo gpt-4-turbo-2024-04-09 gpt-4-1106-preview gpt-4-0125-preview gpt-4-turbo-preview
    7.5 o1 o1-2024-12-17 tts-1 tts-1-1106 claude-3-opus-20240229
    10 dall-e-2
    15 gpt-4 gpt-4-0613 tts-1-hd tts-1-hd-1106 whisper-1
    20 dall-e-3
    30 gpt-4-32k gpt-4-32k-0613`,
} as const

/** USD per call: new-api model_ratio.go, defaultModelPrice. */
const MODEL_PRICES =
  '0.03 imagen-3.0-generate-002\n0.04 dall-e-3 black-forest-labs/flux-1.1-pro\n0.1 mj_imagine'

/** new-api cache_ratio.go: price of a cached token divided by that of an uncached one. */
const CACHE_RATIOS = `
  0.1 gpt-5 gpt-5-2025-08-07 gpt-5-chat-latest gpt-5-mini gpt-5-mini-2025-08-07 gpt-5-nano gpt-5-nano-2025-08-07
  0.1 claude-3-haiku-20240307 claude-3-5-haiku-20241022 claude-haiku-4-5-20251001 claude-3-opus-20240229
  0.1 claude-3-5-sonnet-20240620 claude-3-5-sonnet-20241022 claude-3-7-sonnet-20250219 claude-sonnet-4-20250514
  0.1 claude-sonnet-4-5-20250929 claude-opus-4-20250514 claude-opus-4-1-20250805 claude-opus-4-5-20251101
  0.1 claude-opus-4-6 claude-opus-4-7 claude-opus-4-8 claude-3-sonnet-20240229
  0.1 gemini-3-flash-preview gemini-3-pro-preview gemini-3.1-pro-preview gemini-3.1-flash-lite gemini-3.5-flash-lite
  0.1 gemini-3.6 gemini-3.6-flash
  0.25 gpt-4.1 gpt-4.1-mini gpt-4.1-nano deepseek-chat deepseek-reasoner deepseek-coder
  0.5 gpt-4o gpt-4o-2024-08-06 gpt-4o-2024-11-20 gpt-4o-mini gpt-4o-mini-2024-07-18 o1 o1-2024-12-17 o1-mini
  0.5 o1-mini-2024-09-12 o1-preview o1-preview-2024-09-12 o3-mini o3-mini-2025-01-31 gpt-4
  0.5 gpt-4.5-preview gpt-4.5-preview-2025-02-27`

/** new-api model_ratio.go: price of audio tokens divided by that of text tokens, in a prompt and in an answer. */
const AUDIO_RATIOS = '16 gpt-4o-audio-preview\n25 gpt-4o-mini-tts\n66.67 gpt-4o-mini-audio-preview'
const AUDIO_COMPLETION_RATIOS = '0 tts-1 tts-1-hd tts-1-1106 tts-1-hd-1106\n1 gpt-4o-mini-tts'
const IMAGE_RATIOS = '2 gpt-image-1'

const table = (text: string): ReadonlyMap<string, Fraction> =>
  new Map(
    text
      .trim()
      .split('\n')
      .flatMap((line) => {
        const [ratio = '', ...models] = line.trim().split(' ')
        return models.map((model) => [model, fraction(ratio)] as const)
      }),
  )

const NONE: ReadonlyMap<string, Fraction> = new Map()

export interface DefaultRatios {
  readonly model_ratio: ReadonlyMap<string, Fraction>
  readonly model_price: ReadonlyMap<string, Fraction>
  readonly cache_ratio: ReadonlyMap<string, Fraction>
  readonly audio_ratio: ReadonlyMap<string, Fraction>
  readonly audio_completion_ratio: ReadonlyMap<string, Fraction>
  readonly image_ratio: ReadonlyMap<string, Fraction>
}

/** one-api has no default prices per call, for caches or for audio. */
export const defaultRatiosOf = (program: Exclude<SourceName, 'litellm'>): DefaultRatios =>
  program === 'one-api'
    ? {
        model_ratio: table(MODEL_RATIOS['one-api']),
        model_price: NONE,
        cache_ratio: NONE,
        audio_ratio: NONE,
        audio_completion_ratio: NONE,
        image_ratio: NONE,
      }
    : {
        model_ratio: table(MODEL_RATIOS['new-api']),
        model_price: table(MODEL_PRICES),
        cache_ratio: table(CACHE_RATIOS),
        audio_ratio: table(AUDIO_RATIOS),
        audio_completion_ratio: table(AUDIO_COMPLETION_RATIOS),
        image_ratio: table(IMAGE_RATIOS),
      }

type CompletionRule = readonly [pattern: RegExp, ratio: string, is_fixed?: true]

/**
 * Price of an output token divided by that of an input token, from the first pattern that matches; else 1. Fixed: settings cannot change it.
 * new-api model_ratio.go; one-api relay/billing/ratio/model.go.
 */
const COMPLETION_RULES: Readonly<Record<'new-api' | 'one-api', readonly CompletionRule[]>> = {
  'new-api': [
    [/-all$|-gizmo-\*$/, '2'],
    [/^gpt-image-1$/, '8'],
    [/^gpt-4o-2024-05-13$/, '3', true],
    [/^gpt-4o-mini-tts/, '20'],
    [/^gpt-4o/, '4'],
    [/^gpt-5\.4-nano/, '6.25', true],
    [/^gpt-5\.4/, '6', true],
    [/^gpt-5[^.]*$/, '8', true],
    [/^gpt-5/, '6'],
    [/^gpt-4\.5-preview/, '2', true],
    [/^gpt-4-turbo|^gpt-.*gpt-4-110[56]$/, '3', true],
    // For gpt-3.5 too: in new-api its rules follow the one for all gpt- models, and are never reached.
    [/^gpt-/, '2'],
    [/^o[13]/, '4', true],
    [/^chatgpt-4o-latest$/, '3', true],
    [/claude-3|claude-(?:sonnet|opus|haiku)-4|claude-(?:fable|sonnet|opus)-5/, '5', true],
    [/^mistral-/, '3', true],
    [/^gemini-(?:1\.5|2\.0)/, '4', true],
    [/^gemini-2\.5-pro/, '8'],
    [/^gemini-3-pro-image/, '60'],
    [/^gemini-3-pro/, '6'],
    [/^gemini-2\.5-flash-lite/, '4'],
    [/^gemini-2\.5-flash-preview.*-nothinking$/, '4'],
    // 3.5 / 0.15
    [/^gemini-2\.5-flash-preview/, '23.333333333333336'],
    // 2.5 / 0.3
    [/^gemini-(?:2\.5-flash|robotics-er-1\.5)/, '8.333333333333334'],
    [/^gemini-/, '4'],
    [/^command-r$/, '3', true],
    [/^command-r-plus$/, '5', true],
    [/^command-r(?:-plus)?-08-2024$/, '4', true],
    [/^command/, '4'],
    [/^ERNIE-(?:Speed-|Lite-|Character|Functions)|^llama3-8b-8192$/, '2', true],
  ],
  'one-api': [
    [/^whisper-1$/, '0'],
    [/^deepseek-reasoner$/, '3.9818181818181815'],
    [/^gpt-3\.5-turbo$|^gpt-3\.5.*0125$/, '3'],
    [/^gpt-3\.5.*1106$/, '2'],
    [/^gpt-3\.5/, '1.3333333333333333'],
    [/^gpt-4o-2024-05-13$/, '3'],
    [/^gpt-4o/, '4'],
    [/^gpt-4-turbo|^gpt-4.*preview$/, '3'],
    [/^gpt-4/, '2'],
    [/^o1/, '4'],
    [/^chatgpt-4o-latest$/, '3'],
    [/^claude-3/, '5'],
    [/^claude-|^mistral-|^gemini-|^command-r$|^grok-beta$/, '3'],
    [/^deepseek-|^command(?:-light)?(?:-nightly)?$|^llama3-8b-8192$/, '2'],
    [/^command-r-plus$/, '5'],
  ],
}

export function completionRuleOf(
  program: 'new-api' | 'one-api',
  model: string,
): { ratio: Fraction; is_fixed: boolean } {
  const [, ratio = '1', is_fixed = false] =
    COMPLETION_RULES[program].find(([pattern]) => pattern.test(model)) ?? []
  return { ratio: fraction(ratio), is_fixed }
}
