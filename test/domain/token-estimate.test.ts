// Estimates of tokens: near enough to hold money by, and fast enough for every prompt.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { estimateTokens } from '../../src/domain/token-estimate.ts'

describe('estimateTokens', () => {
  test.each([
    ['the empty text', '', 0],
    ['one letter', 'a', 1],
    ['four ASCII characters a token', 'abcd'.repeat(100), 100],
    ['one more than a multiple of four', 'abcd'.repeat(100).concat('e'), 101],
    ['one Chinese character a token', '汉'.repeat(100), 100],
    ['one Japanese character a token', 'ひ'.repeat(100), 100],
    ['one Hindi character a token', 'न'.repeat(100), 100],
    ['Cyrillic, five tokens to eight characters', 'я'.repeat(800), 500],
    ['Greek, five tokens to eight characters', 'λ'.repeat(800), 500],
    ['emoji, one and a quarter', '🙂'.repeat(100), 125],
    ['a mix is the sum of its parts', `${'abcd'.repeat(10)}${'汉'.repeat(10)}`, 20],
    ['a lone surrogate is no trouble', '\ud800', 1],
  ])('%s', (_name, text, tokens) => {
    expect(estimateTokens(text)).toBe(tokens)
  })

  test('a longer text is never estimated at less', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (text, more) => {
        expect(estimateTokens(text + more)).toBeGreaterThanOrEqual(estimateTokens(text))
      }),
    )
  })
})
