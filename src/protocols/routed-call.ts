// A call on a route: the input to the choice of a protocol at a provider that speaks more than one.
import type { Endpoint, Provider } from '../domain/catalogue.ts'
import type { NamedModel } from './canonical/request.ts'
import type { RequestFacts } from './facts.ts'

/** The parts of a route that decide the protocol of the upstream request. */
export interface ProtocolRoute extends NamedModel {
  readonly provider: Provider
  readonly endpoint?: Endpoint | undefined
}

/** A call to send on a route. */
export interface RoutedCall extends ProtocolRoute {
  /** The name of the caller's protocol. */
  readonly caller: string
  readonly facts: RequestFacts
}
