// Edits of many blocks at once: the same text as edits of the whole text one by one, for each way to write a block.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { duplicatesIn } from '../../plugins/prices/list/list.ts'
import { type Edit, editedToml } from '../../src/catalogue/edit.ts'
import { readToml } from '../../src/catalogue/toml.ts'

const PROVIDER = '[[providers]]\nname = "p"\n'

/** Ways to write a block, without the lines between it and the next. */
const BLOCKS: ((id: number) => string)[] = [
  (id) => `[[models]]\nid = "${id}"\nprice = { input = 1 } # inline\n`,
  (id) => `# Of ${id}.\n[[models]]\nid = "${id}"\n\n# Above the price.\n[models.price]\ninput = 1 # beside\n`,
  (id) => `[[models]]\nid = "${id}"\nprice.input = 1\n\n[[models.routes]]\nprovider = "p"\n`,
  (id) => `[[models]]\nid = "${id}"\nroutes = [{ provider = "p" }]\n# Below it.\n`,
  (id) =>
    `[[models]]\nid = "${id}"\n\n[server]\nlisten_${id} = 1\n\n[models.price] # of the model above\ninput = 1\n`,
  (id) => `  [[models]]\n  id = "${id}"\n  [[models.routes]]\n  provider = "p"\n`,
]

const priced = (at: number): Edit[] => [
  {
    op: 'set',
    path: ['models', at, 'price'],
    value: { input: '2.50', output: `${at}.25`, tiers: [{ above: 9, input: '1.00' }] },
  },
]

const oneByOne = (text: string, edits: readonly Edit[]): string =>
  edits.reduce((before, edit) => editedToml(before, [edit]), text)

function valuesOf(text: string): unknown {
  const read = readToml(text)
  if (!read.ok) throw new Error(`line ${read.line}: ${read.message}\n${text}`)
  return read.value
}

test('edits of any blocks together give the text of the same edits one after the other', () => {
  const chosen = fc.record({ way: fc.nat(BLOCKS.length - 1), is_edited: fc.boolean() })
  fc.assert(
    fc.property(
      fc.array(chosen, { minLength: 1, maxLength: 6 }),
      fc.boolean(),
      fc.boolean(),
      (blocks, crlf, ends) => {
        const written = [PROVIDER, ...blocks.map(({ way }, id) => BLOCKS[way]?.(id) ?? '')].join('\n')
        // TOML allows a section once.
        fc.pre(blocks.filter(({ way }) => way === 4).length < 2)
        const whole = ends ? `${written}\n# The end.\n` : written.trimEnd()
        const text = crlf ? whole.replaceAll('\n', '\r\n') : whole
        const edits = blocks.flatMap(({ is_edited }, at) => (is_edited ? priced(at) : []))
        const expected = oneByOne(text, edits)
        expect(valuesOf(editedToml(text, edits))).toEqual(valuesOf(expected))
        expect(editedToml(text, edits)).toBe(expected)
      },
    ),
    { numRuns: 100 },
  )
})

describe('blocks that cannot be separated are edited all the same', () => {
  test.each([
    ['written in brackets', 'models = [{ id = "0" }, { id = "1" }]\n'],
    ['without a line between them', '[[models]]\nid = "0"\n[[models]]\nid = "1"\n'],
    [
      'with a section that is valid only after another one',
      '[[a]]\nx = 1\n[[models]]\nid = "0"\n[a.b]\ny = 1\n[[models]]\nid = "1"\n[[a]]\nx = 2\n[a.b]\ny = 2\n',
    ],
  ])('%s', (_, text) => {
    const edits = [0, 1].flatMap(priced)
    expect(valuesOf(editedToml(text, edits))).toEqual(valuesOf(oneByOne(text, edits)))
  })
})

test('edits of 400 blocks are not refused as too many, because all of them read the text only a few times', () => {
  const count = 400
  const text = Array.from({ length: count }, (_, id) => BLOCKS[1]?.(id)).join('\n')
  const edits = Array.from({ length: count }, (_, at) => priced(at)).flat()
  const { models } = valuesOf(editedToml(text, edits)) as { models: unknown[] }
  expect(models.at(-1)).toMatchObject({ price: { input: 2.5, output: count - 1 + 0.25 } })
})

describe('duplicate names in a price list', () => {
  test.each<[json: string, names: string[]]>([
    ['{}', []],
    ['{"a":{},"b":{}}', []],
    ['{"a":{},"a":{}}', ['a']],
    ['{"a":{},"b":{},"a":{},"a":{}}', ['a']],
    ['{"a":{"x":1,"x":2},"b":{"x":1}}', ['a: x']],
    ['{"a":{"x":1},"a":{"x":2}}', ['a']],
    ['{"a":{"x":"a","y":"a"}}', []],
    ['{"a":{"x":["x","x"],"y":{"z":1,"z":2},"y":3}}', ['a: y']],
    ['{"a":1,"\\u0061":2}', ['a']],
    ['{"a\\"":{},"a":{},"b,{":{},"b,{":{}}', ['b,{']],
    ['[{"a":1},{"a":1}]', []],
  ])('%s: %p', (json, names) => {
    expect(duplicatesIn(json)).toEqual(names)
  })
})
