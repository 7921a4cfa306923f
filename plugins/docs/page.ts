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

// Names and roles that Scalar leaves out, for screen readers and keyboards.
function complete() {
  for (const button of document.querySelectorAll('button[class*="copy-button"]:not([aria-label])'))
    button.setAttribute('aria-label', 'Copy')
  for (const button of document.querySelectorAll('button.show-more[aria-label]')) button.removeAttribute('aria-label')
  for (const list of document.querySelectorAll('ul.endpoints:not([tabindex])')) list.tabIndex = 0
}
// In the same turn as each change of Scalar's, so that no reader meets an incomplete element.
new MutationObserver(complete).observe(document.getElementById('reference'), { childList: true, subtree: true })
`

/** Scalar's own greys are too pale to be read by everybody; these have a contrast of 4.5 on each of its grounds. */
export const STYLE = `:root { color-scheme: light dark; }
body { margin: 0; background: light-dark(#ffffff, #111315); }
body.light-mode, .light-mode {
  --scalar-color-1: #16191d; --scalar-color-2: #4b525a; --scalar-color-3: #565d66; --scalar-color-accent: #1f56c4;
  --scalar-background-1: #ffffff; --scalar-background-2: #f7f8f9; --scalar-background-3: #f1f3f5; --scalar-border-color: #e3e6ea;
  --scalar-color-green: #176b35; --scalar-color-red: #b3261e; --scalar-color-orange: #855000; --scalar-color-yellow: #855000;
  --scalar-color-blue: #1f56c4; --scalar-color-purple: #6d3fae;
}
body.dark-mode, .dark-mode {
  --scalar-color-1: #e9ebee; --scalar-color-2: #b9c0c8; --scalar-color-3: #a3abb4; --scalar-color-accent: #86b0ff;
  --scalar-background-1: #111315; --scalar-background-2: #16191c; --scalar-background-3: #1d2125; --scalar-border-color: #2a2f35;
  --scalar-color-green: #70cf90; --scalar-color-red: #ff9187; --scalar-color-orange: #f0b958; --scalar-color-yellow: #f0b958;
  --scalar-color-blue: #86b0ff; --scalar-color-purple: #c2a2f5;
}
/* The section that an address names is where the keyboard goes on: it needs no frame from edge to edge. */
#reference section[tabindex="-1"]:focus-visible { outline: none; }
.waiting { font: 14px/1.5 system-ui, sans-serif; margin: 48px auto; max-width: 40em; padding: 0 16px; color: light-dark(#16191d, #e9ebee); }
.waiting a { color: light-dark(#1f56c4, #86b0ff); }
#reference:not(:empty) + .waiting { display: none; }
`

/** A gate with a bar across. */
export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#1f56c4"/><path d="M4 13V4m8 9V4M3 7h10" stroke="#fff" stroke-width="1.6" fill="none"/></svg>
`
