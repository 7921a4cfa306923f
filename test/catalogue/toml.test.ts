// The two parsers of TOML, the runtime's and the one with places: they read every text alike.
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { readToml, withoutMark } from '../../src/catalogue/toml.ts'
import { readByPlaces } from '../../src/catalogue/toml-places.ts'
import { CATALOGUE } from './catalogues.ts'

const DATA = join(import.meta.dir, '../../data')
const SOURCE = join(import.meta.dir, '../../src')
const EXAMPLES = ['tollgate.example.toml', 'several/tollgate.toml'].map((name) =>
  readFileSync(join(DATA, name), 'utf8'),
)
const SEED = 20_261_130
const CATALOGUES = [FIRST_CATALOGUE, CATALOGUE, ...EXAMPLES]

/** A reading without its function, with the names of tables in their order. */
function comparable(reading: ReturnType<typeof readToml>): unknown {
  return reading.ok ? inOrder(reading.value) : reading
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder)
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  return Object.entries(value).map(([name, each]) => [name, inOrder(each)])
}

const expectAlike = (text: string): void =>
  expect(comparable(readToml(text))).toEqual(comparable(readByPlaces(withoutMark(text))))

const VALUES = [
  '0|-0|+1|1_000|0x1F|0o17|0b11|1.5|-0.0|1e3|6.02e+23|5e-324|1e400|0.1|3.141592653589793238|123456789012345680000.0|nan|-nan|inf|-inf',
  '9007199254740991|9007199254740992|9007199254740993|-9007199254740993|9223372036854775807|9223372036854775808',
  '00|01|1.|.5|1__0|1_|_1|0X1|+0x1|1e|+nanx|-|1e1.0',
  '1979-05-27T07:32:00Z|1979-05-27 07:32:00.999999-07:00|1979-05-27T07:32|1979-05-27|07:32|07:32:01.5|2021-02-30|25:00:00',
  String.raw`"\n\t\e\x41\u00e9\U0001F600\\\""|"\z"|"\ud800"|'a\b'`,
  `"""\na\\\n   b"""|'''\n'a''b'''|""""a""""|"a\nb"|"a\tb"|"\0"|"\u007f"|"\ud800"|'\udfff'|"""a\r\nb"""`,
  '[]|[1,]|[\n1 # one\n,2]|[,]|[1,,2]|{}|{b=1,}|{\n# b\nb=1}|{b.c=1,b.d=2}|{b=1,b=2}',
]
const nested = (count: number): string => `a=${'['.repeat(count)}${']'.repeat(count)}`
const DOCUMENTS = [
  'a=1\na=2|a.b=1\n[a]|[a]\n[a]|[a.b]\n[a]|[[a]]\n[a]|a=[]\n[[a]]|a={}\n[a.b]|[[a]]\nb=1\n[[a]]\n[a.c]\nd=1|2=1\n1=2\nb=1\na=2',
  'constructor=1\n[toString]\nvalueOf=1|__proto__=1|x={"__proto__"=1}|""=1|é=1|"\ud83d"=1|# \udfff\na=1|\uFEFFa=1|\uFEFF\uFEFFa=1',
  'a=1\rb=2|a=1\u2028b=2|a=1\u00a0|a=1 b=2|[a]b=1|[a\n]',
  [
    nested(7),
    nested(30),
    nested(40),
    `${'a.'.repeat(31)}a=1`,
    `${'a.'.repeat(33)}a=1`,
    `a="${'x'.repeat(70_000)}"`,
  ].join('|'),
]

describe('both parsers give the same value, or the same error', () => {
  test.each(VALUES.flatMap((line) => line.split('|')))('value %#', (value) => expectAlike(`a = ${value}`))
  test.each(DOCUMENTS.flatMap((line) => line.split('|')))('document %#', expectAlike)
  test.each(CATALOGUES)('catalogue %#', (text) => {
    expectAlike(text)
    expectAlike(text.replaceAll('\n', '\r\n'))
  })

  test('documents of random pieces', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(anyPiece, anyPair), { maxLength: 12 }), (pieces) =>
        expectAlike(pieces.join('')),
      ),
      { numRuns: 2_000, seed: SEED },
    )
  })

  test('catalogues with random pieces in random places', () => {
    fc.assert(
      fc.property(
        fc.nat(CATALOGUES.length - 1),
        fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(6), anyPiece), {
          minLength: 1,
          maxLength: 3,
        }),
        (index, changes) => {
          let text = CATALOGUES[index] ?? ''
          for (const [where, removed, piece] of changes) {
            const at = Math.floor(where * text.length)
            text = text.slice(0, at) + piece + text.slice(at + removed)
          }
          expectAlike(text)
        },
      ),
      { numRuns: 200, seed: SEED },
    )
  })
})

const oneOf = (words: string) => fc.constantFrom(...words.split('|'))
const anyName = oneOf(`a|b|a.b|"a b"|'c'|""|1|-|a . b|constructor|__proto__`)
const { value: anyValue } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    oneOf(`1|-0|1.5e3|0.1|0xF|inf|true|"x"|'y'|"""\nz\\\n w"""|07:32|9007199254740993`),
    fc.array(tie('value'), { maxLength: 3 }).map((all) => `[${all.join(',\n')}]`),
    fc
      .array(fc.tuple(anyName, tie('value')), { maxLength: 3 })
      .map((all) => `{${all.map((pair) => pair.join('=')).join(', ')}}`),
  ),
}))
const anyPair = fc.tuple(anyName, anyValue).map((pair) => `${pair.join(' = ')}\n`)
const anyPiece = fc.oneof(
  oneOf(
    `\n|\r\n|\r| |\t|=|,|.|[|]|[[|]]|{|}|"|'|"""|'''|\\|#|# c\n|\0|\u007f|\u000b|\uFEFF|\u2028|\ud800|é|_|-|+|0|1e|1979-05-27`,
  ),
  anyName.map((name) => `[${name}]\n`),
  anyName.map((name) => `[[${name}]]\n`),
  anyName,
)

test('a line comes from the parser with places, whichever parser gave the value', () => {
  for (const text of CATALOGUES) {
    const [read, placed] = [readToml(text), readByPlaces(text)]
    if (!read.ok || !placed.ok) throw new Error('the text is not TOML')
    for (const path of [
      [],
      ['models', 0],
      ['models', 1, 'price', 'input'],
      ['server', 'listen'],
      ['nothing'],
    ])
      expect(read.lineOf(path)).toBe(placed.lineOf(path))
  }
})

test('a start without mistakes and warnings loads no parser with places', () => {
  const script = `
    const { readCatalogue } = await import('./catalogue/load.ts')
    const { FIRST_CATALOGUE } = await import('./catalogue/first.ts')
    const { BUILT_IN_REGISTRY } = await import('./protocols/registry.ts')
    for (const name of ['catalogue', 'catalogue-past']) await import('./app/process/' + name + '.ts')
    const isLoaded = () => Object.keys(require.cache).some((path) => path.includes('toml-eslint-parser'))
    const { warnings } = readCatalogue(FIRST_CATALOGUE, { env: {}, protocols: BUILT_IN_REGISTRY })
    const before = isLoaded()
    readCatalogue('', { env: {}, protocols: BUILT_IN_REGISTRY })
    console.log(JSON.stringify({ warnings, before, after: isLoaded() }))`
  const { stdout, stderr } = Bun.spawnSync([process.execPath, '-e', script], { cwd: SOURCE })
  expect(stderr.toString()).toBe('')
  expect(JSON.parse(stdout.toString())).toEqual({ warnings: [], before: false, after: true })
})
