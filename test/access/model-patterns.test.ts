// Model patterns of keys: their syntax, and the models that they allow.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { checkModelPatterns, compileModelPatterns } from '../../src/access/model-patterns.ts'

describe('a list of model patterns', () => {
  test.each([
    'sim-text',
    '*',
    'gemini-*',
    '*-pro',
    'a*b*c',
    'meta/model.v1_2',
    'qwen3:8b',
    'qwen3:*',
    'x'.repeat(128),
    '*'.repeat(128),
  ])('may contain %s', (pattern) => {
    expect(() => checkModelPatterns([pattern])).not.toThrow()
  })

  test.each<[string, string[]]>([
    ['no pattern', []],
    ['an empty pattern', ['sim-text', '']],
    ['a pattern with a space', ['sim text']],
    ['a pattern of 129 characters', ['x'.repeat(129)]],
    ['a pattern that looks like an option', ['--json']],
    ['a regular expression', ['sim-[a-z]+']],
    ['201 patterns', Array.from({ length: 201 }, (_, at) => `model-${at}`)],
  ])('may not contain %s', (_, patterns) => {
    expect(() => checkModelPatterns(patterns)).toThrow(
      expect.objectContaining({ kind: 'invalid_request', param: 'models' }),
    )
  })
})

describe('a model is allowed', () => {
  test.each<[string, string[] | null, string, boolean]>([
    ['always, without patterns', null, 'anything', true],
    ['never, by an empty list', [], 'anything', false],
    ['by its id', ['sim-text'], 'sim-text', true],
    ['by the second of two patterns', ['gemini-*', 'sim-*'], 'sim-text', true],
    ['not by the beginning of its id', ['sim'], 'sim-text', false],
    ['not in another case', ['Sim-Text'], 'sim-text', false],
    ['by a prefix', ['sim-*'], 'sim-', true],
    ['not by the end of a prefix pattern', ['a*b'], 'xab', false],
    ['not by the beginning of a suffix pattern', ['a*b'], 'abx', false],
    ['by * alone', ['*'], 'anything', true],
    ['by * in the middle', ['a*c'], 'abbbc', true],
    ['not by a dot in place of another character', ['gemini-1.5'], 'gemini-1x5', false],
    ['not by a dot of a pattern in place of another character', ['gemini-1.*'], 'gemini-15', false],
    ['with a slash in its id', ['meta/*'], 'meta/llama/3', true],
    ['by a pattern longer than the limit of today', [`${'*'.repeat(5_000)}Z`], 'a-Z', true],
    ['by one of more patterns than the limit of today', [...Array(5_000).fill('b*'), 'a*'], 'a-Z', true],
  ])('%s', (_, patterns, model_id, allowed) => {
    expect(compileModelPatterns(patterns)(model_id)).toBe(allowed)
  })

  const id = fc.string({ minLength: 1 }).filter((text) => !text.includes('*'))

  test('with any id without patterns, and with none by an empty list', () => {
    const [all, none] = [compileModelPatterns(null), compileModelPatterns([])]
    fc.assert(fc.property(fc.string(), (model_id) => all(model_id) && !none(model_id)))
  })

  test('by a pattern without * only if it is equal to the id', () => {
    fc.assert(
      fc.property(id, id, (one, other) => {
        expect(compileModelPatterns([one])(one)).toBe(true)
        expect(compileModelPatterns([one])(other)).toBe(one === other)
      }),
    )
  })

  test('by a pattern with * with the same beginning and end', () => {
    const word = fc.stringMatching(/^[a-z0-9./+-]{0,8}$/)
    fc.assert(
      fc.property(word, word, word, (start, middle, end) => {
        expect(compileModelPatterns([`${start}*${end}`])(start + middle + end)).toBe(true)
      }),
    )
  })
})
