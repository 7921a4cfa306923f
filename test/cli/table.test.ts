// Tables for people: aligned, small, nothing trailing.
import { expect, test } from 'bun:test'
import { fields, table } from '../../src/cli/table.ts'

const COLUMNS = [
  { head: 'NAME', text: ([name]: [string, string]) => name },
  { head: 'USD', text: ([, usd]: [string, string]) => usd, right: true },
  { head: 'NOTE', text: () => '' },
]

test('words stand to the left and numbers to the right, under their heads', () => {
  const rows: [string, string][] = [
    ['a', '1.50'],
    ['somebody', '10.00'],
  ]
  expect(table(COLUMNS, rows, 'none')).toBe(
    ['NAME        USD  NOTE', 'a          1.50', 'somebody  10.00'].join('\n'),
  )
})

test('no rows are told in words, without heads', () => {
  expect(table(COLUMNS, [], 'There are none.')).toBe('There are none.')
})

test('one thing is a line a field', () => {
  expect(
    fields([
      ['name', 'a'],
      ['created', 'b'],
    ]),
  ).toBe('name     a\ncreated  b')
})
