// The frame of a public page: head, navigation, and the operator's links.
import { brandColorsUrl, pageBrand } from '../../../src/app/surface/brand.ts'
import type { BrandSettings } from '../../../src/domain/brand.ts'
import { type Html, html, name } from './html.ts'

/** The context of every page. */
export interface Site {
  /** The path of the public URL, before all addresses. */
  path: string
  brand: BrandSettings
  /** Whether the brand's file exists; otherwise the page omits it. */
  shows_logo: boolean
  shows_icon: boolean
  has_console: boolean
  /** Whether anybody may create an account. */
  can_sign_up: boolean
  /** Changes with the stylesheet and the script, so that browsers reload them. */
  version: string
}

interface PageParts {
  /** The title of the browser tab, before the name of the brand. */
  title: string
  /** The description for search engines. */
  description: string
  address: '/' | '/pricing' | '/status'
  main: Html
  has_script?: boolean
}

const PAGES = [
  { address: '/pricing', label: 'Pricing' },
  { address: '/status', label: 'Status' },
  { address: '/docs', label: 'API reference' },
] as const

/** Renders the whole document. */
export function pageHtml(site: Site, { title, description, address, main, has_script }: PageParts): string {
  const { path, has_console, can_sign_up, version } = site
  const own = pageBrand(site.brand, path)
  const colors = brandColorsUrl(site.brand, path)
  const icon = site.shows_icon && own.icon !== null ? own.icon : `${path}/docs/icon.svg`
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${description}">
<title>${title} · ${own.name}</title>
<link rel="icon" href="${icon}">
<link rel="stylesheet" href="${path}/brand/site.css?of=${version}">
${colors !== null && html`<link rel="stylesheet" href="${colors}">`}
${has_script && html`<script src="${path}/brand/site.js?of=${version}" defer></script>`}
</head>
<body>
<a class="skip" href="#main">Skip to the page</a>
<header class="top">
<a class="brand" href="${path}/"${address === '/' && html` aria-current="page"`}>${mark(site)}</a>
<nav aria-label="Pages">
${PAGES.map(
  (page) =>
    html`<a href="${path}${page.address}"${page.address === address && html` aria-current="page"`}>${page.label}</a>
`,
)}${has_console && html`<a href="${path}/console">Sign in</a>`}
</nav>
${has_console && can_sign_up && html`<a class="button" href="${path}/console/sign-up">Create an account</a>`}
</header>
<main id="main" tabindex="-1">
${main}
</main>
<footer>
${footer(own)}
</footer>
</body>
</html>
`.text
}

function mark({ path, brand, shows_logo, shows_icon }: Site): Html {
  const own = pageBrand(brand, path)
  if (shows_logo && own.logo !== null) return html`<img class="logo" src="${own.logo}" alt="${own.name}">`
  return html`${shows_icon && own.icon !== null && html`<img class="icon" src="${own.icon}" alt="">`}${name(own.name)}`
}

function footer({
  name: service,
  support_url,
  terms_url,
  privacy_url,
  imprint_url,
}: ReturnType<typeof pageBrand>): Html {
  const links = [
    ['Support', support_url],
    ['Terms', terms_url],
    ['Privacy', privacy_url],
    ['Imprint', imprint_url],
  ] as const
  return html`${name(service)}${links.map(
    ([label, href]) =>
      href !== null &&
      html`
<a href="${href}">${label}</a>`,
  )}`
}
