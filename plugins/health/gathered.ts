// Answers in memory that are not written yet, by route and key; and the names under which their states are stored.
import {
  type Answer,
  addAnswer,
  addToKey,
  emptyKey,
  emptyRoute,
  type KeyState,
  type RouteState,
} from './outage.ts'

/** A provider's key by its name and mark. A replaced key has another mark, and so a new state. */
export interface KeyName {
  key_id: string
  mark: string
}

export interface RouteName {
  model: string
  provider: string
  upstream_model: string
}

type Route = Omit<RouteName, 'model'>

/** A pseudo-route for all calls of a model, by any route. */
export const CALLS: Route = { provider: '', upstream_model: '' }

export const routeSubject = ({ model, provider, upstream_model }: RouteName): string =>
  JSON.stringify(['route', model, provider, upstream_model])
export const keySubject = ({ key_id, mark }: KeyName): string => JSON.stringify(['key', key_id, mark])

/** The limit while states cannot be written: more than the routes and keys of any catalogue. */
const MAX_UNWRITTEN = 5_000
export class Gathered {
  /** By model, because a model has few routes. */
  readonly #routes = new Map<string, (RouteName & { state: RouteState })[]>()
  readonly #keys = new Map<string, KeyState>()
  #size = 0

  get is_empty(): boolean {
    return this.#size === 0
  }

  add(model: string, route: Route, answer: Answer): void {
    const state = this.#route(model, route)
    if (state) addAnswer(state, answer)
  }

  addToKey(name: KeyName, answer: Parameters<typeof addToKey>[1]): void {
    const state = this.#key(name)
    if (state) addToKey(state, answer)
  }

  #route(model: string, { provider, upstream_model }: Route): RouteState | undefined {
    const of_model = this.#routes.get(model) ?? []
    for (const known of of_model)
      if (known.provider === provider && known.upstream_model === upstream_model) return known.state
    if (this.#size >= MAX_UNWRITTEN) return undefined
    const made = { model, provider, upstream_model, state: emptyRoute() }
    if (of_model.push(made) === 1) this.#routes.set(model, of_model)
    this.#size += 1
    return made.state
  }

  #key(name: KeyName): KeyState | undefined {
    const subject = keySubject(name)
    const known = this.#keys.get(subject)
    if (known || this.#size >= MAX_UNWRITTEN) return known
    const made = emptyKey()
    this.#keys.set(subject, made)
    this.#size += 1
    return made
  }

  states(): { routes: Map<string, RouteState>; keys: Map<string, KeyState> } {
    const routes = [...this.#routes.values()].flat()
    return { routes: new Map(routes.map((one) => [routeSubject(one), one.state])), keys: this.#keys }
  }
}
