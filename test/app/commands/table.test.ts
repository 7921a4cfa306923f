// Tables of plain text: aligned, compact, no trailing spaces.
import { describe, expect, test } from 'bun:test'
import { type Column, fields, table } from '../../../src/app/command-line/table.ts'

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

test('a column that adds up does so below two rows or more, and the first column says so', () => {
  const columns: Column<[string, number]>[] = [
    { head: 'NAME', text: ([name]) => name },
    { head: 'COUNT', text: ([, count]) => String(count), right: true, total: (rows) => String(rows.length) },
  ]
  const row = (name: string): [string, number] => [name, 10]
  expect(table(columns, [row('a'), row('b')], '')).toBe(
    ['NAME   COUNT', 'a         10', 'b         10', 'TOTAL      2'].join('\n'),
  )
  expect(table(columns, [row('a')], '')).not.toContain('TOTAL')
  expect(table(columns, [], 'none')).toBe('none')
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

describe('in a terminal', () => {
  interface Row {
    name: string
    note: string
    time: string
  }
  const WIDE: Column<Row>[] = [
    { head: 'NAME', text: ({ name }) => name, elastic: true },
    { head: 'A', text: () => '1', right: true, spare: 2 },
    { head: 'TIME', text: ({ time }) => time, narrow: ({ time }) => time.slice(0, 4) },
    { head: 'NOTE', text: ({ note }) => note, elastic: true, spare: 1 },
  ]
  const ROWS: Row[] = [
    { name: 'somebody-with-a-name', note: 'a note', time: '2026-11-21' },
    { name: 'b', note: '', time: '2026-11-22' },
  ]
  const shown = (width?: number) => table(WIDE, ROWS, 'none', width).split('\n')
  const LEFT_OUT = '; a wider terminal or --json shows'

  test('that is wide enough, and where there is none, all is shown', () => {
    const all = [
      'NAME                  A  TIME        NOTE',
      'somebody-with-a-name  1  2026-11-21  a note',
      'b                     1  2026-11-22',
    ]
    expect(shown()).toEqual(all)
    expect(shown(43)).toEqual(all)
  })

  test('that is narrower, texts are written shorter, and nothing is left out', () => {
    const short = [
      'NAME                  A  TIME  NOTE',
      'somebody-with-a-name  1  2026  a note',
      'b                     1  2026',
    ]
    expect(shown(42)).toEqual(short)
    expect(shown(37)).toEqual(short)
  })

  test('that is narrower still, what can be spared is left out, and named', () => {
    const spared = [
      'NAME                  A  TIME',
      'somebody-with-a-name  1  2026',
      'b                     1  2026',
    ]
    expect(shown(36)).toEqual([...spared, `(left out: NOTE${LEFT_OUT} it)`])
  })

  test('a long text that can be spared is cut to 24 characters before it is left out', () => {
    const long = table(WIDE, [{ ...(ROWS[0] as Row), note: 'a note of more than twenty-four' }], 'none', 55)
    expect(long.split('\n')[1]).toBe('somebody-with-a-name  1  2026  a note of more than twe…')
  })

  test('that is too narrow for the rest, elastic columns are cut, to 8 characters at the least', () => {
    const cut = ['NAME             TIME', 'somebody-with-…  2026', 'b                2026']
    expect(shown(21)).toEqual([...cut, `(left out: NOTE, A${LEFT_OUT} them)`])
    expect(shown(1)[1]).toBe('somebod…  2026')
  })
})
