// Globs: the texts that they match, compared with regular expressions.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { compileGlobs } from '../../src/utilities/glob.ts'

describe('a glob', () => {
  test.each<[string, string, boolean]>([
    ['*', '', true],
    ['*', 'anything', true],
    ['**', 'anything', true],
    ['a*', 'a', true],
    ['a*a', 'a', false],
    ['a*a', 'aa', true],
    ['ab*ba', 'aba', false],
    ['ab*ba', 'abba', true],
    ['*_API_KEY', 'OPENAI_API_KEY', true],
    ['*_API_KEY', 'AWS_SECRET', false],
    ['*a*b', 'xxaxxb', true],
    ['*a*b', 'xxbxxa', false],
    ['*ab*ab*', 'xabx', false],
    ['a.c', 'abc', false],
    ['a?c', 'abc', false],
    ['[a-z]', 'b', false],
    ['', '', true],
    ['', 'a', false],
  ])('%s matches "%s": %p', (glob, text, matches) => {
    expect(compileGlobs([glob])(text)).toBe(matches)
  })

  test('matches the same texts as a regular expression with .* for each star', () => {
    const glob = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 8 })
    const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 10 })
    fc.assert(
      fc.property(glob, text, (pattern, subject) => {
        const expression = new RegExp(`^${pattern.replace(/\*+/g, '.*')}$`)
        expect(compileGlobs([pattern])(subject)).toBe(expression.test(subject))
      }),
      { numRuns: 20_000 },
    )
  })

  test('of a list is enough for a match; an empty list matches nothing', () => {
    expect(compileGlobs(['x', 'a*'])('abc')).toBe(true)
    expect(compileGlobs([])('abc')).toBe(false)
  })
})
