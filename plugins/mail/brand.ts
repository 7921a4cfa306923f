// The brand that recipients see in mails.
import { brandName } from '../../src/domain/brand.ts'
import { brandColors } from '../../src/domain/brand-colors.ts'
import type { Catalogue } from '../../src/domain/catalogue.ts'
import type { Brand } from './purposes.ts'

const DEFAULT_COLOR = '#1f56c4'

/** The brand from [brand], with the product's own as a default. */
export function brandOf({ brand }: Pick<Catalogue, 'brand'>): Brand {
  const { fill, on_fill } = brandColors(brand.color ?? DEFAULT_COLOR)
  return {
    name: brandName(brand),
    logo_path: brand.logo === undefined ? undefined : '/brand/logo',
    support_url: brand.support_url,
    button: { fill: fill.light, text: on_fill.light },
  }
}
