// The brand of mails: who sends them, as recipients know it.
import { brandName } from '../../src/domain/brand.ts'
import { brandColors } from '../../src/domain/brand-colors.ts'
import type { Catalogue } from '../../src/domain/catalogue.ts'
import type { Brand } from './purposes.ts'

const OWN_COLOR = '#1f56c4'

/** As the operator sets it in [brand], else the product's own. */
export function brandOf({ brand }: Pick<Catalogue, 'brand'>): Brand {
  const { fill, on_fill } = brandColors(brand.color ?? OWN_COLOR)
  return {
    name: brandName(brand),
    logo_path: brand.logo === undefined ? undefined : '/brand/logo',
    support_url: brand.support_url,
    button: { fill: fill.light, text: on_fill.light },
  }
}
