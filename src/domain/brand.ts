// The operator's brand: the name that account holders see, and identifiers derived from it. Pure.

/** `[brand]`; all fields are optional. Mails, pages and statements read it at each use. */
export interface BrandSettings {
  readonly name?: string
  /** Files in the data folder: a wordmark that replaces the name, and a square icon. */
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

/** The name that account holders see: the operator's, or the product's. */
export const brandName = ({ name }: Named): string => name ?? 'Tollgate'

/**
 * Converts the name for file names and identifiers: "Acme AI" to `acme-ai`.
 *
 * @returns ASCII letters and digits, joined by hyphens; `gateway` for a name without any
 */
export function brandSlug(brand: Named): string {
  const parts = brandName(brand)
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .match(/[a-z0-9]+/g)
  return parts?.join('-') ?? 'gateway'
}

/** The environment variable of an API key in code samples: `ACME_AI_KEY`. */
export function keyVariable(brand: Named): string {
  const name = `${brandSlug(brand).replaceAll('-', '_').toUpperCase()}_KEY`
  // Shell variables cannot begin with a digit.
  return /^\d/.test(name) ? `_${name}` : name
}
