// The brand of the pages, which the gateway writes into the head of their document.
import type { PageBrand } from '../../../../src/app/surface/brand.ts'

const UNBRANDED: PageBrand = {
  name: 'Tollgate',
  logo: null,
  icon: null,
  key_variable: 'TOLLGATE_KEY',
  support_url: null,
  terms_url: null,
  privacy_url: null,
  imprint_url: null,
}

const brand_json = globalThis.document?.querySelector<HTMLMetaElement>('meta[name="brand"]')?.content

/** Read once: a changed brand is visible after the page is reloaded. */
export const brand: PageBrand = brand_json === undefined ? UNBRANDED : JSON.parse(brand_json)

export const brand_links: readonly { label: string; href: string }[] = [
  { label: 'Support', href: brand.support_url },
  { label: 'Terms', href: brand.terms_url },
  { label: 'Privacy', href: brand.privacy_url },
  { label: 'Imprint', href: brand.imprint_url },
].flatMap(({ label, href }) => (href === null ? [] : [{ label, href }]))

export const setTabTitle = (page: string): void => {
  document.title = `${page} · ${brand.name}`
}
