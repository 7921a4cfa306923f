// What the choice of a protocol depends on, at a provider that speaks more than one.
import type { Endpoint, Provider } from '../domain/catalogue.ts'
import type { RequestFacts } from './facts.ts'
import type { NamedModel } from './named-model.ts'

/** A route of a model, as far as it decides in which protocol its provider is asked. */
export interface ProtocolRoute extends NamedModel {
  readonly provider: Provider
  /** As the route says. */
  readonly endpoint?: Endpoint | undefined
}

/** A call that is to be put to a route. */
export interface RoutedCall extends ProtocolRoute {
  /** The name of the caller's protocol. */
  readonly caller: string
  readonly facts: RequestFacts
}
