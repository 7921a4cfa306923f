// The order in which a call tries its model's routes and their providers' keys.
import type { Model, Provider, Route } from '../domain/catalogue.ts'
import type { Price } from '../domain/prices.ts'
import { PairMap } from '../utilities/pair-map.ts'
import type { Cooldowns } from './cooldowns.ts'

/** One attempt at an upstream: a route with one of its provider's keys. */
export interface Attempt {
  readonly provider: Provider
  /** The provider's own id of the model. */
  readonly model: string
  readonly api_key: string
  /** Names the key in logs and among the cooldowns. */
  readonly key_id: string
  /** What the provider takes of the operator; undefined if the catalogue does not say. */
  readonly cost: Price | undefined
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
): readonly Attempt[] {
  const attempts = drawn(routes, providers, random)
  return attempts.length < 2 ? attempts : byCooldown(attempts, cooldowns, now_ms)
}

function byCooldown(attempts: readonly Attempt[], cooldowns: Cooldowns, now_ms: number): readonly Attempt[] {
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
): readonly Attempt[] => [
  ...attempts.filter(isPreferred),
  ...attempts.filter((attempt) => !isPreferred(attempt)),
]

/** Without a look at cooldowns. Nearly all models have one route. */
function drawn(
  routes: readonly Route[],
  providers: ReadonlyMap<string, Provider>,
  random: () => number,
): readonly Attempt[] {
  const only = routes[0]
  return only && routes.length === 1
    ? keysOf(only, providers, random)
    : drawByWeight(routes, random).flatMap(keysIn(providers, random))
}

const keysIn = (providers: ReadonlyMap<string, Provider>, random: () => number) => (route: Route) =>
  keysOf(route, providers, random)

/** A route's attempts, from a key that is drawn on. */
function keysOf(
  route: Route,
  providers: ReadonlyMap<string, Provider>,
  random: () => number,
): readonly Attempt[] {
  const provider = providers.get(route.provider)
  if (!provider) return []
  const attempts = attemptsAt(provider, route)
  if (attempts.length < 2) return attempts
  const start = Math.floor(random() * attempts.length)
  return [...attempts.slice(start), ...attempts.slice(0, start)]
}

/** By provider and route: they are the same for every call, as long as a catalogue is in force. */
const ATTEMPTS = new PairMap<Provider, Route, readonly Attempt[]>()

/** All attempts at a route, one with each key of its provider. */
const attemptsAt = (provider: Provider, route: Route): readonly Attempt[] =>
  ATTEMPTS.get(provider, route) ?? ATTEMPTS.set(provider, route, makeAttempts(provider, route))

const makeAttempts = (provider: Provider, { model, cost }: Route): readonly Attempt[] =>
  provider.api_keys.map((api_key, index) => ({
    provider,
    model,
    api_key,
    key_id: keyIdOf(provider, index),
    cost,
  }))

const keyIdOf = ({ name, key_numbers }: Provider, index: number): string =>
  `${name}#${key_numbers?.[index] ?? index + 1}`

/** The names by which cooldowns know a provider's keys. */
export const keyIds = (provider: Provider): string[] =>
  provider.api_keys.map((_, index) => keyIdOf(provider, index))

/** Sorted by `order`; routes of one order are drawn one after the other, each with its weight's chance to be next. */
function drawByWeight(routes: readonly Route[], random: () => number): Route[] {
  return routes
    .map((route) => ({ route, draw: -Math.log(1 - random()) / route.weight }))
    .sort((a, b) => a.route.order - b.route.order || a.draw - b.draw)
    .map(({ route }) => route)
}
