// Reads price groups: their factors, and each model at each group's price, computed once per catalogue.
import { Type } from '@sinclair/typebox'
import type { Catalogue, Model, PriceGroup } from '../domain/catalogue.ts'
import { counted } from '../utilities/counted.ts'
import { compileGlobs } from '../utilities/glob.ts'
import { ratesBelowCost } from './costs.ts'
import { type ExactDecimal, parseDecimal } from './decimal.ts'
import { listed, type Report, validate } from './mistakes.ts'
import { scaledPrice } from './scaled-price.ts'
import { closed } from './schema-parts.ts'
import { MAX_PRICE_USD } from './tiers.ts'
import type { TomlPath } from './toml.ts'

/** Each group multiplies the prices that a catalogue holds. */
const MAX_GROUPS = 50
/** Far above any real factor. */
const MAX_FACTOR = 100
const FACTOR_MUST = `a factor of list prices from 0 to ${MAX_FACTOR}, such as 0.8`
/** Letters of any script, which a schema's pattern cannot express. */
const NAME = /^[\p{L}\p{N}](?:[\p{L}\p{N} ._+@-]{0,62}[\p{L}\p{N}._+@-])?$/u
const NAME_MUST = 'a name of at most 64 letters, digits, spaces and . _ + @ -, such as "resellers"'
const PATTERN = /^[A-Za-z0-9*][A-Za-z0-9*._:/-]{0,127}$/

const Factor = Type.Union([Type.Number(), Type.String()], { must: FACTOR_MUST })

export const PriceGroupSchema = Type.Object(
  {
    name: Type.String({ must: NAME_MUST }),
    factor: Type.Union([Type.Number(), Type.String()], {
      default: 1,
      must: FACTOR_MUST,
      description: 'the factor by which list prices are multiplied',
    }),
    models: Type.Optional(
      Type.Record(Type.String(), Type.Object({ factor: Factor }, closed), {
        description: 'other factors for some models, by id or pattern, such as "gpt-*"',
      }),
    ),
  },
  closed,
)

interface Priced {
  models: ReadonlyMap<string, Model>
  report: Report
  warn: Report
}

/** @returns the groups by name, meaningless if a mistake was reported */
export function readPriceGroups(parts: readonly unknown[], priced: Priced): Catalogue['price_groups'] {
  const groups = new Map<string, PriceGroup>()
  if (parts.length > MAX_GROUPS)
    priced.report(['price_groups'], `must be at most ${MAX_GROUPS} groups, and are ${parts.length}`)
  parts.slice(0, MAX_GROUPS).forEach((part, index) => {
    const path = ['price_groups', index]
    const text = validate(PriceGroupSchema, part, path, priced.report)
    if (!text) return
    if (!NAME.test(text.name)) priced.report([...path, 'name'], `must be ${NAME_MUST}`)
    if (groups.has(text.name))
      priced.report([...path, 'name'], `must be unique: there is already a price group "${text.name}"`)
    const entries = Object.entries(text.models ?? {}).map(
      ([pattern, { factor }]): ModelFactor => readModelFactor(pattern, factor, path, priced),
    )
    const own = readFactor(text.factor, [...path, 'factor'], priced.report)
    groups.set(text.name, {
      name: text.name,
      factor: String(text.factor),
      model_factors: Object.fromEntries(
        Object.entries(text.models ?? {}).map(([pattern, { factor }]) => [pattern, String(factor)]),
      ),
      models: pricedModels({ factor: own, path: [...path, 'factor'] }, entries, priced),
    })
  })
  return groups
}

/** A factor and its path in the file. */
interface PlacedFactor {
  factor: ExactDecimal
  path: TomlPath
}

interface ModelFactor extends PlacedFactor {
  pattern: string
  isOf: (model_id: string) => boolean
}

function readModelFactor(
  pattern: string,
  written: number | string,
  group: TomlPath,
  { models, report, warn }: Priced,
): ModelFactor {
  const path = [...group, 'models', pattern]
  const isOf = compileGlobs([pattern])
  if (!PATTERN.test(pattern)) report(path, 'must be the id of a model, or a pattern such as "gpt-*"')
  else if (![...models.keys()].some(isOf)) warn(path, 'matches no model: correct it, or leave it out')
  return {
    pattern,
    isOf,
    factor: readFactor(written, [...path, 'factor'], report),
    path: [...path, 'factor'],
  }
}

function readFactor(written: number | string, path: TomlPath, report: Report): ExactDecimal {
  if (Number(written) >= 0 && Number(written) <= MAX_FACTOR) {
    try {
      return parseDecimal(String(written))
    } catch (thrown) {
      if (!(thrown instanceof RangeError)) throw thrown
      // Reported below, like any other invalid factor.
    }
  }
  report(path, `must be ${FACTOR_MUST}`)
  return ONE
}

const ONE: ExactDecimal = { coefficient: 1n, exponent: 0 }
const isOne = ({ coefficient, exponent }: ExactDecimal): boolean =>
  coefficient === 10n ** BigInt(Math.max(0, -exponent))

/** Returns every model at the group's price. Models sold below cost are reported once per factor. */
function pricedModels(
  group: PlacedFactor,
  of_models: readonly ModelFactor[],
  { models, report, warn }: Priced,
): ReadonlyMap<string, Model> {
  const below_cost = new Map<TomlPath, string[]>()
  const made = new Map<string, Model>()
  for (const model of models.values()) {
    const { factor, path } = factorOf(model.id, group, of_models, report)
    const own = isOne(factor) ? model : timesModel(model, factor, (message) => report(path, message))
    made.set(model.id, own)
    if (own !== model && losesMore(own, model))
      below_cost.set(path, [...(below_cost.get(path) ?? []), model.id])
  }
  for (const [path, ids] of below_cost) warn(path, belowCost(ids))
  return made
}

/** Returns the factor of a model: an exact ID first, otherwise the longest matching pattern, which is the most specific. */
function factorOf(
  id: string,
  group: PlacedFactor,
  of_models: readonly ModelFactor[],
  report: Report,
): PlacedFactor {
  let found: ModelFactor | undefined
  for (const each of of_models) {
    if (!each.isOf(id)) continue
    if (each.pattern === id) return each
    if (found?.pattern.length === each.pattern.length)
      report(
        each.path.slice(0, -1),
        `is as long as ${JSON.stringify(found.pattern)}, and both match ${id}: give that model a factor of its own`,
      )
    if (!found || each.pattern.length > found.pattern.length) found = each
  }
  return found ?? group
}

function timesModel(model: Model, factor: ExactDecimal, report: (message: string) => void): Model {
  try {
    return { ...model, price: scaledPrice(model.price, factor) } as Model
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown
    report(`makes a price of more than ${MAX_PRICE_USD} USD for ${model.id}: lower it`)
    return model
  }
}

/** Whether a price is below a cost that the list price covers. The catalogue already warns of other losses. */
const losesMore = ({ price, routes }: Model, { price: list_price }: Model): boolean =>
  routes.some(({ cost }) => {
    const below = cost ? ratesBelowCost(price, cost) : []
    if (!cost || below.length === 0) return false
    const known = ratesBelowCost(list_price, cost)
    return below.some((rate) => !known.includes(rate))
  })

const MAX_NAMED_MODELS = 5

function belowCost(ids: readonly string[]): string {
  const others = ids.length - MAX_NAMED_MODELS
  const names = listed(ids.slice(0, MAX_NAMED_MODELS))
  const all = others > 0 ? `${names} and ${counted(others, 'other model')}` : names
  return `sells ${all} below cost, so that these calls lose money. Raise it, or give these models a factor of their own`
}
