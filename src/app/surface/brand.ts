// The brand as pages show it: names and addresses of what plugins/site serves, and the tags of a page's head.
import { type BrandSettings, brandName, keyVariable } from '../../domain/brand.ts'

/** The brand on a page. An address is null where the operator has set none. */
export interface PageBrand {
  name: string
  /** Of a wordmark in place of the name, and of a square mark. */
  logo: string | null
  icon: string | null
  /** The environment variable of an API key in code samples. */
  key_variable: string
  support_url: string | null
  terms_url: string | null
  privacy_url: string | null
  imprint_url: string | null
}

/** @param path of the public URL, before all addresses */
export const pageBrand = (brand: BrandSettings, path: string): PageBrand => ({
  name: brandName(brand),
  logo: brand.logo === undefined ? null : addressOf(path, 'logo', brand.logo),
  icon: brand.icon === undefined ? null : addressOf(path, 'icon', brand.icon),
  key_variable: keyVariable(brand),
  support_url: brand.support_url ?? null,
  terms_url: brand.terms_url ?? null,
  privacy_url: brand.privacy_url ?? null,
  imprint_url: brand.imprint_url ?? null,
})

/** The stylesheet with the colours of the brand, which comes after the page's own; null without one. */
export const brandColorsUrl = ({ color }: BrandSettings, path: string): string | null =>
  color === undefined ? null : addressOf(path, 'colors.css', color.slice(1).toLowerCase())

/** With its value, so that a browser does not keep a former one. */
const addressOf = (path: string, file: string, value: string): string =>
  `${path}/brand/${file}?of=${encodeURIComponent(value)}`

/**
 * A page of ours with the brand in its head: its title and icon, the colours, and a meta element "brand" that holds the brand as JSON
 * for the page's script.
 */
export function withBrand(html: string, brand: BrandSettings, path: string): string {
  const own = pageBrand(brand, path)
  const colors = brandColorsUrl(brand, path)
  const added = [
    `<meta name="brand" content="${Bun.escapeHTML(JSON.stringify(own))}">`,
    ...(colors === null ? [] : [`<link rel="stylesheet" href="${Bun.escapeHTML(colors)}">`]),
  ]
  return replacing(html, [
    [/<title>Tollgate/, `<title>${Bun.escapeHTML(own.name)}`],
    ...(own.icon === null
      ? []
      : [[/<link rel="icon"[^>]*>/, `<link rel="icon" href="${Bun.escapeHTML(own.icon)}">`] as const]),
    ['</head>', `${added.join('\n')}\n</head>`],
  ])
}

/** The replacements as they stand: `$` has no meaning in them. */
const replacing = (html: string, all: readonly (readonly [RegExp | string, string])[]): string =>
  all.reduce((page, [part, by]) => page.replace(part, () => by), html)
