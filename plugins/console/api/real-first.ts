// Models as they are suggested: those of real providers before those that are only simulated.
import type { Catalogue, Model } from '../../../src/domain/catalogue.ts'

/** Otherwise in the catalogue's order. */
export function realFirst<M extends Model>(
  models: Iterable<M>,
  { providers }: Pick<Catalogue, 'providers'>,
): M[] {
  const isSimulated = ({ routes }: M): boolean =>
    routes.every(({ provider }) => providers.get(provider)?.base_url === 'simulator')
  return [...models].toSorted((one, other) => Number(isSimulated(one)) - Number(isSimulated(other)))
}
