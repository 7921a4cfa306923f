// A new model in the editor, not in the file yet: its values after each change, its missing fields, and its margins by the route.
import { describe, expect, test } from 'bun:test'
import { signedIn } from '../../support/console-session.ts'
import { fileScene } from '../../support/scene.ts'

type Values = Record<string, unknown>
const WEB = `${import.meta.dir}/../../../plugins/catalogue/web`
const { missingFields }: { missingFields: (model: Values, path: (string | number)[]) => { path: string }[] } =
  await import(`${WEB}/models/missing.ts`)
const {
  isFree,
  unitOf,
}: {
  unitOf: (kind: string, price: Values) => object | undefined
  isFree: (unit: object | undefined, price: Values) => boolean
} = await import(`${WEB}/parts/price-units.ts`)
const { withEdits }: { withEdits: (values: Values, edits: object[]) => Values } = await import(
  `${WEB}/parts/editing.ts`
)

describe('changes of values', () => {
  const VALUES = { models: [{ id: 'a', routes: [{ model: 'm' }], price: {} }] }
  test.each([
    ['a rate', { op: 'set', path: ['models', 0, 'price', 'input'], value: '1' }, { price: { input: '1' } }],
    [
      'a first cost',
      { op: 'set', path: ['models', 0, 'routes', 0, 'cost', 'input'], value: '1' },
      { routes: [{ model: 'm', cost: { input: '1' } }] },
    ],
    ['a value taken out', { op: 'remove', path: ['models', 0, 'price'] }, { price: undefined }],
    ['a missing value, taken out', { op: 'remove', path: ['models', 0, 'price', 'x'] }, { price: {} }],
    [
      'an item added',
      { op: 'add', path: ['models', 0, 'routes'], value: { model: 'n' } },
      { routes: [{ model: 'm' }, { model: 'n' }] },
    ],
    ['an item taken out', { op: 'remove', path: ['models', 0, 'routes', 0] }, { routes: [] }],
  ] as const)('%s', (_, edit, expected) => {
    const before = structuredClone(VALUES)
    const after = withEdits(VALUES, [edit])
    expect(after).toEqual({ models: [{ ...VALUES.models[0], ...expected }] })
    expect(VALUES).toEqual(before)
  })

  test('a new section', () => {
    expect(withEdits({}, [{ op: 'set', path: ['catalogue', 'markup'], value: '25' }])).toEqual({
      catalogue: { markup: '25' },
    })
  })
})

describe('no model is free by default', () => {
  const lacks = (kind: string, price: object, named = true) =>
    missingFields({ kind, price, id: named ? 'a' : '', routes: [{ model: named ? 'm' : '' }] }, [
      'models',
      3,
    ]).map(({ path }) => path.replace('models[3].', ''))
  test.each([
    ['text', {}, ['price.input', 'price.output']],
    ['text', { input: '1' }, ['price.output']],
    ['text', { input: '', output: '' }, ['price.input', 'price.output']],
    ['text', { input: '0', output: '' }, ['price.output']],
    ['text', { input: '0', output: '0.00' }, []],
    ['text', { cache_read: '0' }, ['price.input', 'price.output']],
    ['embedding', {}, ['price.input']],
    ['image', {}, ['price.per_image']],
    ['image', { image_output: '40' }, ['price.input']],
    ['speech', {}, ['price.per_million_characters']],
    ['speech', { per_second: '0.01' }, []],
    ['speech', { output: '12' }, ['price.input']],
    ['transcription', {}, ['price.per_minute']],
    ['transcription', { audio: '6' }, ['price.input', 'price.output']],
    ['rerank', {}, ['price.per_thousand_searches']],
    ['rerank', { per_search: '0.002' }, []],
    ['moderation', {}, ['price.input']],
  ])('a model of the kind %s at %p lacks %p', (kind, price, missing) => {
    expect(lacks(kind, price)).toEqual(missing)
  })

  test.each([
    ['text', { input: '0' }, false],
    ['text', { input: '0', output: '' }, false],
    ['text', { input: '0', output: '2' }, false],
    ['image', { input: '0' }, false],
    ['image', { per_image: 0, variants: [{ per_image: 1 }] }, false],
    ['text', { input: '0', output: '0.00' }, true],
    ['rerank', { per_search: 0 }, true],
  ])('a model of the kind %s at %p is free: %p', (kind, price, is_free) => {
    expect(isFree(unitOf(kind, price), price)).toBe(is_free)
  })

  test('a model without typed names lacks them', () => {
    expect(lacks('embedding', { input: '1' }, false)).toEqual(['routes[0].model', 'id'])
  })
})

const { gateway } = await fileScene()
const operator = await signedIn(gateway, 'operator')

describe('the margins of a typed model', () => {
  const margins = (body: object) =>
    operator.json('POST', '/prices/margins', { kind: 'embedding', price: {}, routes: [], ...body })

  test('each route has its lines, at the typed markup', async () => {
    const routes = [
      { provider: 'acme', model: 'a', cost: { input: '0.3' } },
      { provider: 'nobody', model: 'b' },
    ]
    const answer = await margins({ price: { input: 0.25 }, markup: '12.5', routes })
    expect(answer).toEqual({
      kind: 'embedding',
      markup: '12.5',
      routes: [
        {
          provider: 'acme',
          model: 'a',
          listed: null,
          lines: [
            {
              path: ['input'],
              price_nanos: 250_000_000,
              price_usd: '0.25',
              cost_nanos: 300_000_000,
              cost_usd: '0.30',
              margin_nanos: -50_000_000,
              margin_usd: '-0.05',
              margin_percent: '-20',
              proposed_nanos: 337_500_000,
              proposed_usd: '0.3375',
              covering_nanos: null,
              covering_usd: null,
            },
          ],
        },
        expect.objectContaining({
          lines: [expect.objectContaining({ cost_nanos: null, margin_nanos: null, proposed_nanos: null })],
        }),
      ],
    })
  })

  test.each([undefined, '', 'much', '-1', '10001'])('the markup %p proposes no price', async (markup) => {
    const routes = [{ provider: 'acme', model: 'a', cost: { input: 1 } }]
    const answer = await margins({ markup, routes })
    expect([answer.markup, answer.routes[0].lines[0].proposed_nanos]).toEqual([null, null])
  })

  test.each([
    [{ kind: 1 }],
    [{ price: [] }],
    [{ routes: [{ provider: 'acme' }] }],
    [{ routes: Array.from({ length: 101 }, () => ({ provider: 'a', model: 'm' })) }],
    [{ more: true }],
  ])('%p is 400', async (body) => {
    const sent = { kind: 'text', price: {}, routes: [], ...body }
    expect((await operator.send('POST', '/prices/margins', { body: sent })).status).toBe(400)
  })
})
