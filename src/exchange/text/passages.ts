// The choice of a request's passages: through to providers of the caller's own protocol, translated to all others.
import type { Provider, TextModel } from '../../domain/catalogue.ts'
import { GatewayError } from '../../domain/errors.ts'
import { protocolOf, type Registry } from '../../protocols/registry.ts'
import { withRoutes } from '../../upstream/routes.ts'
import { passThrough } from './pass-through.ts'
import type { Passage, Passages, TextRequest } from './passage.ts'
import { translation } from './translation.ts'

/** The passages of one request. @param forwarded_headers for providers of the caller's own protocol */
export function passagesOf(
  request: TextRequest,
  protocols: Registry,
  forwarded_headers: Readonly<Record<string, string>>,
): Passages {
  const made = new Map<string, Passage>()
  return (provider) => {
    const known = made.get(provider.protocol)
    if (known) return known
    const protocol = protocolOf(protocols, provider)
    const passage =
      protocol.name === request.dialect.protocol.name
        ? passThrough(request, protocol, forwarded_headers)
        : translation(request, protocol)
    made.set(provider.protocol, passage)
    return passage
  }
}

/**
 * The model with those of its routes that can carry the request. Asked before anything is held: a route that cannot is no
 * route for this call, and a request that none can carry is refused.
 *
 * @throws GatewayError invalid_request naming the field that the first route's protocol cannot carry
 */
export function carriedBy(
  passages: Passages,
  model: TextModel,
  providers: ReadonlyMap<string, Provider>,
): TextModel {
  const refusals: GatewayError[] = []
  const carrying = withRoutes(model, (route) => {
    const provider = providers.get(route.provider)
    try {
      if (provider)
        passages(provider).assertCarries({ model: route.model, max_output_tokens: model.max_output_tokens })
      return true
    } catch (thrown) {
      if (!(thrown instanceof GatewayError)) throw thrown
      refusals.push(thrown)
      return false
    }
  })
  if (!carrying) throw refusals[0]
  return carrying
}
