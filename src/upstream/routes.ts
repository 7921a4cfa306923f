// The order in which a call tries its model's routes and their providers' keys.
import type { Model, Provider, Route } from '../domain/catalogue.ts'
import type { Cooldowns } from './cooldowns.ts'

/** One attempt at an upstream: a route with one of its provider's keys. */
export interface Attempt {
  provider: Provider
  /** The provider's own id of the model. */
  model: string
  api_key: string
  /** Names the key in logs and among the cooldowns. */
  key_id: string
}

/** The model with those of its routes that are suitable; undefined when none is. */
export function withRoutes<M extends Model>(model: M, isSuitable: (route: Route) => boolean): M | undefined {
  const [first, ...rest] = model.routes.filter(isSuitable)
  return first && { ...model, routes: [first, ...rest] }
}

/**
 * All attempts at a model, in order: routes by their `order`, equal ones drawn by weight; all keys of each provider in
 * turn. Keys in cooldown come last, the one that is free again soonest first: trying one beats refusing.
 *
 * @param random a number in [0, 1), for the draw
 */
export function planAttempts(
  routes: readonly Route[],
  providers: ReadonlyMap<string, Provider>,
  cooldowns: Cooldowns,
  now_ms: number,
  random: () => number,
): Attempt[] {
  const attempts = drawByWeight(routes, random).flatMap((route) => keysOf(route, providers, random))
  if (attempts.length < 2) return attempts
  const cooldown = (attempt: Attempt) => Math.max(0, cooldowns.coolingUntil(attempt.key_id) - now_ms)
  return attempts
    .map((attempt) => ({ attempt, cooldown_ms: cooldown(attempt) }))
    .sort((a, b) => a.cooldown_ms - b.cooldown_ms)
    .map(({ attempt }) => attempt)
}

/** The same attempts, those that are preferred before the others. */
export const preferredFirst = (
  attempts: readonly Attempt[],
  isPreferred: (attempt: Attempt) => boolean,
): Attempt[] => [...attempts.filter(isPreferred), ...attempts.filter((attempt) => !isPreferred(attempt))]

function keysOf(route: Route, providers: ReadonlyMap<string, Provider>, random: () => number): Attempt[] {
  const provider = providers.get(route.provider)
  if (!provider) return []
  const { api_keys, key_numbers } = provider
  const start = api_keys.length > 1 ? Math.floor(random() * api_keys.length) : 0
  return api_keys.map((_, offset) => {
    const index = (start + offset) % api_keys.length
    return {
      provider,
      model: route.model,
      api_key: api_keys[index] ?? '',
      key_id: `${provider.name}#${key_numbers?.[index] ?? index + 1}`,
    }
  })
}

/** Sorted by `order`; routes of one order are drawn one after the other, each with its weight's chance to be next. */
function drawByWeight(routes: readonly Route[], random: () => number): Route[] {
  if (routes.length < 2) return [...routes]
  return routes
    .map((route) => ({ route, draw: -Math.log(1 - random()) / route.weight }))
    .sort((a, b) => a.route.order - b.route.order || a.draw - b.draw)
    .map(({ route }) => route)
}
