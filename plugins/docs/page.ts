// The page of the API reference: its HTML, and the script that starts Scalar.

import { withBrand } from '../../src/app/surface/brand.ts'
import type { BrandSettings } from '../../src/domain/brand.ts'

/**
 * @param path the path of the public URL, which precedes all addresses
 * @param scalar_url the address of Scalar's script, which changes with its content
 */
export const pageOf = (path: string, scalar_url: string, brand: BrandSettings): string =>
  withBrand(unbranded(path, scalar_url), brand, path)

const unbranded = (path: string, scalar_url: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Tollgate API reference</title>
<link rel="icon" href="${path}/docs/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${path}/docs/page.css">
<script src="${path}${scalar_url}" defer></script>
<script src="${path}/docs/page.js" defer></script>
</head>
<body>
<div id="reference"></div>
<p class="waiting">The reference is shown by a script. The same as data: <a href="${path}/docs/openapi.json">openapi.json</a></p>
</body>
</html>
`

/** Disables Scalar's fonts, telemetry, assistant and proxy, so that the page sends requests to this gateway only. */
export const SCRIPT = `// Relative to this file, because a proxy may add a path before both.
const documentUrl = new URL('openapi.json', document.currentScript.src).href
Scalar.createApiReference('#reference', {
  url: documentUrl,
  theme: 'none',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  proxyUrl: '',
  persistAuth: false,
  authentication: { preferredSecurityScheme: 'bearer' },
  hideModels: true,
  orderSchemaPropertiesBy: 'preserve',
  defaultOpenFirstTag: false,
  documentDownloadType: 'direct',
  metaData: { title: document.title },
})

// Names and roles that Scalar leaves out, for screen readers and keyboards.
function complete() {
  for (const button of document.querySelectorAll('button[class*="copy-button"]:not([aria-label])'))
    button.setAttribute('aria-label', 'Copy')
  for (const button of document.querySelectorAll('button.show-more[aria-label]')) button.removeAttribute('aria-label')
  for (const list of document.querySelectorAll('ul.endpoints:not([tabindex])')) list.tabIndex = 0
}
// In the same turn as each change by Scalar, so that a screen reader meets no incomplete element.
new MutationObserver(complete).observe(document.getElementById('reference'), { childList: true, subtree: true })
`

export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#1f56c4"/><path d="M4 13V4m8 9V4M3 7h10" stroke="#fff" stroke-width="1.6" fill="none"/></svg>
`
