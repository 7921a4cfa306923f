// The page of the reference: its HTML, its style, and the script that starts Scalar in it.

/** @param scalar_url the address of Scalar's file, which changes with its content */
export const pageOf = (scalar_url: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Tollgate API reference</title>
<link rel="icon" href="/docs/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/docs/page.css">
<script src="${scalar_url}" defer></script>
<script src="/docs/page.js" defer></script>
</head>
<body>
<div id="reference"></div>
<p class="waiting">The reference is shown by a script. The same as data: <a href="/docs/openapi.json">openapi.json</a></p>
</body>
</html>
`

/** No font, no telemetry, no assistant, no proxy: the page asks nobody but this gateway. */
export const SCRIPT = `Scalar.createApiReference('#reference', {
  url: '/docs/openapi.json',
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
  metaData: { title: 'Tollgate API reference' },
})
`

export const STYLE = `:root { color-scheme: light dark; }
body { margin: 0; background: light-dark(#ffffff, #0f1115); }
.waiting { font: 14px/1.5 system-ui, sans-serif; margin: 48px auto; max-width: 40em; padding: 0 16px; color: light-dark(#1b1e24, #e6e8ec); }
#reference:not(:empty) + .waiting { display: none; }
.waiting a { color: light-dark(#1a56db, #8ab4ff); }
`

/** A gate with a bar across. */
export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#1a56db"/><path d="M4 13V4m8 9V4M3 7h10" stroke="#fff" stroke-width="1.6" fill="none"/></svg>
`
