// Prices by per cent: the percentage, every sort of amount before and after, and the amounts and models that change.
import { describe, expect, test } from 'bun:test'
import { timesFactor } from '../../plugins/prices/by-percent/amounts.ts'
import { changeFactor } from '../../plugins/prices/by-percent/percent.ts'
import { type ChangeChoice, type ChangePlan, planChange } from '../../plugins/prices/by-percent/plan.ts'
import { timesRoundingUp } from '../../src/catalogue/decimal.ts'
import { editedToml } from '../../src/catalogue/edit.ts'
import { readToml, type TomlTable } from '../../src/catalogue/toml.ts'
import type { TomlValue } from '../../src/catalogue/toml-write.ts'

function factorOf(percent: string) {
  const factor = changeFactor(percent)
  if (!factor) throw new RangeError(percent)
  return factor
}

describe('a percentage', () => {
  test.each([
    ['10', 1_000, 1_100],
    ['+10', 1_000, 1_100],
    ['-10', 1_000, 900],
    ['2.5', 1_000, 1_025],
    ['0.000000001', 1_000_000_000_000, 1_000_000_000_010],
    ['-99.999999999', 1_000_000_000_000, 10],
    ['10000', 7, 707],
    [' 10 ', 10, 11],
    ['33.333333333', 3, 4],
  ])('%s of %d is %d', (percent, nanos, changed) => {
    expect(timesRoundingUp(nanos, factorOf(percent))).toBe(changed)
  })

  test.each([
    '',
    '0',
    '-0',
    '0.000',
    '-100',
    '-100.1',
    '10000.1',
    '99999',
    '1e2',
    '10%',
    'ten',
    '.5',
    '1.',
    '--1',
    '1,5',
    '0.0000000001',
  ])('%p is not accepted', (percent) => {
    expect(changeFactor(percent)).toBeUndefined()
  })
})

describe('an amount', () => {
  // Floats would make 0.33000000000000002 of 0.30 and 0.1, and 1.1 of 1.0000000000000002.
  test.each<[string, TomlValue, string, TomlValue]>([
    ['is exact', '0.30', '10', '0.33'],
    ['written as a number', 0.3, '10', '0.33'],
    ['of nine decimals is rounded up', '0.000000001', '10', '0.000000002'],
    ['that falls is rounded up, too', '0.000000011', '-10', '0.00000001'],
    ['of a nano-dollar never becomes free', '0.000000001', '-99', '0.000000001'],
    ['of 0 keeps its digits', '0', '10', '0'],
    ['of 0 as a number', 0, '10', 0],
    ['large', '123456.789', '10', '135802.4679'],
    ['in scientific notation', 1e-7, '10', '0.00000011'],
  ])('%s', (_, amount, percent, changed) => {
    expect(timesFactor({ input: amount }, factorOf(percent))).toEqual({ input: changed })
  })

  test.each<[string, Record<string, TomlValue>, Record<string, TomlValue>]>([
    [
      'every token rate',
      {
        input: 1,
        output: 2,
        cache_read: 0.1,
        cache_write_5m: 1.25,
        cache_write_1h: 2,
        thinking: 3,
        audio: 4,
        image_output: 5,
      },
      {
        input: '1.10',
        output: '2.20',
        cache_read: '0.11',
        cache_write_5m: '1.375',
        cache_write_1h: '2.20',
        thinking: '3.30',
        audio: '4.40',
        image_output: '5.50',
      },
    ],
    [
      'long prompts, from the same size on',
      { input: 1, output: 2, tiers: [{ above: 200_000, input: 2, output: 4, cache_read: '0.20' }] },
      {
        input: '1.10',
        output: '2.20',
        tiers: [{ above: 200_000, input: '2.20', output: '4.40', cache_read: '0.22' }],
      },
    ],
    [
      'service tiers, but for multipliers',
      {
        input: 1,
        output: 2,
        service_tiers: {
          priority: 2,
          fast: '2.5',
          flex: { input: 0.5, output: 1, tiers: [{ above: 9, input: 1, output: 1 }] },
        },
      },
      {
        input: '1.10',
        output: '2.20',
        service_tiers: {
          priority: 2,
          fast: '2.5',
          flex: { input: '0.55', output: '1.10', tiers: [{ above: 9, input: '1.10', output: '1.10' }] },
        },
      },
    ],
    [
      'extras in all of their forms',
      {
        input: 1,
        output: 2,
        extras: {
          a: 0.03,
          b: { per_unit: 0.01, max_units: 5, always: true },
          c: { per_call: '0.10' },
          request: { per_request: 0.005 },
          free: 0,
        },
      },
      {
        input: '1.10',
        output: '2.20',
        extras: {
          a: '0.033',
          b: { per_unit: '0.011', max_units: 5, always: true },
          c: { per_call: '0.11' },
          request: { per_request: '0.0055' },
          free: 0,
        },
      },
    ],
    [
      'images, by size and quality',
      {
        per_image: 0.04,
        partial_image: 0.01,
        high_fidelity: 0.02,
        variants: [{ size: '1024x1024', quality: 'hd', per_image: '0.08' }],
      },
      {
        per_image: '0.044',
        partial_image: '0.011',
        high_fidelity: '0.022',
        variants: [{ size: '1024x1024', quality: 'hd', per_image: '0.088' }],
      },
    ],
    [
      'images by tokens',
      { input: 5, image_input: 8, image_output: 30 },
      { input: '5.50', image_input: '8.80', image_output: '33.00' },
    ],
    [
      'units',
      { per_minute: 0.006, per_million_characters: 15, per_thousand_searches: 2 },
      { per_minute: '0.0066', per_million_characters: '16.50', per_thousand_searches: '2.20' },
    ],
  ])('%s', (_, price, changed) => {
    expect(timesFactor(price, factorOf('10'))).toEqual(changed)
  })
})

const TEXT = `# ours
[[providers]]
name = "acme"
[[providers]]
name = "other"

[[models]]
id = "text" # the best
kind = "text"
context = 100_000
max_output_tokens = 1_000
[[models.routes]]
provider = "acme"
model = "gpt-4o"
[models.routes.cost]
input = 2.50   # since May
output = 10
[[models.routes]]
provider = "other"
model = "gpt-4o"
cost = { input = 3, output = 12 }
[models.price]
input = 3.00   # our own
output = 12.00
[models.price.service_tiers]
priority = 2.0
[[models.price.tiers]]
above = 50_000
input = 6
output = 24

[[models]]
id = "twice"
kind = "embedding"
routes = [{ provider = "acme", model = "e-1", cost = { input = 0.02 } }, { provider = "acme", model = "e-2" }]
price = { input = "0.03" } # cheap

[[models]]
id = "free"
kind = "transcription"
routes = [{ provider = "acme", model = "t" }]
price = { per_minute = 0 }

[[models]]
id = "elsewhere"
kind = "text"
routes = [{ provider = "other", model = "x" }]
price = { input = 1, output = 1 }
`

function valuesOf(text: string): TomlTable {
  const reading = readToml(text)
  if (!reading.ok) throw new Error('not TOML')
  return reading.value
}
function planOf(values: TomlTable, choice: ChangeChoice): ChangePlan {
  const work = planChange(values, choice)
  let step = work.next()
  while (!step.done) step = work.next()
  return step.value
}
const plan = (choice: Partial<ChangeChoice> = {}) =>
  planOf(valuesOf(TEXT), {
    provider: 'acme',
    isModel: () => true,
    factor: factorOf('10'),
    target: 'price',
    ...choice,
  })
const textAfter = (choice: Partial<ChangeChoice>) => editedToml(TEXT, plan(choice).edits)
/** The lines that differ, without their ends of comments. */
const changedLines = (after: string) => after.split('\n').filter((line, at) => line !== TEXT.split('\n')[at])

describe('a change of a provider’s models', () => {
  test('changes only prices, once each, with comments, and of no other provider’s models', () => {
    const after = textAfter({})
    expect(after.split('\n')).toHaveLength(TEXT.split('\n').length)
    expect(changedLines(after)).toEqual([
      'input = 3.30   # our own',
      'output = 13.20',
      'input = 6.60',
      'output = 26.40',
      'price = { input = 0.033 } # cheap',
    ])
  })

  test('changes only costs, at the provider’s own routes', () => {
    expect(changedLines(textAfter({ target: 'cost' }))).toEqual([
      'input = 2.75   # since May',
      'output = 11.00',
      'routes = [{ provider = "acme", model = "e-1", cost = { input = 0.022 } }, { provider = "acme", model = "e-2" }]',
    ])
  })

  test('changes both, of the chosen models', () => {
    const isModel = (id: string) => id === 'twice'
    expect(changedLines(textAfter({ target: 'both', isModel, factor: factorOf('-50') }))).toEqual([
      'routes = [{ provider = "acme", model = "e-1", cost = { input = 0.01 } }, { provider = "acme", model = "e-2" }]',
      'price = { input = 0.015 } # cheap',
    ])
  })

  test('lists each amount beside its cost at each route, before and after', () => {
    const [text] = plan({ target: 'both' }).models
    const lineAt = (route: number, name: string, of: string) =>
      text?.routes[route]?.lines.find((line) => line.name === name && line.of === of)
    expect(lineAt(0, 'input', '')).toEqual({
      name: 'input',
      of: '',
      per: 'million tokens',
      follows: false,
      old_price_nanos: 3_000_000_000,
      price_nanos: 3_300_000_000,
      old_cost_nanos: 2_500_000_000,
      cost_nanos: 2_750_000_000,
    })
    expect(lineAt(1, 'input', '')).toMatchObject({
      price_nanos: 3_300_000_000,
      old_cost_nanos: 3_000_000_000,
      cost_nanos: 3_000_000_000,
    })
    // A cache read costs half of the input at gpt-4o, and is charged at a tenth by default.
    expect(lineAt(0, 'cache_read', '')).toMatchObject({
      follows: true,
      price_nanos: 330_000_000,
      cost_nanos: 1_375_000_000,
    })
    expect(lineAt(0, 'output', 'prompts above 50,000 tokens')).toMatchObject({
      old_price_nanos: 24_000_000_000,
      price_nanos: 26_400_000_000,
      cost_nanos: 11_000_000_000,
    })
    expect(lineAt(0, 'input', 'priority tier')).toMatchObject({
      price_nanos: 6_600_000_000,
      cost_nanos: null,
    })
  })

  test.each<[ChangeChoice['target'], [string, string[]][]]>([
    [
      'price',
      [
        ['text', []],
        ['twice', []],
        ['free', ['free']],
      ],
    ],
    [
      'cost',
      [
        ['text', []],
        ['twice', ['cost unknown']],
        ['free', ['cost unknown']],
      ],
    ],
    [
      'both',
      [
        ['text', []],
        ['twice', ['cost unknown']],
        ['free', ['free', 'cost unknown']],
      ],
    ],
  ])('lists the reason for each amount that stays: %s', (target, left) => {
    expect(plan({ target }).models.map(({ id, left }): [string, string[]] => [id, [...left]])).toEqual(left)
  })

  test('leaves the values unchanged that it is made from', () => {
    const values = valuesOf(TEXT)
    planOf(values, { provider: 'acme', isModel: () => true, factor: factorOf('10'), target: 'both' })
    expect(values).toEqual(valuesOf(TEXT))
  })

  test('is refused for a provider that the file does not have', () => {
    expect(() => plan({ provider: 'acne' })).toThrow(
      'Provider "acne" not found in the catalogue. Its providers: acme, other.',
    )
  })

  test('is refused, with the model, above the safe integers', () => {
    const values = valuesOf(TEXT.replace('input = 3.00', 'input = 999_999'))
    const choose = () =>
      planOf(values, {
        provider: 'acme',
        isModel: () => true,
        factor: factorOf('10000'),
        target: 'price',
      })
    expect(choose).toThrow('percent: is too large for the prices of text.')
  })
})
