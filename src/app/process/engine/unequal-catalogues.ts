// Gateways over one database that have different catalogues in force: they would charge different prices for the same call. Pure.
import type { Gateway } from '../../../store/schema.ts'

/** A change reaches one machine after the other. */
const MAX_UNEQUAL_MS = 60_000

export type ToldCatalogue = Pick<Gateway, 'id' | 'name' | 'catalogue' | 'catalogue_since_ms'>

/**
 * Which gateways have which catalogue, where that has not been the same for more than a minute.
 *
 * @param alive all that are; one that has not told its catalogue yet counts for nothing
 * @param now_ms by the clock of the database
 * @returns groups of gateways, the largest first, those that began first among equals; undefined where all have the same
 */
export function unequalCatalogues(
  alive: readonly ToldCatalogue[],
  now_ms: number,
): readonly (readonly ToldCatalogue[])[] | undefined {
  const groups = groupsByCatalogue(alive)
  if (groups.length < 2) return undefined
  const changed_ms = Math.max(...groups.flat().map(({ catalogue_since_ms }) => catalogue_since_ms))
  return now_ms - changed_ms <= MAX_UNEQUAL_MS ? undefined : groups
}

/** Those that have told their catalogue, by which it is: in the order of `unequalCatalogues`. */
export function groupsByCatalogue<Told extends Pick<ToldCatalogue, 'catalogue'>>(
  alive: readonly Told[],
): readonly (readonly Told[])[] {
  const told = alive.filter(({ catalogue }) => catalogue !== '')
  const groups = [...Map.groupBy(told, ({ catalogue }) => catalogue).values()]
  return groups.toSorted((one, other) => other.length - one.length)
}

/** In a sentence for the operator: who has another catalogue than most. */
export function unequalInWords(groups: readonly (readonly ToldCatalogue[])[]): string {
  const nameOf = ({ id, name, catalogue }: ToldCatalogue) => `${name} (${id}): ${catalogue.slice(0, 8)}`
  return groups.map((group) => group.map(nameOf).join(', ')).join('; ')
}
