// Models whose providers are disabled for want of an environment variable: their other routes, or why there is none.
import type { Model } from '../domain/catalogue.ts'
import { listed } from './mistakes.ts'

/**
 * The model without its routes to disabled providers; with all of them, and the reason, where no other is left.
 *
 * @param disabled the missing environment variables by the name of a disabled provider
 */
export function unlessDisabled(model: Model, disabled: ReadonlyMap<string, readonly string[]>): Model {
  if (disabled.size === 0) return model
  const [first, ...rest] = model.routes.filter(({ provider }) => !disabled.has(provider))
  if (first) return { ...model, routes: [first, ...rest] }
  const names = [...new Set(model.routes.map(({ provider }) => provider))]
  const variables = [...new Set(names.flatMap((name) => disabled.get(name) ?? []))]
  const are_disabled = names.length === 1 ? 'its provider is disabled' : 'all of its providers are disabled'
  const is_not_set =
    variables.length === 1 ? 'the environment variable is not set' : 'environment variables are not set'
  return {
    ...model,
    unavailable: `${are_disabled} (${listed(names)}): ${is_not_set}: ${variables.join(', ')}`,
  }
}
