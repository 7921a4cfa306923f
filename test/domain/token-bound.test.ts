// Token bounds of texts: never below what real tokenizers count, for each class of characters, and at most twice the estimate for prose and code.
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { boundText } from '../../src/domain/token-bound.ts'
import { estimateTokens } from '../../src/domain/token-estimate.ts'
import { type Random, randomFrom } from '../money/ledger/random.ts'
import { IS_LONG } from '../support/long.ts'
import { type CountTokens, countCl100k, countLlama, countO200k } from '../support/tokenizers.ts'
import { agentBody } from '../tools/bench/agent.ts'

/** Each text is cut to these lengths: a long one alone shows an average, which short ones exceed. */
const LENGTHS_CHARS = [1, 2, 3, 4, 5, 7, 10, 15, 30, 100, 200, ...(IS_LONG ? [600] : [])]
const CHARS = 600
/** Words of common letter pairs are bounded by their average: for rare pairs the bound holds from this length on. */
const MANY_CHARS = 100
/** For random texts; each run has another seed. */
const RUNS = { numRuns: IS_LONG ? 5_000 : 150 }
const ROOT = join(import.meta.dir, '../..')
const read = (path: string, chars = 12_000) => readFileSync(join(ROOT, path), 'utf8').slice(0, chars)

const SMALL = 'abcdefghijklmnopqrstuvwxyz'
const LARGE = SMALL.toUpperCase()
const DIGITS = '0123456789'
const SIGNS = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'

type Make = (random: Random) => string
const anyOf =
  (alphabet: string, length = CHARS): Make =>
  (random) => {
    const chars = [...alphabet]
    return Array.from({ length }, () => chars[random.below(chars.length)]).join('')
  }
/** Words of this many letters, with a space between them. */
const words =
  (letters: number, alphabet: string): Make =>
  (random) =>
    Array.from({ length: 300 }, () => anyOf(alphabet, letters)(random)).join(' ')
/** Any characters from one code point to another. */
const range =
  (first: number, last: number): Make =>
  (random) =>
    Array.from({ length: CHARS }, () => String.fromCodePoint(first + random.below(last - first + 1))).join('')
const always =
  (text: string): Make =>
  () =>
    text

const CURRENT: readonly CountTokens[] = [countO200k, countCl100k]
const ALL: readonly CountTokens[] = [...CURRENT, countLlama]

/** The lengths at which one of these tokenizers counts more than the bound. */
function exceeded(make: Make, tokenizers: readonly CountTokens[], min_chars: number): number[] {
  const text = make(randomFrom(1))
  return LENGTHS_CHARS.filter((chars) => {
    const start = text.slice(0, chars)
    return chars >= min_chars && tokenizers.some((count) => count(start) > Math.ceil(boundText(start)))
  })
}

describe('no tokenizer counts more than the bound', () => {
  test.each<[string, Make, readonly CountTokens[], min_chars?: number]>([
    ['English', always(read('plugins/translation.md', 4_000)), ALL],
    [
      'Zulu',
      always(
        'Bonke abantu bazalwa bekhululekile belingana ngesithunzi nangamalungelo. Bahlanganiswe wumcabango nangunembeza futhi kufanele baphathane ngomoya wobunye. ',
      ),
      CURRENT,
      MANY_CHARS,
    ],
    [
      'Swahili',
      always(
        'Watu wote wamezaliwa huru, hadhi na haki zao ni sawa. Wote wamejaliwa akili na dhamiri, hivyo yapasa watendeane kindugu. ',
      ),
      CURRENT,
      MANY_CHARS,
    ],
    ['code', always(read('src/calls/settling/settlement.ts', 4_000)), ALL],
    ['JSON', always(read('package.json', 4_000)), ALL],
    ['digits', anyOf(DIGITS), ALL],
    ['base64', anyOf(`${SMALL}${LARGE}${DIGITS}+/`), ALL, MANY_CHARS],
    ['base64url', anyOf(`${SMALL}${LARGE}${DIGITS}-_`), ALL, MANY_CHARS],
    ['hexadecimal digits', anyOf(`${DIGITS}abcdef`), ALL],
    ['letters without a space', anyOf(SMALL), ALL],
    ['capitals without a space', anyOf(LARGE), ALL],
    ['single letters', words(1, SMALL), CURRENT],
    ['pairs of letters', words(2, SMALL), CURRENT],
    ['letters at random, in words of 6', words(6, SMALL), CURRENT],
    ['letters at random, in words of 20', words(20, SMALL), CURRENT],
    ['capitals at random, in words of 6', words(6, LARGE), CURRENT],
    ['both cases at random', words(8, `${SMALL}${LARGE}`), CURRENT],
    ['words that are joined', words(12, `${SMALL}_`), CURRENT],
    ['signs', anyOf(SIGNS), ALL],
    ['signs of JSON', anyOf('[]{},:"'), ALL],
    ['signs that never join', always('$%'.repeat(300)), ALL],
    ['signs of which only two join', always('@@@&&&'.repeat(100)), ALL],
    ['signs twice, after a space', always(' ,, ^^ }}'.repeat(70)), ALL],
    ['a sign and a space', anyOf(`${SIGNS}${' '.repeat(SIGNS.length)}`), ALL],
    ['a digit and a space', always('3 '.repeat(300)), ALL],
    ['columns of digits', always('  9  0\t7\n'.repeat(70)), ALL],
    ['letters that never join', anyOf('jqvxz'), ALL],
    ['capitals that never join', always('QXKXJQ'.repeat(100)), ALL],
    ['white space', anyOf(' \t\r\n'), ALL],
    ['carriage returns', always('\r'.repeat(600)), ALL],
    ['spaces', always(' '.repeat(600)), ALL],
    ['drawn lines', always(' ---- ====\n....##**//__'.repeat(30)), ALL],
    ['all of ASCII', anyOf(`${SMALL}${LARGE}${DIGITS}${SIGNS} `), CURRENT],
    ['a letter a line', always('a\n'.repeat(500)), ALL],
    ['control characters', anyOf('\u0000\u0001\u0002\u001b\u007f'), ALL],
    ['letters of Western Europe', range(0xc0, 0xff), ALL],
    ['rarer Latin letters', range(0x100, 0x24f), ALL],
    ['marks to combine', range(0x300, 0x36f), ALL],
    ['a space and a mark to combine', always(' \u035c \u032b'.repeat(150)), ALL],
    ['Greek', range(0x391, 0x3c9), ALL],
    ['Cyrillic', range(0x430, 0x44f), ALL],
    ['capitals of Cyrillic', always('ЩЪ'.repeat(300)), ALL],
    ['Cyrillic that never joins, with spaces', always(' ъ ь ы'.repeat(100)), ALL],
    ['old Cyrillic', range(0x460, 0x52f), ALL],
    ['Armenian', range(0x561, 0x586), ALL],
    ['Hebrew', range(0x5d0, 0x5ea), ALL],
    ['Arabic', range(0x621, 0x64a), ALL],
    ['Devanagari', range(0x905, 0x939), ALL],
    ['Bengali', range(0x985, 0x9b9), ALL],
    ['Thai', range(0xe01, 0xe2e), ALL],
    ['Georgian', range(0x10d0, 0x10f0), ALL],
    ['Ethiopic', range(0x1200, 0x1248), ALL],
    ['arrows and mathematics', range(0x2190, 0x22ff), ALL],
    ['boxes', range(0x2500, 0x259f), ALL],
    ['Hiragana', range(0x3041, 0x3096), ALL],
    ['Katakana', range(0x30a1, 0x30fa), ALL],
    ['Han', range(0x4e00, 0x9fff), ALL],
    ['a rare Han and a space', always(' 亻 嵙'.repeat(150)), ALL],
    ['rare Han', range(0x3400, 0x4dbf), ALL],
    ['Hangul', range(0xac00, 0xd7a3), ALL],
    ['private characters', range(0xe000, 0xf8ff), ALL],
    ['emoji', range(0x1f300, 0x1f64f), ALL],
    ['newer emoji', range(0x1f900, 0x1f9ff), ALL],
    ['emoji that are joined', always('👨‍👩‍👧‍👦👩🏽‍🚀🏴‍☠️'.repeat(50)), ALL],
    ['flags', range(0x1f1e6, 0x1f1ff), ALL],
    ['halves of surrogate pairs', always('\ud800 \udc00\udfff '.repeat(100)), ALL],
    ['cuneiform', range(0x12000, 0x123ff), ALL],
    ['Han beyond the first plane', range(0x20000, 0x2a6df), ALL],
  ])('%s', (_class, make, tokenizers, min_chars = 1) => {
    expect(exceeded(make, tokenizers, min_chars)).toEqual([])
  })
})

describe('a run without spaces counts a token for each character', () => {
  test.each([
    ['base64', `${SMALL}${LARGE}${DIGITS}+/`],
    ['digits', DIGITS],
  ])('%s', (_class, alphabet) => {
    expect(boundText(anyOf(alphabet, 10_000)(randomFrom(2)))).toBeGreaterThan(9_900)
  })
})

describe('the bound of prose and code is near its estimate', () => {
  const agent = JSON.parse(agentBody('any', 85_000))
  const LICENCE = 'node_modules/playwright-core/LICENSE'
  test.each<[string, string, number]>([
    ['English', read(LICENCE), 1.6],
    ['Markdown', read('plugins/translation.md'), 1.8],
    ['TypeScript', read('src/calls/settling/settlement.ts'), 1.8],
    [
      'descriptions of tools',
      agent.tools.map(({ description }: { description: string }) => description).join('\n'),
      1.4,
    ],
    ['Russian', 'Съешь же ещё этих мягких французских булок, да выпей чаю. '.repeat(20), 1.9],
  ])('%s', (_class, text, max_ratio) => {
    const ratio = boundText(text) / estimateTokens(text)
    expect(ratio).toBeGreaterThanOrEqual(1)
    expect(ratio).toBeLessThan(max_ratio)
  })
})

/** Any characters, the common ones often: `fc.string` takes most of a second to list them all. */
const anyText = fc
  .array(fc.oneof(...[0x7f, 0xffff, 0x10_ffff].map((max) => fc.integer({ min: 0, max }))), { maxLength: 60 })
  .map((codes) => String.fromCodePoint(...codes))

test('the bound of any text is at least a quarter of its JSON bytes, and at least its estimate', () => {
  const property = fc.property(anyText, (text) => {
    const bytes = Buffer.byteLength(JSON.stringify(text)) - 2
    expect(boundText(text)).toBeGreaterThanOrEqual(bytes / 4)
    expect(Math.ceil(boundText(text))).toBeGreaterThanOrEqual(estimateTokens(text))
  })
  fc.assert(property, RUNS)
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('\\', '"', '\n', ' ', 'e', '\ud800', '1'), maxLength: 40 }),
      (text) => {
        expect(boundText(text)).toBeGreaterThanOrEqual((Buffer.byteLength(JSON.stringify(text)) - 2) / 4)
      },
    ),
    RUNS,
  )
})
