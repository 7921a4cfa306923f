// Hostile texts of a catalogue, aimed at the process that reads them.
import { describe, expect, test } from 'bun:test'
import { editedToml, editToml } from '../../src/catalogue/edit.ts'
import { hideSecrets } from '../../src/catalogue/hidden-text.ts'
import { readToml } from '../../src/catalogue/toml.ts'
import { createRedactor } from '../../src/observe/redact.ts'
import { CATALOGUE } from './catalogues.ts'

const NO_SECRETS = createRedactor([])

describe('a key called __proto__', () => {
  test.each([
    ['a dotted key', '__proto__.polluted = 1'],
    ['a table', '[__proto__]\npolluted = 1'],
    ['a table within another', '[server.__proto__]\npolluted = 1'],
    ['a block', '[[__proto__]]\npolluted = 1'],
    ['a quoted key', '["__proto__"]\npolluted = 1'],
    ['a key written with escapes', '["__pr\\u006fto__"]\npolluted = 1'],
    ['an inline table', 'x = { __proto__.polluted = 1 }'],
    ['a key in a list', 'x = [[{ "__proto__" = { polluted = 1 } }]]'],
  ])('is refused with its line, and reaches no other object: %s', (_, text) => {
    expect(readToml(`# Ours.\n${text}`)).toMatchObject({
      ok: false,
      line: 2,
      message: expect.stringMatching(/__proto__/),
    })
    expect(hideSecrets(text, NO_SECRETS)).toBeUndefined()
    expect(() => editedToml(text, [])).toThrow('__proto__')
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })

  test('is written by no edit', () => {
    const value = JSON.parse('{ "__proto__": { "polluted": 1 } }')
    for (const path of [['x'], ['__proto__'], ['__proto__', 'x'], ['models', 0, '__proto__']])
      expect(() => editedToml(CATALOGUE, [{ op: 'set', path, value }])).toThrow('__proto__')
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })

  test('is an ordinary text as a value', () => {
    expect(readToml('x = "__proto__"')).toMatchObject({ ok: true, value: { x: '__proto__' } })
  })
})

test.each([
  ['lists', `x = ${'['.repeat(50_000)}${']'.repeat(50_000)}`],
  ['tables', `x = ${'{a='.repeat(20_000)}1${'}'.repeat(20_000)}`],
  ['names', `${'a.'.repeat(20_000)}a = 1`],
  ['open lists', `x = ${'['.repeat(50_000)}`],
])('deeply nested %s are reported as not TOML, and crash nothing', (_, text) => {
  expect(readToml(text)).toMatchObject({ ok: false, line: 1 })
})

test('edits that would block the process too long are refused; editToml makes them in steps', () => {
  const limits = (count: number, requests_per_minute: number) => ({
    op: 'set' as const,
    path: ['limits', 'accounts'],
    value: Object.fromEntries(Array.from({ length: count }, (_, n) => [`a${n}`, { requests_per_minute }])),
  })
  const one_after_the_other = Array.from({ length: 21 }, (_, n) => limits(20, n + 1))
  const comment = `# ${'x'.repeat(1_000_000)}\n`
  expect(() => editedToml(comment + CATALOGUE, one_after_the_other)).toThrow('at once')
  const work = editToml(CATALOGUE, one_after_the_other)
  let turns = 0
  while (!work.next().done) turns += 1
  expect(turns).toBe(21)
})
