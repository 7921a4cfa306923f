// The brand under which an operator sells: the name that account holders see, and the names that follow from it. Pure.

/** `[brand]`; all of it is optional. Mails, pages and statements take it anew for each use. */
export interface BrandSettings {
  readonly name?: string
  /** Files in the data folder: a wordmark that stands in place of the name, and a square mark. */
  readonly logo?: string
  readonly icon?: string
  /** `#rrggbb` */
  readonly color?: string
  readonly support_url?: string
  readonly terms_url?: string
  readonly privacy_url?: string
  readonly imprint_url?: string
}

type Named = Pick<BrandSettings, 'name'>

/** The name that account holders see: the operator's own, or the product's. */
export const brandName = ({ name }: Named): string => name ?? 'Tollgate'

/**
 * The name as a part of file names and identifiers: "Acme AI" as `acme-ai`.
 *
 * @returns letters and digits of ASCII, in parts with hyphens; `gateway` for a name without any
 */
export function brandSlug(brand: Named): string {
  const parts = brandName(brand)
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .match(/[a-z0-9]+/g)
  return parts?.join('-') ?? 'gateway'
}

/** The environment variable that holds an API key in code samples: `ACME_AI_KEY`. */
export function keyVariable(brand: Named): string {
  const name = `${brandSlug(brand).replaceAll('-', '_').toUpperCase()}_KEY`
  // A shell takes no name that begins with a digit.
  return /^\d/.test(name) ? `_${name}` : name
}
