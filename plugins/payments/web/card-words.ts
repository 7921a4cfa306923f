// A saved card in words.
import { capital } from '../../console/web/parts/capital.ts'

interface CardFacts {
  brand: string
  last4: string
  /** As `2027-08`. */
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

/** Brands that are not listed are words already: `visa`, `mastercard`. */
const brandWords = (brand: string): string => BRANDS[brand] ?? capital(brand.replaceAll('_', ' '))

export const cardWords = ({ brand, last4 }: Pick<CardFacts, 'brand' | 'last4'>): string =>
  `${brandWords(brand)} ending in ${last4}`

/** As it is on the card. */
export function expiryWords({ expires }: Pick<CardFacts, 'expires'>): string {
  const [year = '', month = ''] = expires.split('-')
  return `${month}/${year}`
}

/** A card is good to the end of its last month. */
export const isExpired = ({ expires }: Pick<CardFacts, 'expires'>, now: Date): boolean =>
  expires < now.toISOString().slice(0, 7)
