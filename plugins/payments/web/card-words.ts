// Formatting of a saved card.
import { capital } from '../../console/web/parts/capital.ts'

interface CardFacts {
  brand: string
  last4: string
  /** Last month of validity, such as `2027-08`. */
  expires: string
}

const BRANDS: Readonly<Record<string, string>> = {
  amex: 'American Express',
  cartes_bancaires: 'Cartes Bancaires',
  diners: 'Diners Club',
  eftpos_au: 'eftpos',
  jcb: 'JCB',
  unionpay: 'UnionPay',
  unknown: 'Card',
}

/** Names of brands whose identifier is not their name. Others, such as `visa`, are only capitalized. */
const brandWords = (brand: string): string => BRANDS[brand] ?? capital(brand.replaceAll('_', ' '))

export const cardWords = ({ brand, last4 }: Pick<CardFacts, 'brand' | 'last4'>): string =>
  `${brandWords(brand)} ending in ${last4}`

/** Formats the expiry as printed on the card: MM/YYYY. */
export function expiryWords({ expires }: Pick<CardFacts, 'expires'>): string {
  const [year = '', month = ''] = expires.split('-')
  return `${month}/${year}`
}

/** Whether a card has expired: it is valid to the end of its last month. */
export const isExpired = ({ expires }: Pick<CardFacts, 'expires'>, now: Date): boolean =>
  expires < now.toISOString().slice(0, 7)
