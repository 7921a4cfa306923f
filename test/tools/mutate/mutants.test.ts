// Mutants of a line, and lines without mutants: literals, comments, imports, types, parts of statements.
import { expect, test } from 'bun:test'
import { testsOf } from './areas.ts'
import { chosenMutants } from './chosen.ts'
import { mutantsOf, withMutant } from './mutants.ts'

const after = (source: string) => mutantsOf(source).map((mutant) => withMutant(source, mutant))

test.each([
  ['const sum = a + b', ['const sum = a - b']],
  ['const most = a <= b', ['const most = a < b']],
  ['const is = a === b && c', ['const is = a !== b && c', 'const is = a === b || c']],
  ['const limit_ms = 5_000', ['const limit_ms = 5001']],
  ['const big = 0n', ['const big = 1n']],
  ['const is = true', ['const is = false']],
  ['if (a) {\n}', ['if (!(a)) {\n}']],
  ['if (a) return', ['if (!(a)) return', ';']],
  ['{\n  spend(held)\n}', ['{\n  ;\n}']],
  ['{\n  key.spent += cost\n}', ['{\n  key.spent -= cost\n}', '{\n  ;\n}']],
] as const)('%j has its mutants', (source, expected) => {
  expect(after(source).toSorted()).toEqual(expected.toSorted())
})

test.each([
  "const text = 'a + b is 3'",
  '// a + b is 3',
  "import { a } from './2.ts'",
  'interface A { b: 1 }',
  'interface A {\n  close(): Promise<void>\n}',
  'const c = /a + \\d{3}/.test(d)',
  'const x = call(\n  first(y),\n)',
  'const x = y\n  .call(z)',
])('%j has no mutants', (source) => {
  expect(after(source)).toEqual([])
})

test('a seed gives the same mutants in the same order, another seed another order', () => {
  const of = (seed: number) => chosenMutants(`${import.meta.dir}/../../..`, seed, ['src/money/pricing/'])
  expect(of(7)).toEqual(of(7))
  expect(of(8)).not.toEqual(of(7))
  expect(of(8)).toHaveLength(of(7).length)
})

test('a file alone has its mutants in the same order as among all files', () => {
  const of = (only: string) => chosenMutants(`${import.meta.dir}/../../..`, 7, [only])
  const file = 'src/money/pricing/quote.ts'
  expect(of(file)).toEqual(of('src/money/pricing/').filter((mutant) => mutant.file === file))
})

test('a file is tried by the tests of the nearest area', () => {
  expect(testsOf('src/calls/pictures/read.ts')).toEqual(['test/pictures'])
  expect(testsOf('src/calls/responses/call.ts')).toEqual(['test/responses', 'test/kept-responses'])
  expect(testsOf('src/calls/life/running.ts')).toEqual(['test/calls', 'test/native'])
  expect(() => testsOf('src/app/commands/main.ts')).toThrow('in no area')
})
