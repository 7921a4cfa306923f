// The order in which a call tries its model's routes and their providers' keys.
import type { Catalogue, Endpoint, Model, Provider, Route } from '../domain/catalogue.ts'
import type { Price } from '../domain/prices.ts'
import { PairMap } from '../utilities/pair-map.ts'
import type { Cooldowns } from './cooldowns.ts'

/** One attempt at an upstream: a route with one of its provider's keys. */
export interface Attempt {
  readonly provider: Provider
  /** The provider's id of the model. */
  readonly model: string
  readonly endpoint?: Endpoint | undefined
  readonly generation?: string | undefined
  readonly api_key: string
  /** Identifies the key in logs and cooldowns. */
  readonly key_id: string
  /** The operator's cost at the provider; undefined if the catalogue does not say. */
  readonly cost: Price | undefined
}

/** The model with its suitable routes only; undefined if none exist. */
export function withRoutes<M extends Model>(model: M, isSuitable: (route: Route) => boolean): M | undefined {
  const [first, ...rest] = model.routes.filter(isSuitable)
  return first && { ...model, routes: [first, ...rest] }
}

/**
 * All attempts at a model, in order: routes by their `order`. The seed ranks routes of equal order, and the keys of each route. Keys in
 * cooldown come last, the one that is free soonest first: to try one is better than to refuse the call.
 *
 * Routes and keys are ranked by weighted rendezvous hashing (https://en.wikipedia.org/wiki/Rendezvous_hashing). Calls with the same
 * seed start at the same route and key, whose prompt cache they share; over many seeds, each route is first in proportion to its
 * weight. When a route or key is added or removed, only calls that move to it or from it change their order.
 * @param seed 32 bits: that of the call's session, or a random one
 */
export function planAttempts(
  routes: readonly Route[],
  providers: ReadonlyMap<string, Provider>,
  cooldowns: Cooldowns,
  now_ms: number,
  seed: number,
): readonly Attempt[] {
  const attempts = rankAttempts(routes, providers, seed)
  return attempts.length < 2 ? attempts : byCooldown(attempts, cooldowns, now_ms)
}

/** Whether a model has more than one route or key; only then sessions matter. Most models have one. */
export const hasChoice = (routes: readonly Route[], providers: ReadonlyMap<string, Provider>): boolean =>
  routes.length > 1 || routes.some(({ provider }) => (providers.get(provider)?.api_keys.length ?? 0) > 1)

type RouteWithProvider = Omit<Route, 'provider'> & { provider: Provider }
/** The cache is keyed by route lists: a reloaded catalogue has new ones. */
const WITH_PROVIDERS = new WeakMap<readonly Route[], readonly RouteWithProvider[]>()

/** The routes of a model, each with its provider. */
export function routesWithProviders(
  { providers }: Pick<Catalogue, 'providers'>,
  { routes }: Pick<Model, 'routes'>,
): readonly RouteWithProvider[] {
  const known = WITH_PROVIDERS.get(routes)
  if (known) return known
  const with_providers = routes.flatMap((route) => {
    const provider = providers.get(route.provider)
    return provider ? [{ ...route, provider }] : []
  })
  WITH_PROVIDERS.set(routes, with_providers)
  return with_providers
}

/** The seed that all calls of an account's session share. */
export const seedOf = (account_id: number, session: string): number => Bun.hash.xxHash32(session, account_id)

/** The seed of a call without a session. @param random a number in [0, 1) */
export const seedFrom = (random: number): number => Math.floor(random * 2 ** 32)

function byCooldown(attempts: readonly Attempt[], cooldowns: Cooldowns, now_ms: number): readonly Attempt[] {
  const cooldown = (attempt: Attempt) => Math.max(0, cooldowns.coolingUntil(attempt.key_id) - now_ms)
  return attempts
    .map((attempt) => ({ attempt, cooldown_ms: cooldown(attempt) }))
    .sort((a, b) => a.cooldown_ms - b.cooldown_ms)
    .map(({ attempt }) => attempt)
}

/** The attempts, preferred ones first. */
export const preferredFirst = (
  attempts: readonly Attempt[],
  isPreferred: (attempt: Attempt) => boolean,
): readonly Attempt[] => [
  ...attempts.filter(isPreferred),
  ...attempts.filter((attempt) => !isPreferred(attempt)),
]

/** All attempts in their ranked order, cooldowns not considered. Nearly all models have one route. */
function rankAttempts(
  routes: readonly Route[],
  providers: ReadonlyMap<string, Provider>,
  seed: number,
): readonly Attempt[] {
  const known: HashedRoute[] = []
  for (const route of routes) {
    const provider = providers.get(route.provider)
    if (provider) known.push(hashedRoute(provider, route))
  }
  const [only] = known
  if (only && known.length === 1) return keysOf(only, seed)
  return known
    .map((one) => ({ one, rank: rankOf(seed, one.hash, one.route.weight) }))
    .sort((a, b) => a.one.route.order - b.one.route.order || a.rank - b.rank)
    .flatMap(({ one }) => keysOf(one, seed))
}

/** A route's attempts, one for each key. */
function keysOf({ keys }: HashedRoute, seed: number): readonly Attempt[] {
  const [only] = keys
  if (only && keys.length === 1) return [only.attempt]
  return keys
    .map(({ attempt, hash }) => ({ attempt, rank: rankOf(seed, hash, 1) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ attempt }) => attempt)
}

/** The rank of a route or key for a seed, lowest first. It is exponentially distributed, which makes the weights proportional. */
function rankOf(seed: number, hash: number, weight: number): number {
  // The finalizer of MurmurHash3 makes seeds and names that differ by one bit unrelated.
  let mixed = seed ^ hash
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  mixed = (mixed ^ (mixed >>> 16)) >>> 0
  return -Math.log((mixed + 0.5) / 2 ** 32) / weight
}

/** A route with hashes of its name and its keys, which do not depend on the order of the catalogue. */
interface HashedRoute {
  readonly route: Route
  readonly hash: number
  readonly keys: readonly { readonly attempt: Attempt; readonly hash: number }[]
}

/** Routes with their hashes, valid for all calls as long as the catalogue is in force. */
const HASHED = new PairMap<Provider, Route, HashedRoute>()

const hashedRoute = (provider: Provider, route: Route): HashedRoute =>
  HASHED.get(provider, route) ?? HASHED.set(provider, route, hashRoute(provider, route))

const hashRoute = (provider: Provider, route: Route): HashedRoute => ({
  route,
  hash: hashOf(`${provider.name} ${route.model}`),
  keys: provider.api_keys.map((api_key, index) => ({
    attempt: {
      provider,
      model: route.model,
      endpoint: route.endpoint,
      generation: route.generation,
      api_key,
      key_id: keyIdOf(provider, index),
      cost: route.cost,
    },
    hash: hashOf(api_key),
  })),
})

const hashOf = (name: string): number => Bun.hash.xxHash32(name)

const keyIdOf = ({ name, key_numbers }: Provider, index: number): string =>
  `${name}#${key_numbers?.[index] ?? index + 1}`

/** The names of a provider's keys in cooldowns. */
export const keyIds = (provider: Provider): string[] =>
  provider.api_keys.map((_, index) => keyIdOf(provider, index))
