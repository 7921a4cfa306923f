// Edits of the catalogue file's text: the named value changes, and nothing else.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Edit, editedToml } from '../../src/catalogue/edit.ts'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { readToml } from '../../src/catalogue/toml.ts'
import type { TomlValue } from '../../src/catalogue/toml-write.ts'

const set = (path: Edit['path'], value: TomlValue): Edit => ({ op: 'set', path, value })
const add = (path: Edit['path'], value: TomlValue): Edit => ({ op: 'add', path, value })
const remove = (path: Edit['path']): Edit => ({ op: 'remove', path })

function valuesOf(text: string): Record<string, unknown> {
  const read = readToml(text)
  if (!read.ok) throw new Error(`line ${read.line}: ${read.message}\n${text}`)
  return read.value
}

interface Case {
  name: string
  before: string
  edits: Edit[]
  after: string
}

const MODELS = `# Models.
[[models]]
id = "one" # the first
price = { input = 0.30, output = 2.50 } # list price

# The second one
# is dearer.
[[models]]
id = "two"

[models.price]
input = 1.25
output = 10.00
`

const CASES: Case[] = [
  {
    name: 'a value, with the comment beside it',
    before: MODELS,
    edits: [set(['models', 0, 'id'], 'first')],
    after: MODELS.replace('"one" # the first', '"first" # the first'),
  },
  {
    name: 'a value in an inline table; an amount in its typed digits',
    before: MODELS,
    edits: [set(['models', 0, 'price', 'input'], '0.350')],
    after: MODELS.replace('input = 0.30', 'input = 0.350'),
  },
  {
    name: 'a number, with as many decimals as before',
    before: MODELS,
    edits: [set(['models', 1, 'price', 'output'], 12)],
    after: MODELS.replace('output = 10.00', 'output = 12.00'),
  },
  {
    name: 'a count with separators',
    before: 'a = 65_536\n',
    edits: [set(['a'], 131072)],
    after: 'a = 131_072\n',
  },
  {
    name: 'a new key, in a block of lines',
    before: MODELS,
    edits: [set(['models', 1, 'price', 'cache_read'], '0.125')],
    after: `${MODELS}cache_read = 0.125\n`,
  },
  {
    name: 'a new key, in an inline table',
    before: MODELS,
    edits: [set(['models', 0, 'price', 'cache_read'], '0.03')],
    after: MODELS.replace('output = 2.50 }', 'output = 2.50, cache_read = 0.03 }'),
  },
  {
    name: 'a key after the last of its block, before the comments of the next',
    before: MODELS,
    edits: [set(['models', 0, 'retired'], true)],
    after: MODELS.replace('# list price\n', '# list price\nretired = true\n'),
  },
  {
    name: 'a key in an empty inline table',
    before: 'a = {}\n',
    edits: [set(['a', 'b'], 1)],
    after: 'a = { b = 1 }\n',
  },
  {
    name: 'a removed key, with the comment on its line',
    before: MODELS,
    edits: [remove(['models', 0, 'price'])],
    after: MODELS.replace('price = { input = 0.30, output = 2.50 } # list price\n', ''),
  },
  {
    name: 'the first key of an inline table',
    before: MODELS,
    edits: [remove(['models', 0, 'price', 'input'])],
    after: MODELS.replace('{ input = 0.30, output', '{ output'),
  },
  {
    name: 'the last key of an inline table',
    before: MODELS,
    edits: [remove(['models', 0, 'price', 'output'])],
    after: MODELS.replace(', output = 2.50 }', ' }'),
  },
  {
    name: 'a block after the last of its kind',
    before: `${MODELS}\n[limits]\nreads_per_minute = 60\n`,
    edits: [
      add(['models'], { id: 'three', routes: [{ provider: 'p', model: 'm' }], price: { input: '0.10' } }),
    ],
    after: `${MODELS}
[[models]]
id = "three"
routes = [{ provider = "p", model = "m" }]
price = { input = 0.10 }

[limits]
reads_per_minute = 60
`,
  },
  {
    name: 'a block after the comments that belong to the last of its kind, and before the next title',
    before: '[[p]]\nn = "a"\n#m = 1\n\n# ── Next ──\n\n[[q]]\nn = 1\n',
    edits: [add(['p'], { n: 'b' })],
    after: '[[p]]\nn = "a"\n#m = 1\n\n[[p]]\nn = "b"\n\n# ── Next ──\n\n[[q]]\nn = 1\n',
  },
  {
    name: 'the first block of its kind, at the end',
    before: 'a = 1',
    edits: [add(['p'], { n: 'b' })],
    after: 'a = 1\n\n[[p]]\nn = "b"\n',
  },
  {
    name: 'a block with its comments, its tables and the blank line after it',
    before: `${MODELS}\n[limits]\n`,
    edits: [remove(['models', 1])],
    after: MODELS.slice(0, MODELS.indexOf('# The second')).concat('[limits]\n'),
  },
  {
    name: 'the last block',
    before: MODELS,
    edits: [remove(['models', 1])],
    after: MODELS.slice(0, MODELS.indexOf('\n# The second')),
  },
  {
    name: 'the first block',
    before: MODELS,
    edits: [remove(['models', 0])],
    after: MODELS.slice(MODELS.indexOf('# The second')),
  },
  {
    name: 'the only block, with the name of the list',
    before: 'a = 1\n\n[[p]]\nn = 1\n\n[[p.q]]\nm = 1\n',
    edits: [remove(['p', 0, 'q', 0]), remove(['p', 0]), add(['p'], { n: 2 })],
    after: 'a = 1\n\n[[p]]\nn = 2\n',
  },
  {
    name: 'an element of a list on one line',
    before: 'a = ["one", "two", "three"] # three\n',
    edits: [remove(['a', 1]), add(['a'], 'four'), set(['a', 0], 'zero')],
    after: 'a = ["zero", "three", "four"] # three\n',
  },
  {
    name: 'elements of a list over several lines, with their comments',
    before: 'a = [\n  "one", # first\n  "two", # second\n]\n',
    edits: [add(['a'], 'three'), remove(['a', 0])],
    after: 'a = [\n  "two", # second\n  "three",\n]\n',
  },
  {
    name: 'the last element of a list without a comma at its end',
    before: 'a = [\n  1, # one\n  2 # two\n]\n',
    edits: [add(['a'], 3)],
    after: 'a = [\n  1, # one\n  2, # two\n  3,\n]\n',
  },
  {
    name: 'the only element, and an empty list',
    before: 'a = ["one"]\nb = []\n',
    edits: [remove(['a', 0]), add(['b'], 'two')],
    after: 'a = []\nb = ["two"]\n',
  },
  {
    name: 'a list whose bracket is on the last line of its elements',
    before: 'a = [\n  "one",\n  "two"]\n',
    edits: [add(['a'], 'three')],
    after: 'a = [\n  "one",\n  "two",\n  "three"]\n',
  },
  {
    name: 'a table set whole: kept keys stay in their place',
    before: MODELS,
    edits: [set(['models', 1, 'price'], { input: '1.25', output: '11', cache_read: '0.1' })],
    after: `${MODELS.replace('output = 10.00', 'output = 11')}cache_read = 0.1\n`,
  },
  {
    name: 'a list set whole',
    before: 'a = [ 1, 2, 3 ] # numbers\n',
    edits: [set(['a'], [1, 5])],
    after: 'a = [ 1, 5 ] # numbers\n',
  },
  {
    name: 'dotted keys',
    before: '[m]\nprice.input = 1 # in\nprice.output = 2\nx = 3\n',
    edits: [
      set(['m', 'price', 'input'], 4),
      set(['m', 'price', 'audio'], '0.5'),
      remove(['m', 'price', 'output']),
    ],
    after: '[m]\nprice.input = 4 # in\nprice.audio = 0.5\nx = 3\n',
  },
  {
    name: 'a table of dotted keys, whole',
    before: '[m]\nprice.input = 1\nx = 3\nprice.output = 2\n',
    edits: [remove(['m', 'price'])],
    after: '[m]\nx = 3\n',
  },
  {
    name: 'quoted keys and unicode',
    before: '[h]\n"X-Käse 🧀" = "a\\tb" # ü\n',
    edits: [set(['h', 'X-Käse 🧀'], 'ö "quoted"\n'), set(['h', 'a b'], '\u007F')],
    after: '[h]\n"X-Käse 🧀" = "ö \\"quoted\\"\\n" # ü\n"a b" = "\\u007F"\n',
  },
  {
    name: 'lines that end in CR LF',
    before: '[[m]]\r\nid = 1 # c\r\n\r\n[x]\r\n',
    edits: [set(['m', 0, 'b'], 2), add(['m'], { id: 3 })],
    after: '[[m]]\r\nid = 1 # c\r\nb = 2\r\n\r\n[[m]]\r\nid = 3\r\n\r\n[x]\r\n',
  },
  {
    name: 'a byte order mark',
    before: '\uFEFFa = 1\n',
    edits: [set(['a'], 2)],
    after: '\uFEFFa = 2\n',
  },
  {
    name: 'a table above its subtable',
    before: '# Accounts.\n[limits.account]\nconcurrent_calls = 5\n',
    edits: [set(['limits', 'reads_per_minute'], 60)],
    after: '[limits]\nreads_per_minute = 60\n\n# Accounts.\n[limits.account]\nconcurrent_calls = 5\n',
  },
  {
    name: 'a new section',
    before: MODELS,
    edits: [set(['server', 'log_level'], 'debug')],
    after: `${MODELS}\n[server]\nlog_level = "debug"\n`,
  },
  {
    name: 'blocks within a block',
    before: '[[m]]\nid = 1\n\n[[m.routes]]\np = "a"\n\n[[m]]\nid = 2\n',
    edits: [add(['m', 0, 'routes'], { p: 'b' }), set(['m', 0, 'routes', 0, 'p'], 'c')],
    after: '[[m]]\nid = 1\n\n[[m.routes]]\np = "c"\n\n[[m.routes]]\np = "b"\n\n[[m]]\nid = 2\n',
  },
  {
    name: 'an indented block',
    before: '[[m]]\n  id = 1\n  [m.price]\n    input = 1\n',
    edits: [set(['m', 0, 'price', 'output'], 2)],
    after: '[[m]]\n  id = 1\n  [m.price]\n    input = 1\n    output = 2\n',
  },
  {
    name: 'a text without a line end',
    before: '[m]\na = 1',
    edits: [set(['m', 'b'], 2)],
    after: '[m]\na = 1\nb = 2\n',
  },
]

describe('an edit changes', () => {
  test.each(CASES)('$name', ({ before, edits, after }) => {
    expect(editedToml(before, edits)).toBe(after)
  })
})

describe('an edit is refused of', () => {
  test.each<[string, Edit]>([
    ['a missing block', remove(['models', 7])],
    ['a key of a value that is not a table', set(['models', 0, 'id', 'x'], 1)],
    ['a place beyond the end', set(['models', 5, 'id'], 'x')],
    ['an element of a value that is not a list', add(['models', 0, 'id'], 1)],
  ])('%s', (_, edit) => {
    expect(() => editedToml(MODELS, [edit])).toThrow(/not found in the file/)
  })

  test('a text that is not TOML, with its line', () => {
    expect(() => editedToml('a = 1\nb = = 2\n', [set(['a'], 2)])).toThrow(/^Line 2 is not TOML/)
  })

  test('a number that TOML cannot write', () => {
    expect(() => editedToml('a = 1\n', [set(['a'], Number.POSITIVE_INFINITY)])).toThrow(RangeError)
  })
})

describe('in the catalogue of the first start', () => {
  const values = valuesOf(FIRST_CATALOGUE)
  const models = values.models as Record<string, unknown>[]
  /** Paths of all values except tables and lists. */
  const leaves = (value: unknown, path: (string | number)[] = []): (string | number)[][] => {
    if (Array.isArray(value)) return value.flatMap((each, index) => leaves(each, [...path, index]))
    if (typeof value === 'object' && value !== null)
      return Object.entries(value).flatMap(([key, each]) => leaves(each, [...path, key]))
    return [path]
  }
  const at = (value: unknown, path: readonly (string | number)[]): unknown =>
    path.reduce<unknown>((inner, part) => Reflect.get(inner as object, part), value)

  test('any value can be set, and every other character stays', () => {
    const scalar = fc.oneof(
      fc.string(),
      fc.integer({ min: -1e9, max: 1e9 }),
      fc.boolean(),
      fc.double({ min: 0, max: 1e6, noNaN: true, noDefaultInfinity: true }),
    )
    fc.assert(
      fc.property(fc.constantFrom(...leaves(values)), scalar, (path, value) => {
        const edited = editedToml(FIRST_CATALOGUE, [set(path, value)])
        const is_amount = path.includes('price') && typeof value === 'string' && /^\d+(\.\d+)?$/.test(value)
        if (!is_amount)
          expect(at(valuesOf(edited), path)).toEqual(typeof value === 'string' ? value.toWellFormed() : value)
        expect(sharedEnds(FIRST_CATALOGUE, edited)).toBeGreaterThanOrEqual(
          FIRST_CATALOGUE.length - String(JSON.stringify(at(values, path))).length - 12,
        )
        // And back again.
        const back = editedToml(edited, [set(path, at(values, path) as TomlValue)])
        expect(valuesOf(back)).toEqual(values)
      }),
      { numRuns: 60 },
    )
  })

  test('adding a block and removing it restores the text', () => {
    const block = {
      id: 'another',
      kind: 'text',
      routes: [{ provider: 'simulator', model: 'm' }],
      price: { input: 1, output: 2 },
    }
    const added = editedToml(FIRST_CATALOGUE, [add(['models'], block)])
    expect(valuesOf(added).models).toEqual([...models, block])
    expect(editedToml(added, [remove(['models', models.length])])).toBe(FIRST_CATALOGUE)
  })

  test('any block can be removed: no line of another one changes', () => {
    models.forEach((_, index) => {
      const edited = editedToml(FIRST_CATALOGUE, [remove(['models', index])])
      expect(valuesOf(edited).models).toEqual(models.toSpliced(index, 1))
      const lines = FIRST_CATALOGUE.split('\n')
      const kept = edited.split('\n')
      // The kept lines are the original ones, in their order.
      let from = 0
      for (const line of kept) {
        const found = lines.indexOf(line, from)
        expect(found).toBeGreaterThanOrEqual(from)
        from = found + 1
      }
    })
  })
})

/** The number of characters that two texts share at their beginning and end. */
function sharedEnds(one: string, other: string): number {
  let start = 0
  while (start < one.length && one[start] === other[start]) start++
  let end = 0
  while (end < one.length - start && end < other.length - start && one.at(-1 - end) === other.at(-1 - end))
    end++
  return start + end
}
