// Diffs of two texts in the console: hunks with their context, and the changed words of a line.
import { describe, expect, test } from 'bun:test'
import { diffOf } from '../../../plugins/catalogue/web/parts/diff-lines.ts'

const text = (count: number, change: Record<number, string> = {}) =>
  Array.from({ length: count }, (_, at) => `${change[at + 1] ?? `line ${at + 1}`}\n`).join('')

/** `-4 [old words] …`: changed words in brackets. */
const linesOf = (before: string, after: string): string[][] | undefined =>
  diffOf(before, after)?.map(({ lines }) =>
    lines.map(({ kind, number, pieces }) => {
      const words = pieces.map(({ text, is_changed }) => (is_changed ? `[${text}]` : text)).join('')
      return `${{ same: ' ', added: '+', removed: '-' }[kind]}${number} ${words}`
    }),
  )

describe('a diff', () => {
  test.each<[string, before: string, after: string, hunks: string[][]]>([
    ['equal texts', text(3), text(3), []],
    [
      'a changed word, with three lines around it',
      text(9),
      text(9, { 5: 'line five' }),
      [
        [
          ' 2 line 2',
          ' 3 line 3',
          ' 4 line 4',
          '-5 line [5]',
          '+5 line [five]',
          ' 6 line 6',
          ' 7 line 7',
          ' 8 line 8',
        ],
      ],
    ],
    ['an added line', text(2), `${text(2)}more\n`, [[' 1 line 1', ' 2 line 2', '+3 more']]],
    ['a removed line', text(3), text(2), [[' 1 line 1', ' 2 line 2', '-3 line 3']]],
    ['a replaced line', 'a = 1\n', '# b\n', [['-1 a = 1', '+1 # b']]],
    ['no line end at the end', 'a', 'a b', [['-1 a', '+1 a[ b]']]],
    ['an empty text and a new one', '', 'a\nb\n', [['+1 a', '+2 b']]],
  ])('of %s', (_, before, after, hunks) => {
    expect(linesOf(before, after)).toEqual(hunks)
  })

  test('of changes far apart has a hunk for each, numbered by the text that has the line', () => {
    const hunks = diffOf(text(40), `new\n${text(40, { 30: 'else' })}`)
    expect(hunks?.map(({ added, removed }) => [added, removed])).toEqual([
      [1, 0],
      [1, 1],
    ])
    expect(linesOf(text(40), `new\n${text(40, { 30: 'else' })}`)?.[1]).toContain('-30 line 30')
    expect(linesOf(text(40), `new\n${text(40, { 30: 'else' })}`)?.[1]).toContain('+31 else')
  })
})
