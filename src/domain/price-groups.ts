// The models at an account's prices: list prices, or those of its price group.
import type { Catalogue } from './catalogue.ts'

/**
 * Returns the models at the prices of a group. All code that prices a call for an account, or shows an account a price, must take the
 * models from here.
 *
 * @param group of the account; null or an unknown group for list prices
 */
export const modelsFor = (
  { models, price_groups }: Pick<Catalogue, 'models' | 'price_groups'>,
  group: string | null,
): Catalogue['models'] => (group === null ? models : (price_groups.get(group)?.models ?? models))
