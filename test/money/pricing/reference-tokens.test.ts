// Reference images: the tokens held and estimated for one are those of the model's family, and never less than the family bills.
import { expect, test } from 'bun:test'
import { referenceTokens } from '../../../src/money/pricing/image-tokens.ts'

test.each<[model: string, is_high: boolean, most: number, usual: number]>([
  ['gpt-image-1', false, 1_097, 581],
  ['gpt-image-1', true, 7_337, 6_821],
  ['gpt-image-1.5-2025-12-16', true, 7_337, 6_821],
  ['openai/gpt-image-1', true, 7_337, 6_821],
  ['chatgpt-image-latest', true, 7_337, 6_821],
  ['gpt-image-1-mini', true, 1_097, 581],
  ['gpt-image-2', false, 1_536, 1_536],
  ['gpt-image-2.6-sunburst', false, 8_192, 1_600],
  ['gpt-image-10', false, 8_192, 1_600],
  ['gemini-2.5-flash-image', false, 16_512, 1_600],
  ['gemini-3-pro-image', false, 2_240, 1_600],
  ['a-model-of-nobody', true, 8_192, 1_600],
])('%s, high fidelity %p: %i held, %i estimated', (model, is_high, most, usual) => {
  expect(referenceTokens([model], is_high)).toEqual({ most, usual })
})

test('of several routes the most expensive one counts', () => {
  expect(referenceTokens(['gpt-image-2', 'gpt-image-1'], true)).toEqual({ most: 7_337, usual: 6_821 })
})
