// The maximum tokens of an image, by the family of its model, its size and the requested detail.
import { expect, test } from 'bun:test'
import { boundMedia } from '../../src/domain/media/tokens.ts'

const CONTEXT_TOKENS = 1_000_000
const boundOf = (models: readonly string[], size?: readonly [number, number], detail?: string): number =>
  boundMedia(
    [{ kind: 'image', size: size && { width: size[0], height: size[1] }, detail }],
    models,
    CONTEXT_TOKENS,
  )

test.each<
  [model: string, size: readonly [number, number] | undefined, detail: string | undefined, tokens: number]
>([
  ['gpt-4o-mini', undefined, undefined, 48_169],
  ['gpt-4o-mini', [768, 2_048], undefined, 48_169],
  ['gpt-4o-mini', [1_024, 1_024], 'high', 25_501],
  ['gpt-4o-mini', [1_024, 1_024], 'low', 2_833],
  ['openai/gpt-4o', [1_024, 1_024], undefined, 765],
  ['gpt-4o-2024-11-20', undefined, 'low', 85],
  ['gpt-4.1', undefined, undefined, 1_445],
  ['gpt-4.1-mini', [1_024, 1_024], undefined, 1_659],
  ['gpt-4.1-nano', undefined, undefined, 3_779],
  ['o3', undefined, undefined, 1_275],
  ['o4-mini', undefined, undefined, 2_642],
  ['gpt-5', undefined, undefined, 1_190],
  ['gpt-5-mini', undefined, undefined, 2_642],
  ['gpt-5.4', [2_000, 2_000], 'high', 4_051],
  ['gpt-5.6', undefined, undefined, 36_000],
  ['claude-sonnet-4-5-20250929', undefined, undefined, 1_600],
  ['claude-opus-4-20250514', undefined, undefined, 1_600],
  ['claude-opus-4-7', undefined, undefined, 4_784],
  ['anthropic.claude-3-5-sonnet-20241022-v2:0', undefined, undefined, 1_600],
  ['claude-sonnet-5', [270, 270], undefined, 100],
  ['gemini-2.5-flash', [384, 384], undefined, 1_032],
  ['gemini-3.5-flash', [384, 384], undefined, 2_240],
  ['meta-llama/Llama-3.2-90B-Vision-Instruct-Turbo', undefined, undefined, 6_404],
  ['pixtral-12b-2409', undefined, undefined, 4_224],
  ['qwen2.5-vl-72b', undefined, undefined, 16_384],
  ['grok-4', [1, 1], undefined, 1_792],
  ['a-model-of-nobody', undefined, undefined, 48_169],
])('%s, %p, %s: %i', (model, size, detail, tokens) => {
  expect(boundOf([model], size, detail)).toBe(tokens)
})

test('the bound of several routes is the highest of them', () => {
  expect(boundOf(['claude-sonnet-4-5', 'gpt-4o-mini'])).toBe(48_169)
})

const SIZES: readonly (readonly [width: number, height: number])[] = [
  [256, 256],
  [512, 512],
  [768, 768],
  [1_024, 1_024],
  [1_280, 720],
  [1_920, 1_080],
  [1_080, 1_920],
  [2_560, 1_440],
  [3_840, 2_160],
  [4_032, 3_024],
]

/**
 * https://huggingface.co/datasets/JOHNISKING/image-token-cost: tokens measured for one image of each size; Claude's exclude the text
 * beside the image (77 and 65 tokens).
 */
const MEASURED: Readonly<Record<string, readonly number[]>> = {
  'claude-opus-5-5': [100, 361, 784, 1_369, 1_196, 2_691, 2_691, 2_992, 2_992, 3_928],
  'claude-haiku-4-5': [100, 361, 784, 1_369, 1_196, 1_560, 1_560, 1_592, 1_592, 1_596],
  'gpt-6-astra': [77, 308, 692, 1_229, 1_104, 2_448, 2_448, 4_320, 9_792, 14_364],
  'gpt-5.5': [77, 308, 692, 1_229, 1_104, 2_448, 2_448, 4_320, 9_792, 11_868],
  'gemini-3.5-flash': [1_090, 1_090, 1_090, 1_090, 1_101, 1_101, 1_101, 1_101, 1_101, 1_065],
}
/** A Gemini caller may ask for twice the tokens of the default resolution. */
const MAX_TIMES_MEASURED = 2.2

test.each(
  Object.entries(MEASURED).flatMap(([model, figures]) =>
    figures.map((tokens, index) => [model, ...(SIZES[index] ?? [0, 0]), tokens] as const),
  ),
)('%s, %i x %i: the bound covers the measured %i tokens', (model, width, height, tokens) => {
  const bound = boundOf([model], [width, height])
  expect(bound).toBeGreaterThanOrEqual(tokens)
  expect(bound).toBeLessThanOrEqual(MAX_TIMES_MEASURED * tokens)
})
