// The most tokens of an image, by the family of its model, its own size and the detail that was asked for.
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

test('of several routes the dearest holds', () => {
  expect(boundOf(['claude-sonnet-4-5', 'gpt-4o-mini'])).toBe(48_169)
})
