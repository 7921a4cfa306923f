// Markups, margins and the amounts of a price beside their costs: tables of exact decimals.
import { describe, expect, test } from 'bun:test'
import { fieldMargins } from '../../plugins/prices/margins/field-margins.ts'
import { timesRoundingUp } from '../../src/catalogue/decimal.ts'
import { markupFactor } from '../../src/catalogue/markup.ts'
import { marginPercent } from '../../src/domain/margin.ts'
import { formatUsd, parseUsd } from '../../src/domain/money.ts'

describe('a price is its cost plus the markup, rounded up to a nano-dollar', () => {
  test.each([
    ['0.30', '25', '0.375'],
    ['0.30', 25, '0.375'],
    ['0.30', 0, '0.30'],
    ['0.1', '10', '0.11'],
    ['0.000000001', '25', '0.000000002'],
    ['0.000000003', '33.333333333', '0.000000004'],
    ['3', '33.333333333', '4.00'],
    ['2.50', '12.5', '2.8125'],
    ['80000', '10000', '8080000.00'],
    ['0', '25', '0.00'],
  ])('%p and %p %% come to %s', (cost, markup, price) => {
    const factor = markupFactor(markup)
    if (!factor) throw new Error('it is a percentage')
    expect(formatUsd(timesRoundingUp(parseUsd(cost), factor))).toBe(price)
  })

  test.each([
    '',
    ' ',
    '-1',
    '25%',
    '1e3',
    '10000.1',
    '100000',
    '1,5',
    '.5',
    'NaN',
    Number.NaN,
    -1,
    1e21,
    '1.1234567890',
  ])('%p is not a markup', (text) => expect(markupFactor(text)).toBeUndefined())
})

test.each([
  ['0.40', '0.30', '25'],
  ['0.30', '0.30', '0'],
  ['0.30', '0.375', '-25'],
  ['3', '2', '33.3'],
  ['3', '1', '66.7'],
  ['1', '0.9995', '0.1'],
  ['1', '0.99951', '0'],
  ['1', '1.00049', '0'],
  ['1', '1.0005', '-0.1'],
  ['0.000000001', '9007199', '-900719899999999900'],
  ['1', '0', '100'],
  ['0', '1', null],
  ['0', '0', null],
])('of %s a cost of %s leaves %p per cent', (price, cost, percent) => {
  expect(marginPercent(parseUsd(price), parseUsd(cost))).toBe(percent)
})

describe('the amounts of a price beside their costs', () => {
  const DIVISORS = { price: 10, cost: 10 }
  const lines = (kind: string, price: object, cost: object, markup?: string) =>
    fieldMargins(
      kind,
      { ...price },
      { ...cost },
      DIVISORS,
      markup === undefined ? undefined : markupFactor(markup),
    ).map(({ path, price_nanos, cost_nanos, proposed_nanos }) =>
      [
        path.join('.'),
        ...[price_nanos, cost_nanos, proposed_nanos].map((each) => (each === null ? '-' : formatUsd(each))),
      ].join(' '),
    )

  test.each([
    ['an empty price', 'text', {}, {}, []],
    ['a price alone', 'text', { input: '0.30' }, {}, ['input 0.30 - -', 'cache_read 0.03 - -']],
    [
      'a cost alone, from which prices are proposed for its written amounts',
      'text',
      {},
      { input: 0.2, output: '1' },
      ['input - 0.20 0.25', 'output - 1.00 1.25', 'cache_read - 0.02 -'],
    ],
    [
      'half-typed and invalid amounts',
      'text',
      { input: '0.', output: 'abc', cache_read: '-1' },
      { input: '0.2' },
      ['input - 0.20 0.25', 'cache_read - 0.02 -'],
    ],
    [
      'tiers, each with the cost of its prompts',
      'text',
      {
        input: 1,
        output: 2,
        tiers: [
          { above: 200_000, input: 2, output: 3 },
          { above: 500_000, input: 4, output: 5 },
        ],
      },
      { input: 0.5, output: 1, cache_read: 0.1, tiers: [{ above: 300_000, input: 1.5, output: 3.5 }] },
      [
        'input 1.00 0.50 0.625',
        'output 2.00 1.00 1.25',
        'cache_read 0.10 0.10 0.125',
        'tiers.0.input 2.00 0.50 0.625',
        'tiers.0.output 3.00 1.00 1.25',
        'tiers.0.cache_read 0.20 0.10 0.125',
        'tiers.1.input 4.00 1.50 1.875',
        'tiers.1.output 5.00 3.50 4.375',
        'tiers.1.cache_read 0.40 0.15 -',
      ],
    ],
    [
      'service tiers with rates of their own; a multiplier has no amount',
      'text',
      { input: 1, output: 2, service_tiers: { priority: 2, flex: { input: 0.5, output: 1 } } },
      { input: 1, output: 1, service_tiers: { flex: { input: 0.6, output: 0.6 } } },
      [
        'input 1.00 1.00 1.25',
        'output 2.00 1.00 1.25',
        'cache_read 0.10 0.10 -',
        'service_tiers.flex.input 0.50 0.60 0.75',
        'service_tiers.flex.output 1.00 0.60 0.75',
        'service_tiers.flex.cache_read 0.05 0.06 -',
      ],
    ],
    [
      'images by size and quality',
      'image',
      {
        per_image: 0.04,
        variants: [
          { size: '1024x1024', quality: 'hd', per_image: 0.1 },
          { quality: 'low', per_image: 0.01 },
        ],
      },
      { per_image: 0.03, variants: [{ size: '1024x1024', quality: 'hd', per_image: 0.12 }] },
      [
        'per_image 0.04 0.03 0.0375',
        'variants.0.per_image 0.10 0.12 0.15',
        'variants.1.per_image 0.01 0.03 0.0375',
      ],
    ],
    [
      'images by tokens',
      'image',
      { input: 5, image_output: 40 },
      { input: 4, image_input: 8, image_output: 30 },
      [
        'input 5.00 4.00 5.00',
        'image_output 40.00 30.00 37.50',
        'image_input 5.00 8.00 10.00',
        'cache_read 5.00 4.00 -',
        'image_cache_read 5.00 8.00 -',
        'output 40.00 30.00 -',
      ],
    ],
    ['embeddings', 'embedding', { input: 0.02 }, { input: 0.02 }, ['input 0.02 0.02 0.025']],
    [
      'speech',
      'speech',
      { per_million_characters: 15 },
      { per_million_characters: 16 },
      ['per_million_characters 15.00 16.00 20.00'],
    ],
    [
      'audio in tokens of a transcription',
      'transcription',
      { input: 2, output: 5 },
      { input: 1, audio: 3 },
      ['input 2.00 1.00 1.25', 'output 5.00 - -', 'audio 2.00 3.00 3.75'],
    ],
    ['searches', 'rerank', { per_thousand_searches: 2 }, {}, ['per_thousand_searches 2.00 - -']],
  ])('%s', (_, kind, price, cost, expected) => {
    expect(lines(kind, price, cost, '25')).toEqual(expected)
  })

  test('a price above the safe integers is not proposed', () => {
    expect(lines('embedding', {}, { input: 1_000_000 }, '10000')).toEqual(['input - 1000000.00 -'])
  })

  test('without a markup no price is proposed', () => {
    expect(lines('embedding', { input: 1 }, { input: 1 })).toEqual(['input 1.00 1.00 -'])
  })

  test.each<[string, price: object, cost: object, cost_divisor: number, covering: (string | null)[]]>([
    ['half of the input, as of gpt-4o', { input: 3, output: 1 }, { input: 2.5, output: 1 }, 2, ['1.50']],
    ['a fraction, rounded up', { input: 0.33 }, { input: 0.3, cache_read: 0.1 }, 10, ['0.11']],
    ['never below the cost', { input: 0.3 }, { input: 0.3, cache_read: '0.100000001' }, 10, ['0.100000001']],
    ['in each tier', { input: 3, tiers: [{ above: 9, input: 6 }] }, { input: 2.5 }, 2, ['1.50', '3.00']],
    ['a written one, whose field shows the loss', { input: 3, cache_read: 0.3 }, { input: 2.5 }, 2, [null]],
    ['a covered one', { input: 30 }, { input: 2.5, cache_read: 0.25 }, 10, [null]],
    ['an input below its cost, which has to be raised first', { input: 2 }, { input: 2.5 }, 2, [null]],
    ['a free model', { input: 0 }, { input: 2.5 }, 2, [null]],
    ['an unknown cost', { input: 3 }, {}, 2, [null]],
  ])('cache reads without a price: %s', (_, price, cost, divisor, covering) => {
    const found = fieldMargins('text', { ...price }, { ...cost }, { price: 10, cost: divisor }, undefined)
    const rates = found.filter(({ path }) => path.at(-1) === 'cache_read')
    expect(rates.map(({ covering_nanos }) => covering_nanos && formatUsd(covering_nanos))).toEqual(covering)
  })

  test('with a markup, cache reads are proposed if their provider takes a larger part of the input than a price does', () => {
    const proposedOf = (cost_divisor: number) =>
      fieldMargins('text', {}, { input: 2 }, { price: 10, cost: cost_divisor }, markupFactor('25')).map(
        ({ path, proposed_nanos }) => [path[0], proposed_nanos && formatUsd(proposed_nanos)],
      )
    expect(proposedOf(2)).toEqual([
      ['input', '2.50'],
      ['cache_read', '1.25'],
    ])
    expect(proposedOf(10)).toEqual([
      ['input', '2.50'],
      ['cache_read', null],
    ])
  })
})
