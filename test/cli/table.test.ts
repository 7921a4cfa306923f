// Tables of plain text: aligned, compact, no trailing spaces.
import { expect, test } from 'bun:test'
import { fields, table } from '../../src/cli/table.ts'

const COLUMNS = [
  { head: 'NAME', text: ([name]: [string, string]) => name },
  { head: 'USD', text: ([, usd]: [string, string]) => usd, right: true },
  { head: 'NOTE', text: () => '' },
]

test('text is aligned to the left and numbers to the right, under their heads', () => {
  const rows: [string, string][] = [
    ['a', '1.50'],
    ['somebody', '10.00'],
  ]
  expect(table(COLUMNS, rows, 'none')).toBe(
    ['NAME        USD  NOTE', 'a          1.50', 'somebody  10.00'].join('\n'),
  )
})

test('without rows the table is a sentence', () => {
  expect(table(COLUMNS, [], 'There are none.')).toBe('There are none.')
})

test('the fields of one thing are a line each', () => {
  expect(
    fields([
      ['name', 'a'],
      ['created', 'b'],
    ]),
  ).toBe('name     a\ncreated  b')
})
