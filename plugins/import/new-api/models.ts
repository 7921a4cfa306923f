// Models of the catalogue: the names in channels, with a kind, a price made of ratios, and the channels as routes.
import type { IncomingModel, IncomingRoute, LeftOut } from '../move-in.ts'
import type { RouteOfChannel } from './channels.ts'
import { kindOfName, limitsOfName, reasonOfEnding } from './kinds.ts'
import { type PriceContext, priceOf } from './prices.ts'
import type { RatioBook } from './ratios.ts'

export interface Models {
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
  const priced = priceOf(id, kind, book.of(id), context)
  if ('reason' in priced) return priced
  const limits = kind === 'text' ? limitsOfName(id) : undefined
  return {
    id,
    fields: { kind, ...limits },
    routes: inOrder(routes),
    price: priced.price,
    notes: kind === 'text' && !limits ? [...priced.notes, NO_LIMITS] : priced.notes,
  }
}

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
