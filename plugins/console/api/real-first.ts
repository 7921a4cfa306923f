// Models as they are suggested: those of real providers before those that are only simulated.
import { isSimulated } from '../../../src/config/served.ts'
import type { Catalogue, Model } from '../../../src/domain/catalogue.ts'

/** Otherwise in the catalogue's order. */
export function realFirst<M extends Model>(
  models: Iterable<M>,
  { providers }: Pick<Catalogue, 'providers'>,
): M[] {
  const isMadeUp = ({ routes }: M): boolean =>
    routes.every((route) => {
      const provider = providers.get(route.provider)
      return provider !== undefined && isSimulated(provider)
    })
  return [...models].toSorted((one, other) => Number(isMadeUp(one)) - Number(isMadeUp(other)))
}
