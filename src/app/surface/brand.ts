// The brand on pages: its name, the URLs of its files (served by plugins/site), and the tags of a page's head.
import { type BrandSettings, brandName, keyVariable } from '../../domain/brand.ts'

/** The brand on a page. A URL is null if the operator has not set it. */
export interface PageBrand {
  name: string
  /** The URLs of a wordmark that replaces the name, and of a square icon. */
  logo: string | null
  icon: string | null
  /** The environment variable of an API key in code samples. */
  key_variable: string
  support_url: string | null
  terms_url: string | null
  privacy_url: string | null
  imprint_url: string | null
}

/** @param path of the public URL, a prefix of all URLs */
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

/** The URL of the stylesheet with the brand's colors, to load after the page's own; null if no color is set. */
export const brandColorsUrl = ({ color }: BrandSettings, path: string): string | null =>
  color === undefined ? null : addressOf(path, 'colors.css', color.slice(1).toLowerCase())

/** Includes the value, so that browsers do not use a cached older file. */
const addressOf = (path: string, file: string, value: string): string =>
  `${path}/brand/${file}?of=${encodeURIComponent(value)}`

/**
 * Adds the brand to a page's head: title, icon, colors, and a meta element "brand" with the brand as JSON for the page's
 * script.
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

/** Replaces parts literally: `$` has no special meaning. */
const replacing = (html: string, all: readonly (readonly [RegExp | string, string])[]): string =>
  all.reduce((page, [part, by]) => page.replace(part, () => by), html)
