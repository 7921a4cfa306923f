// Tables of plain text: aligned, compact, no trailing spaces.
import { describe, expect, test } from 'bun:test'
import { type Column, fields, table } from '../../../src/app/command-line/table.ts'

const COLUMNS = [
  { head: 'NAME', text: ([name]: [string, string]) => name },
  { head: 'USD', text: ([, usd]: [string, string]) => usd, right: true },
  { head: 'NOTE', text: () => '' },
]

test('text is aligned to the left and numbers to the right, below their heads', () => {
  const rows: [string, string][] = [
    ['a', '1.50'],
    ['somebody', '10.00'],
  ]
  expect(table(COLUMNS, rows, 'none')).toBe(
    ['NAME        USD  NOTE', 'a          1.50', 'somebody  10.00'].join('\n'),
  )
})

test('a column with a total shows it below two or more rows, labelled in the first column', () => {
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

test('each field of one record has a line', () => {
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
  const linesAt = (width?: number) => table(WIDE, ROWS, 'none', width).split('\n')
  const LEFT_OUT = '; a wider terminal or --json shows'

  test('all columns are whole if it is wide enough, or if there is no terminal', () => {
    const all = [
      'NAME                  A  TIME        NOTE',
      'somebody-with-a-name  1  2026-11-21  a note',
      'b                     1  2026-11-22',
    ]
    expect(linesAt()).toEqual(all)
    expect(linesAt(43)).toEqual(all)
  })

  test('a narrower width shortens texts, and keeps all columns', () => {
    const short = [
      'NAME                  A  TIME  NOTE',
      'somebody-with-a-name  1  2026  a note',
      'b                     1  2026',
    ]
    expect(linesAt(42)).toEqual(short)
    expect(linesAt(37)).toEqual(short)
  })

  test('a yet narrower width leaves out optional columns, and names them', () => {
    const spared = [
      'NAME                  A  TIME',
      'somebody-with-a-name  1  2026',
      'b                     1  2026',
    ]
    expect(linesAt(36)).toEqual([...spared, `(left out: NOTE${LEFT_OUT} it)`])
  })

  test('an optional column is cut to 24 characters before it is left out', () => {
    const long = table(WIDE, [{ ...(ROWS[0] as Row), note: 'a note of more than twenty-four' }], 'none', 55)
    expect(long.split('\n')[1]).toBe('somebody-with-a-name  1  2026  a note of more than twe…')
  })

  test('the narrowest widths cut elastic columns, down to 8 characters', () => {
    const cut = ['NAME             TIME', 'somebody-with-…  2026', 'b                2026']
    expect(linesAt(21)).toEqual([...cut, `(left out: NOTE, A${LEFT_OUT} them)`])
    expect(linesAt(1)[1]).toBe('somebod…  2026')
  })
})
