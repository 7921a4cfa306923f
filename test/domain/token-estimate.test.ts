// Token estimates: close enough for holds, and fast enough for every prompt.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { estimateTokens } from '../../src/domain/token-estimate.ts'

describe('estimateTokens', () => {
  test.each([
    ['the empty text', '', 0],
    ['one letter', 'a', 1],
    ['four ASCII characters per token', 'abcd'.repeat(100), 100],
    ['one more than a multiple of four', 'abcd'.repeat(100).concat('e'), 101],
    ['one Chinese character per token', '汉'.repeat(100), 100],
    ['one Japanese character per token', 'ひ'.repeat(100), 100],
    ['one Hindi character per token', 'न'.repeat(100), 100],
    ['Cyrillic, five tokens per eight characters', 'я'.repeat(800), 500],
    ['Greek, five tokens per eight characters', 'λ'.repeat(800), 500],
    ['emoji, one and a quarter', '🙂'.repeat(100), 125],
    ['a mix is the sum of its parts', `${'abcd'.repeat(10)}${'汉'.repeat(10)}`, 20],
    ['a lone surrogate', '\ud800', 1],
  ])('%s', (_name, text, tokens) => {
    expect(estimateTokens(text)).toBe(tokens)
  })

  test('a longer text never has a lower estimate', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (text, more) => {
        expect(estimateTokens(text + more)).toBeGreaterThanOrEqual(estimateTokens(text))
      }),
    )
  })
})
