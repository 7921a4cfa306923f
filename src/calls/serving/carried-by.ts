// The routes of a model that can carry a request, found before anything is held.
import type { Model, Provider, Route } from '../../domain/catalogue.ts'
import { GatewayError } from '../../domain/errors.ts'
import { withRoutes } from '../../upstream/routes.ts'
import type { CallParts } from '../parts.ts'

/**
 * The model with those of its routes that can carry the request: a route that cannot is no route for this call.
 * @param assertCarries throws GatewayError invalid_request naming the field that the route's protocol cannot carry
 * @throws GatewayError the first route's refusal, where none can carry the request
 */
export async function carriedBy<M extends Model>(
  { catalogue }: Pick<CallParts, 'catalogue'>,
  model: M,
  assertCarries: (provider: Provider, route: Route) => void | Promise<void>,
): Promise<M> {
  const { providers } = catalogue()
  const refused = new Map<Route, GatewayError>()
  for (const route of model.routes) {
    const provider = providers.get(route.provider)
    try {
      if (provider) await assertCarries(provider, route)
    } catch (thrown) {
      if (!(thrown instanceof GatewayError)) throw thrown
      refused.set(route, thrown)
    }
  }
  if (refused.size === 0) return model
  const carrying = withRoutes(model, (route) => !refused.has(route))
  if (!carrying) throw refused.values().next().value
  return carrying
}
