// What is different between two catalogues, as the operator is told before it is in force.
import { type Static, Type } from '@sinclair/typebox'
import type { Catalogue, Model } from '../../../src/domain/catalogue.ts'
import { OneOf } from '../../../src/http/schema.ts'
import { marginLines } from '../../../src/pricing/margin-lines.ts'
import { comparePrices } from '../../../src/pricing/price-lines.ts'
import { changeView, MarginLineView, marginsView, PriceChangeView } from './price-views.ts'

const CHANGE = { change: OneOf(['added', 'removed', 'changed']), what: Type.Array(Type.String()) }

export const ChangesView = Type.Object({
  models: Type.Array(
    Type.Object({
      id: Type.String(),
      ...CHANGE,
      prices: Type.Array(PriceChangeView),
      margins: Type.Array(
        Type.Object({ provider: Type.String(), model: Type.String(), lines: Type.Array(MarginLineView) }),
        { description: 'what would be left of the price, of each route that says what it costs' },
      ),
    }),
  ),
  providers: Type.Array(Type.Object({ name: Type.String(), ...CHANGE })),
  settings: Type.Array(Type.String({ description: '`server.log_level`' })),
})

const SECTIONS = ['server', 'limits', 'native', 'responses', 'retention', 'console'] as const

/** Follows from the others, or from when the file was written. */
const NOT_TOLD = ['price', 'created_at_ms', 'key_numbers']

/** @param before in force @param after what would be */
export const changesView = (before: Catalogue, after: Catalogue): Static<typeof ChangesView> => ({
  models: changesOf(before.models, after.models).map(({ name: id, before, after, ...change }) => ({
    id,
    ...change,
    prices: priceChanges(before, after),
    margins: after ? marginsOf(after) : [],
  })),
  providers: changesOf(before.providers, after.providers).map(({ name, change, what }) => ({
    name,
    change,
    what,
  })),
  settings: SECTIONS.flatMap((section) =>
    differingFields(before[section], after[section]).map((field) => `${section}.${field}`),
  ),
})

const priceChanges = (before: Model | undefined, after: Model | undefined) =>
  before && after ? comparePrices(before.price, after.price).map(changeView) : []

const marginsOf = ({ routes, price }: Model) =>
  routes.flatMap(({ provider, model, cost }) =>
    cost ? [{ provider, model, lines: marginsView(marginLines(price, cost)) }] : [],
  )

interface Change<T> {
  name: string
  change: 'added' | 'removed' | 'changed'
  what: string[]
  before: T | undefined
  after: T | undefined
}

function changesOf<T extends object>(
  before: ReadonlyMap<string, T>,
  after: ReadonlyMap<string, T>,
): Change<T>[] {
  const names = new Set([...before.keys(), ...after.keys()])
  return [...names].flatMap((name): Change<T>[] => {
    const [was, is] = [before.get(name), after.get(name)]
    if (!was || !is) return [{ name, change: is ? 'added' : 'removed', what: [], before: was, after: is }]
    if (Bun.deepEquals(withoutTime(was), withoutTime(is))) return []
    return [{ name, change: 'changed', what: differingFields(was, is), before: was, after: is }]
  })
}

const withoutTime = (value: object) => ({ ...value, created_at_ms: 0 })

function differingFields(before: object, after: object): string[] {
  const fields = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...fields].filter(
    (field) =>
      !NOT_TOLD.includes(field) && !Bun.deepEquals(Reflect.get(before, field), Reflect.get(after, field)),
  )
}
