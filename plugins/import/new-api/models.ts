// Models of the catalogue: the names in channels, with a kind, a price made of ratios, and the channels as routes.
import type { IncomingModel, IncomingRoute, LeftOut } from '../move-in.ts'
import type { RouteOfChannel } from './channels.ts'
import { numberOf } from './exact.ts'
import { kindOfName, limitsOfName, reasonOfEnding } from './kinds.ts'
import { type PriceContext, priceOf } from './prices.ts'
import type { ModelRatios, RatioBook } from './ratios.ts'

interface Models {
  readonly models: readonly IncomingModel[]
  readonly left_out: readonly LeftOut[]
}

/** As the catalogue takes a model's id. */
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
    return { reason: 'A catalogue cannot have this name. Callers must use another one.' }
  const ending = context.program === 'new-api' ? reasonOfEnding(id) : undefined
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
    routes: inOrder(routes),
    price: priced.price,
    notes: [
      ...(charged.model === id ? [] : [`charged as ${charged.model}, to which its channel maps it`]),
      ...priced.notes,
      ...(kind === 'text' && !limits ? [NO_LIMITS] : []),
    ],
  }
}

/**
 * new-api charges by the caller's name of a model. one-api charges by the one that a channel maps it to, but for speech
 * (relay/controller/text.go, image.go, audio.go): of several the dearest.
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
    .toSorted((one, other) => sizeOf(other.ratios) - sizeOf(one.ratios))
  return dearest
}

/** For a comparison alone. */
const sizeOf = ({ model, completion }: ModelRatios): number =>
  model ? numberOf(model.ratio) * Math.max(1, numberOf(completion.ratio)) : -1

const NO_LIMITS = 'its output is limited to 8,192 tokens: set max_output_tokens and context'

/** Channels of a higher priority are tried first; among equal ones calls are shared by weight, equally where none has one. */
function inOrder(routes: readonly RouteOfChannel[]): IncomingRoute[] {
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
