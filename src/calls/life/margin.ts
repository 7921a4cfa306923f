// The margin at quote time: routes that cost the operator more than the call's price are skipped or logged.
import type { Route } from '../../domain/catalogue.ts'
import { notFound } from '../../domain/errors.ts'
import { formatUsd, type Nanos } from '../../domain/money.ts'
import type { Price } from '../../domain/prices.ts'
import type { Quote } from '../../money/pricing/quote.ts'
import { withRoutes } from '../../upstream/routes.ts'
import type { CallParts } from '../parts.ts'
import type { Admitted, PaidOrder } from './call.ts'
import type { KindAfterRead } from './paid-kind.ts'

/** A call's quote, and the kind that can quote it at other prices. */
interface Quoted<O extends PaidOrder> {
  order: O
  quoted: Quote
  kind: KindAfterRead<O>
}

/** A route that loses money is logged at most once in this interval. */
const LOG_INTERVAL_MS = 60_000
const LOGGED_AT_MS = new WeakMap<Route, number>()

/**
 * Returns the order with the allowed routes. If `[limits] refuse_negative_margin` is set, these are the routes whose cost is at most
 * the price, both for the most that the call can use. A route without a cost is always allowed.
 * @throws GatewayError not_found (code model_unavailable) if none is left. The message hides the providers' costs from the caller.
 */
export function withMargin<O extends PaidOrder>(parts: CallParts, admitted: Admitted, call: Quoted<O>): O {
  const { order, quoted } = call
  if (order.model.routes.every(({ cost }) => cost === undefined)) return order
  const losses = new Map<Route, Nanos>()
  for (const route of order.model.routes) {
    if (!route.cost) continue
    const cost_nanos = ceilingAt(parts, call, route.cost)
    if (cost_nanos > quoted.ceiling_nanos) losses.set(route, cost_nanos)
  }
  if (losses.size === 0) return order
  const { refuse_negative_margin } = parts.catalogue().limits
  for (const [route, cost_nanos] of losses)
    logLoss(parts, admitted, { model: order.model.id, route, cost_nanos, quoted, refuse_negative_margin })
  if (!refuse_negative_margin) return order
  const model = withRoutes(order.model, (route) => !losses.has(route))
  if (model) return { ...order, model }
  // 404 instead of 503, which clients retry for minutes: only the operator can fix this.
  throw notFound(
    `The model "${order.model.id}" is out of service for this request: this gateway has no route that may serve it. Use another model, or ask its operator; the log says why.`,
    {
      code: 'model_unavailable',
      cause: 'every route costs more than the call brings (refuse_negative_margin)',
    },
  )
}

/** Quotes a call at a route's cost. The catalogue's schema has checked that the cost has the same unit as the model's price. */
const ceilingAt = <O extends PaidOrder>(parts: CallParts, { order, kind }: Quoted<O>, cost: Price): Nanos =>
  kind.quoteAt
    ? kind.quoteAt(parts, order, cost).ceiling_nanos
    : kind.quote({ ...order, model: { ...order.model, price: cost } }).ceiling_nanos

interface Loss {
  model: string
  route: Route
  cost_nanos: Nanos
  quoted: Quote
  refuse_negative_margin: boolean
}

function logLoss(
  { log, now }: Pick<CallParts, 'log' | 'now'>,
  { origin }: Admitted,
  { model, route, cost_nanos, quoted, refuse_negative_margin }: Loss,
): void {
  const logged_at_ms = LOGGED_AT_MS.get(route)
  if (logged_at_ms !== undefined && Math.abs(now() - logged_at_ms) < LOG_INTERVAL_MS) return
  LOGGED_AT_MS.set(route, now())
  log.warn(
    {
      request_id: origin.request_id,
      model,
      provider: route.provider,
      upstream_model: route.model,
      cost_usd: formatUsd(cost_nanos),
      price_usd: formatUsd(quoted.ceiling_nanos),
      passed_over: refuse_negative_margin,
    },
    'a route costs more than its model’s price: raise the price, or lower the cost if it is wrong',
  )
}
