// Models made of deployments: deployments of the same name become routes of one model, followed by the routes of its fallbacks.

import { parseUsd } from '../../../src/domain/money.ts'
import type { IncomingModel, IncomingRoute, LeftOut } from '../move-in.ts'
import type { LitellmConfig } from './config.ts'
import { marginOf, type Price, timesPrice } from './margins.ts'
import { aliasesIn, fallbacksIn } from './names.ts'
import type { PriceBook, Priced } from './prices.ts'
import type { PlacedDeployment } from './providers.ts'
import { fieldsOf, textOf } from './values.ts'

export interface Models {
  readonly models: readonly IncomingModel[]
  readonly left_out: readonly LeftOut[]
}

/** A model before its fallbacks. */
interface Group {
  readonly id: string
  /** Names to look up its fallbacks by: its own, and for an alias that of the model behind it. */
  readonly names: readonly string[]
  readonly deployments: readonly PricedDeployment[]
  readonly kind: Priced['kind']
  readonly routes: readonly IncomingRoute[]
}

interface PricedDeployment {
  readonly placed: PlacedDeployment
  readonly priced: Priced
}

/** Ids that the catalogue accepts. */
const MODEL_ID = /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$/

/** @param all deployments, each with its provider */
export function modelsOf(all: readonly PlacedDeployment[], config: LitellmConfig, prices: PriceBook): Models {
  const left_out: LeftOut[] = []
  const groups = new Map<string, Group>()
  for (const [id, placed] of Map.groupBy(all, ({ deployment }) => deployment.name)) {
    const group = readGroup(id, placed, config, prices, left_out)
    if (group) groups.set(id, group)
  }
  for (const [alias, target] of aliasesIn(config)) {
    const group = groups.get(target)
    if (groups.has(alias)) continue
    if (group && MODEL_ID.test(alias))
      groups.set(alias, { ...group, id: alias, names: [alias, ...group.names] })
    else
      left_out.push({ kind: 'aliases', row: `"${alias}" of "${target}"`, reason: aliasReason(alias, group) })
  }
  const fallbacks = fallbacksIn(config)
  const models = [...groups.values()].map((group) =>
    modelOf(group, fallbacks(group.names), groups, config, left_out),
  )
  return { models, left_out }
}

const aliasReason = (alias: string, group: Group | undefined): string =>
  group ? idReason(alias) : 'Its model is not imported.'

const idReason = (id: string): string =>
  `"${id}" has signs that a model's id cannot have: use letters, digits, ".", "_", ":", "/" and "-". Add it under another name.`

function readGroup(
  id: string,
  all: readonly PlacedDeployment[],
  config: LitellmConfig,
  prices: PriceBook,
  left_out: LeftOut[],
): Group | undefined {
  if (!MODEL_ID.test(id)) {
    left_out.push({ kind: 'models', row: `"${id}"`, reason: idReason(id) })
    return undefined
  }
  const priced: PricedDeployment[] = []
  for (const placed of all) {
    const own = prices.price(placed)
    const [first] = priced
    const reason =
      'reason' in own
        ? own.reason
        : first && first.priced.kind !== own.kind
          ? `Its kind is ${own.kind}, not that of the first deployment of this name. Add it under another name.`
          : undefined
    if (reason !== undefined) left_out.push({ kind: 'deployments', row: placed.deployment.row, reason })
    else priced.push({ placed, priced: discounted(own as Priced, placed, config) })
  }
  const [first] = priced
  if (!first) return undefined
  if (priced.every(({ priced: { cost } }) => cost === undefined)) {
    left_out.push({
      kind: 'models',
      row: `"${id}" (${first.placed.deployment.prefix}/${first.placed.deployment.model})`,
      reason: first.priced.unpriced,
    })
    return undefined
  }
  return { id, names: [id], deployments: priced, kind: first.priced.kind, routes: routesOf(priced) }
}

function discounted(
  priced: Priced,
  { deployment }: PlacedDeployment,
  { litellm_settings }: LitellmConfig,
): Priced {
  const { cost } = priced
  return cost
    ? { ...priced, cost: timesPrice(cost, marginOf(litellm_settings, deployment.prefix).discounted) }
    : priced
}

/** Deployments with an order come before deployments without one: https://docs.litellm.ai/docs/routing */
function routesOf(all: readonly PricedDeployment[]): readonly IncomingRoute[] {
  const orders = all.map(({ placed }) => parseOrder(placed.deployment.params.order))
  const last = Math.max(-1, ...orders.flatMap((order) => order ?? [])) + 1
  const weights = weightsOf(all)
  const routes = all.map(({ placed: { address, provider }, priced: { cost } }, index): IncomingRoute => {
    const weight = weights[index] ?? 1
    const order = orders[index] ?? last
    return {
      provider,
      model: address.model,
      ...(address.generation === undefined ? {} : { generation: address.generation }),
      // LiteLLM never picks a deployment of weight 0: the route comes last.
      order: weight === 0 ? last + 1 : order,
      weight: Math.max(1, weight),
      ...(cost ? { cost } : {}),
    }
  })
  const lowest = Math.min(...routes.map(({ order }) => order))
  return mergeSameRoutes(routes.map((route) => ({ ...route, order: route.order - lowest }))).toSorted(
    (one, other) => one.order - other.order,
  )
}

function parseOrder(value: unknown): number | undefined {
  const number = Number(textOf(value))
  return textOf(value) !== undefined && Number.isSafeInteger(number) && number >= 0 ? number : undefined
}

/** Measures that share calls. The first that any deployment has is used: litellm 1.110.2 router_strategy/simple_shuffle.py. */
const METRICS = ['weight', 'rpm', 'tpm']
const MAX_WEIGHT_DIGITS = 3

/** Returns weights as the smallest whole numbers. */
function weightsOf(all: readonly PricedDeployment[]): readonly number[] {
  for (const metric of METRICS) {
    const shares = all.map(({ placed }) =>
      Math.max(0, Number(textOf(placed.deployment.params[metric]) ?? 0) || 0),
    )
    if (shares.every((share) => share === 0)) continue
    const whole = shares.map((share) => Math.round(share * 10 ** MAX_WEIGHT_DIGITS))
    const divisor = whole.reduce(greatestDivisor, 0) || 1
    return whole.map((share) => share / divisor)
  }
  return all.map(() => 1)
}

const greatestDivisor = (one: number, other: number): number =>
  other === 0 ? one : greatestDivisor(other, one % other)

/** Merges routes to the same model of a provider: their deployments have the same address and key. */
function mergeSameRoutes(routes: readonly IncomingRoute[]): IncomingRoute[] {
  const by_place = Map.groupBy(routes, ({ provider, model, order }) =>
    JSON.stringify([provider, model, order]),
  )
  return [...by_place.values()].flatMap((same) => {
    const [first] = same
    return first ? [{ ...first, weight: same.reduce((sum, { weight }) => sum + weight, 0) }] : []
  })
}

function modelOf(
  group: Group,
  fallbacks: readonly string[],
  groups: ReadonlyMap<string, Group>,
  config: LitellmConfig,
  left_out: LeftOut[],
): IncomingModel {
  const routes = [...group.routes]
  const followed: string[] = []
  for (const name of fallbacks) {
    const target = groups.get(name)
    if (!target || target.kind !== group.kind) {
      const reason = target ? 'It is a model of another kind.' : 'It is not among the imported models.'
      left_out.push({ kind: 'fallbacks', row: `"${name}" of "${group.id}"`, reason })
      continue
    }
    const after = Math.max(...routes.map(({ order }) => order)) + 1
    const added = target.routes.filter(
      (route) => !routes.some(({ provider, model }) => provider === route.provider && model === route.model),
    )
    routes.push(...added.map((route) => ({ ...route, order: route.order + after })))
    followed.push(name)
  }
  const { price, notes } = priceOf(group, config)
  return {
    id: group.id,
    fields: { kind: group.kind, ...sizesOf(group) },
    routes,
    price,
    notes:
      followed.length === 0
        ? notes
        : [...notes, `Calls that fall back to ${followed.join(', ')} are charged at this price.`],
  }
}

/** The catalogue's default for a text model (src/catalogue/schema.ts). */
const DEFAULT_MAX_OUTPUT_TOKENS = 8_192

/** Returns the smallest sizes among its deployments: any of them may serve a call. */
function sizesOf({ kind, deployments }: Group): { context?: number; max_output_tokens?: number } {
  if (kind !== 'text') return {}
  const smallest = (sizes: readonly (number | undefined)[]) => {
    const known = sizes.filter((size) => size !== undefined)
    return known.length === 0 ? undefined : Math.min(...known)
  }
  const context = smallest(deployments.map(({ priced }) => priced.context))
  const output = smallest(deployments.map(({ priced }) => priced.max_output_tokens))
  const most = Math.min(output ?? DEFAULT_MAX_OUTPUT_TOKENS, context ?? Infinity)
  return {
    ...(context === undefined ? {} : { context }),
    ...(output === undefined && most === DEFAULT_MAX_OUTPUT_TOKENS ? {} : { max_output_tokens: most }),
  }
}

/** The cost of the dearest deployment, plus the provider's margin: LiteLLM charges each call at the cost of its deployment. */
function priceOf(
  { kind, deployments }: Group,
  { litellm_settings }: LitellmConfig,
): { price: Price; notes: string[] } {
  const offers = deployments.flatMap(({ placed, priced: { cost, notes } }) => {
    if (!cost) return []
    const margin = marginOf(litellm_settings, placed.deployment.prefix)
    return [{ price: withRequest(timesPrice(cost, margin.raised), kind, margin.per_request), margin, notes }]
  })
  const [dearest = { price: {}, margin: undefined, notes: [] }] = offers.toSorted(
    (one, other) => sumOf(other.price) - sumOf(one.price),
  )
  const per_request = dearest.margin?.per_request
  const notes = [...dearest.notes]
  if (new Set(offers.map(({ price }) => JSON.stringify(price))).size > 1)
    notes.push('Its deployments have different costs. The price is the highest.')
  if (offers.length < deployments.length)
    notes.push('Some of its deployments have no price, so their routes have no cost.')
  if (per_request !== undefined && kind !== 'text')
    notes.push(`A fixed margin of ${per_request} USD a request is not part of the price.`)
  return { price: dearest.price, notes }
}

const withRequest = (price: Price, kind: string, per_request: string | undefined): Price =>
  per_request === undefined || kind !== 'text' ? price : { ...price, extras: { request: { per_request } } }

/** Sums the rates of a price, to find the dearest one. */
const sumOf = (price: Price): number =>
  Object.values(fieldsOf(price)).reduce<number>(
    (sum, rate) => sum + (typeof rate === 'string' ? parseUsd(rate) : 0),
    0,
  )
