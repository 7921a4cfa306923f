// Models of the catalogue made of the channels' model names: kind by name, price by ratios, routes by channels.
import type { IncomingModel, IncomingRoute, LeftOut } from '../move-in.ts'
import type { RouteOfChannel } from './channels.ts'
import { numberOf } from './fraction.ts'
import { kindOfName, limitsOfName, settingInNameReason } from './kinds.ts'
import { type PriceContext, priceOf } from './prices.ts'
import type { ModelRatios, RatioBook } from './ratios.ts'

interface Models {
  readonly models: readonly IncomingModel[]
  readonly left_out: readonly LeftOut[]
}

/** Ids that the catalogue accepts. */
const MODEL_ID = /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$/

export function modelsOf(
  routes: ReadonlyMap<string, readonly RouteOfChannel[]>,
  book: RatioBook,
  context: PriceContext,
): Models {
  const left_out: LeftOut[] = []
  const models = [...routes].flatMap(([id, of_model]) => {
    const made = modelOf(id, of_model, book, context)
    if (!('reason' in made)) return [made]
    left_out.push({ kind: 'models', row: `"${id}"`, reason: made.reason })
    return []
  })
  return { models, left_out }
}

function modelOf(
  id: string,
  all: readonly RouteOfChannel[],
  book: RatioBook,
  context: PriceContext,
): IncomingModel | { readonly reason: string } {
  if (!MODEL_ID.test(id))
    return { reason: 'The catalogue does not allow this model name. Callers must use another one.' }
  const ending = context.program === 'new-api' ? settingInNameReason(id) : undefined
  if (ending !== undefined && all.every(({ model }) => model === id)) return { reason: ending }
  const named = kindOfName(id)
  if ('reason' in named) return named
  const { kind } = named
  const routes = all.filter(({ kinds }) => kinds.includes(kind))
  if (routes.length === 0)
    return { reason: `None of its channels can serve models of the kind ${kind} here.` }
  const charged = chargedAs(id, kind, routes, book, context)
  const priced = priceOf(charged.model, kind, charged.ratios, context)
  if ('reason' in priced) return priced
  const limits = kind === 'text' ? limitsOfName(id) : undefined
  return {
    id,
    fields: { kind, ...limits },
    routes: routesByPriority(routes),
    price: priced.price,
    notes: [
      ...(charged.model === id ? [] : [`charged as ${charged.model}, to which its channel maps it`]),
      ...priced.notes,
      ...(kind === 'text' && !limits ? [NO_LIMITS] : []),
    ],
  }
}

/**
 * new-api charges by the caller's model name. one-api charges by the name that a channel maps it to, except for speech
 * (relay/controller/text.go, image.go, audio.go). If its channels differ, the import takes the dearest name.
 */
function chargedAs(
  id: string,
  kind: string,
  routes: readonly RouteOfChannel[],
  book: RatioBook,
  { program }: PriceContext,
): { model: string; ratios: ModelRatios } {
  const own = { model: id, ratios: book.of(id) }
  if (program === 'new-api' || kind === 'speech') return own
  const [dearest = own] = routes
    .map(({ charged: { model, type } }) => ({ model, ratios: book.of(model, type) }))
    .toSorted((one, other) => relativePrice(other.ratios) - relativePrice(one.ratios))
  return dearest
}

/** Only for comparisons. */
const relativePrice = ({ model, completion }: ModelRatios): number =>
  model ? numberOf(model.ratio) * Math.max(1, numberOf(completion.ratio)) : -1

const NO_LIMITS = 'its output is limited to 8,192 tokens: set max_output_tokens and context'

/** Channels with a higher priority are tried first. Equal ones share calls by weight, equally if none has a weight. */
function routesByPriority(routes: readonly RouteOfChannel[]): IncomingRoute[] {
  const priorities = [...new Set(routes.map(({ priority }) => priority))].toSorted(
    (one, other) => other - one,
  )
  return routes
    .map(({ provider, model, generation, priority, weight }) => ({
      provider,
      model,
      ...(generation === undefined ? {} : { generation }),
      order: priorities.indexOf(priority),
      weight: Math.max(1, weight),
    }))
    .toSorted((one, other) => one.order - other.order)
}
