// CSV: cells that need quotes, cells that a spreadsheet might run, and lines generated while they are read.
import { describe, expect, test } from 'bun:test'
import { type Cell, csvAnswer, csvLine } from '../../src/http/csv.ts'

describe('a line', () => {
  test.each<[Cell, string]>([
    ['plain', 'plain'],
    [null, ''],
    ['', ''],
    [12, '12'],
    [-12, '-12'],
    ['-0.25', '-0.25'],
    ['1234567.000000001', '1234567.000000001'],
    ['two, words', '"two, words"'],
    ['say "hi"', '"say ""hi"""'],
    ['a\nb', '"a\nb"'],
    [' padded', '" padded"'],
    ['=1+1', "'=1+1"],
    ['=HYPERLINK("http://x","y")', '"\'=HYPERLINK(""http://x"",""y"")"'],
    ['+44 20', "'+44 20"],
    ['-1+1', "'-1+1"],
    ['-', "'-"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t'=1"],
    ['\r=1', '"\'\r\'=1"'],
    ['a;=1+1', "a;'=1+1"],
    ['a; "@SUM(A1)";b', '"a; ""\'@SUM(A1)"";b"'],
    ['a\n+1', '"a\n\'+1"'],
    ['a;b=1;-', "a;b=1;'-"],
    ['＝1', "'＝1"],
    ['1e5', '1e5'],
    ['--1', "'--1"],
  ])('%p is %p', (cell, text) => {
    expect(csvLine([cell])).toBe(`${text}\r\n`)
  })

  test('has its cells in order', () => {
    expect(csvLine(['a', 1, null, 'b'])).toBe('a,1,,b\r\n')
  })
})

describe('a response', () => {
  test('is a file with its head and every part', async () => {
    const answer = csvAnswer(
      { name: 'x.csv', head: ['a', 'b'] },
      parts([
        [['1', '2']],
        [],
        [
          ['3', '4'],
          ['5', '6'],
        ],
      ]),
    )
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="x.csv"')
    expect(await answer.text()).toBe('a,b\r\n1,2\r\n3,4\r\n5,6\r\n')
  })

  test('generates only the parts that are read, and ends when its reader cancels', async () => {
    const made = { parts: 0, ended: false }
    const answer = csvAnswer({ name: 'x.csv', head: ['a'] }, endless(made))
    const reader = answer.body?.getReader()
    await reader?.read()
    await reader?.read()
    await reader?.read()
    expect(made.parts).toBe(2)
    await reader?.cancel()
    expect(made).toEqual({ parts: 2, ended: true })
  })
})

describe('the end of a response is reported once', () => {
  const broken = async function* (): AsyncGenerator<Cell[][]> {
    yield [['1']]
    throw new Error('broken')
  }
  test.each<[string, () => AsyncGenerator<Cell[][]>, (answer: Response) => Promise<unknown>]>([
    ['if it is read to its end', () => parts([[['1']]]), (answer) => answer.text()],
    [
      'if its reader cancels it',
      () => endless({ parts: 0, ended: false }),
      (answer) => answer.body?.cancel() ?? Promise.resolve(),
    ],
    ['if it fails', broken, (answer) => answer.text().catch(() => {})],
  ])('%s', async (_, lines, read) => {
    let ends = 0
    const answer = csvAnswer({ name: 'x.csv', head: ['a'] }, lines(), () => void ends++)
    expect(ends).toBe(0)
    await read(answer)
    expect(ends).toBe(1)
  })
})

async function* parts(all: Cell[][][]): AsyncGenerator<Cell[][]> {
  yield* all
}

async function* endless(made: { parts: number; ended: boolean }): AsyncGenerator<Cell[][]> {
  try {
    for (;;) {
      made.parts += 1
      yield [['x']]
    }
  } finally {
    made.ended = true
  }
}
