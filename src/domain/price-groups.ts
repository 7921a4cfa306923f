// The models at the prices that an account pays: list prices, or those of its price group.
import type { Catalogue } from './catalogue.ts'

/**
 * The models at the prices of a group. Everything that prices a call for an account, or tells an account a price, takes its models
 * from here.
 *
 * @param group of the account; null, or a group that the catalogue does not have: list prices
 */
export const modelsFor = (
  { models, price_groups }: Pick<Catalogue, 'models' | 'price_groups'>,
  group: string | null,
): Catalogue['models'] => (group === null ? models : (price_groups.get(group)?.models ?? models))
