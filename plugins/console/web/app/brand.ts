// The brand under which the pages are shown, as the gateway has put it into their head.
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

const written = globalThis.document?.querySelector<HTMLMetaElement>('meta[name="brand"]')?.content

/** The same for as long as the page is open: a changed brand is there once it is loaded again. */
export const brand: PageBrand = written === undefined ? UNBRANDED : JSON.parse(written)

/** The operator's own pages about the service, those that there are. */
export const brand_links: readonly { label: string; href: string }[] = [
  { label: 'Support', href: brand.support_url },
  { label: 'Terms', href: brand.terms_url },
  { label: 'Privacy', href: brand.privacy_url },
  { label: 'Imprint', href: brand.imprint_url },
].flatMap(({ label, href }) => (href === null ? [] : [{ label, href }]))

/** Names the browser's tab after a page. */
export const titleTab = (page: string): void => {
  document.title = `${page} · ${brand.name}`
}
