// The order of suggested models: real providers before simulated ones.
import { compileModelPatterns } from '../../../access/model-patterns.ts'
import { isSimulated } from '../../../catalogue/served.ts'
import { type Catalogue, isServed, type Model } from '../../../domain/catalogue.ts'

/** Keeps the catalogue's order within each group. */
export function realFirst<M extends Model>(
  models: Iterable<M>,
  { providers }: Pick<Catalogue, 'providers'>,
): M[] {
  const isSimulatedOnly = ({ routes }: M): boolean =>
    routes.every((route) => {
      const provider = providers.get(route.provider)
      return provider !== undefined && isSimulated(provider)
    })
  return [...models].toSorted((one, other) => Number(isSimulatedOnly(one)) - Number(isSimulatedOnly(other)))
}

/** Returns the first text model that a key with these patterns may call, or null. */
export function sampleModel(catalogue: Catalogue, patterns: readonly string[] | null): string | null {
  const mayCall = compileModelPatterns(patterns)
  const models = realFirst(catalogue.models.values(), catalogue)
  return models.find((model) => model.kind === 'text' && isServed(model) && mayCall(model.id))?.id ?? null
}
