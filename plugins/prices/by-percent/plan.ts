// A change of a provider's prices by per cent: amounts before and after, and the edits of the file. Pure.
import { priceDivisor } from '../../../src/catalogue/cache-reads.ts'
import type { ExactDecimal } from '../../../src/catalogue/decimal.ts'
import type { Edit } from '../../../src/catalogue/edit.ts'
import { readModel, validateModel } from '../../../src/catalogue/models.ts'
import { DEFAULT_RATES } from '../../../src/catalogue/prices.ts'
import type { TomlTable } from '../../../src/catalogue/toml.ts'
import { isTable, type TomlValue } from '../../../src/catalogue/toml-write.ts'
import type { Model } from '../../../src/domain/catalogue.ts'
import { invalidRequest, notFound } from '../../../src/domain/errors.ts'
import { divideRoundingUp, type Nanos } from '../../../src/domain/money.ts'
import { lineKey, type MarginLine, marginLines } from '../../../src/money/pricing/price-lines.ts'
import { timesFactor } from './amounts.ts'

/** The amounts that change: what callers pay, what the provider charges, or both. */
export const TARGETS = ['price', 'cost', 'both'] as const
export type Target = (typeof TARGETS)[number]

export interface ChangeChoice {
  readonly provider: string
  readonly isModel: (id: string) => boolean
  readonly factor: ExactDecimal
  readonly target: Target
}

/** An amount before and after, beside its cost at a route. */
export interface ChangedLine extends MarginLine {
  readonly old_price_nanos: Nanos
  readonly old_cost_nanos: Nanos | null
  /** True if the rate follows from another one, such as `cache_read` from `input`: not written, or written with the derived value. */
  readonly follows: boolean
}

/** A route of a model. Routes of other providers are included: they share the price. */
interface ChangedRoute {
  readonly provider: string
  readonly model: string
  readonly lines: readonly ChangedLine[]
}

/** A model that the provider serves. */
export interface ChangedModel {
  readonly id: string
  readonly kind: Model['kind']
  readonly is_chosen: boolean
  readonly routes: readonly ChangedRoute[]
  /** Reasons why an amount does not change. */
  readonly left: readonly ('free' | 'cost unknown')[]
}

export interface ChangePlan {
  readonly models: readonly ChangedModel[]
  readonly edits: readonly Edit[]
}

type Block = { readonly [key: string]: TomlValue }

/**
 * Plans the change. A model's price changes once, whatever its number of routes, and applies to routes of other providers too. Costs
 * change only at routes of the provider. Yields after each model, which takes a quarter of a millisecond.
 *
 * @param values of a catalogue file without mistakes
 * @throws GatewayError not_found for an unknown provider, invalid_request if an amount exceeds the largest safe integer
 */
export function* planChange(values: TomlTable, choice: ChangeChoice): Generator<void, ChangePlan> {
  const names = blocksIn(values.providers).map(({ name }) => String(name))
  if (!names.includes(choice.provider))
    throw notFound(
      `Provider "${choice.provider}" not found in the catalogue. Its providers: ${names.join(', ') || 'none'}.`,
    )
  const models: ChangedModel[] = []
  const edits: Edit[] = []
  for (const [at, block] of blocksIn(values.models).entries()) {
    if (routesOf(block).every(({ provider }) => provider !== choice.provider)) continue
    const plan = planModel(block, ['models', at], choice)
    models.push(plan.model)
    edits.push(...plan.edits)
    yield
  }
  return { models, edits }
}

function planModel(block: Block, path: readonly (string | number)[], choice: ChangeChoice) {
  const is_chosen = choice.isModel(String(block.id))
  const after = is_chosen ? changedBlock(block, choice) : block
  const edits: Edit[] = []
  const note = (was: TomlValue | undefined, value: TomlValue | undefined, ...place: (string | number)[]) => {
    if (value !== undefined && !Bun.deepEquals(was, value))
      edits.push({ op: 'set', path: [...path, ...place], value })
  }
  note(block.price, after.price, 'price')
  for (const [at, { cost }] of routesOf(after).entries())
    note(routesOf(block)[at]?.cost, cost, 'routes', at, 'cost')
  return { model: changedModel(block, after, is_chosen, choice), edits }
}

function changedBlock(block: Block, { provider, factor, target }: ChangeChoice): Block {
  const times = (price: TomlValue | undefined): TomlValue => timesFactor(isTable(price) ? price : {}, factor)
  try {
    const price = target === 'cost' ? (block.price ?? {}) : times(block.price)
    const routes = routesOf(block).map((route) =>
      target === 'price' || route.provider !== provider || route.cost === undefined
        ? route
        : { ...route, cost: times(route.cost) },
    )
    return { ...block, price, routes }
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown
    throw invalidRequest(
      `percent: is too large for the prices of ${String(block.id)}. Choose a smaller one, or leave that model out.`,
      { param: 'percent' },
    )
  }
}

function changedModel(block: Block, changed: Block, is_chosen: boolean, choice: ChangeChoice): ChangedModel {
  const [before, after] = [readBlock(block), readBlock(changed)]
  const divisor = priceDivisor(before.routes)
  const routes = after.routes.map(({ provider, model, cost }, at) => {
    const old = new Map(
      marginLines(before.price, before.routes[at]?.cost).map((line) => [lineKey(line), line]),
    )
    const lines = marginLines(after.price, cost)
    return {
      provider,
      model,
      lines: lines.map((line) => ({
        ...line,
        old_price_nanos: old.get(lineKey(line))?.price_nanos ?? line.price_nanos,
        old_cost_nanos: old.get(lineKey(line))?.cost_nanos ?? null,
        follows: after.price.unit === 'token' && isFollowing(line, lines, divisor),
      })),
    }
  })
  const { id, kind } = after
  return { id, kind, is_chosen, routes, left: is_chosen ? unchangedReasons(before, choice) : [] }
}

/** Whether a rate equals the catalogue's default for it, which it derives from another rate. */
function isFollowing({ name, of, price_nanos }: MarginLine, all: readonly MarginLine[], divisor: number) {
  const [from, numerator = 1, denominator = 1] = DEFAULT_RATES[name] ?? []
  const base = all.find((line) => line.name === from && line.of === of)
  if (!base) return false
  const by = BigInt(name === 'cache_read' ? divisor : denominator)
  return price_nanos === divideRoundingUp(BigInt(base.price_nanos) * BigInt(numerator), by)
}

function unchangedReasons(
  { price, routes }: Model,
  { provider, target }: ChangeChoice,
): ChangedModel['left'] {
  const own = routes.filter((route) => route.provider === provider)
  const is_free = marginLines(price, undefined).every(({ price_nanos }) => price_nanos === 0)
  return [
    ...(target !== 'cost' && is_free ? (['free'] as const) : []),
    ...(target !== 'price' && own.some(({ cost }) => !cost) ? (['cost unknown'] as const) : []),
  ]
}

/** Reads a model, including routes to providers disabled on this machine. Copies the block, since validation writes defaults into it. */
function readBlock(block: Block): Model {
  const text = validateModel(structuredClone(block), [], ignoreMistakes)
  if (!text) throw new RangeError(`the model ${String(block.id)} has a mistake`)
  return readModel(text, { path: [], changed_at_ms: 0 }, ignoreMistakes)
}

/** The configuration checks the edited draft as a whole, and reports mistakes with their places. */
const ignoreMistakes = () => {}

const blocksIn = (list: unknown): Block[] => (Array.isArray(list) ? list.filter((each) => isTable(each)) : [])
const routesOf = ({ routes }: Block): readonly Block[] => blocksIn(routes)
