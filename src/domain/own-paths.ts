// The first segments of the gateway's own paths.

/** Used and reserved segments. No route of a custom plugin and no path of `public_url` may begin with one. */
export const OWN_BEGINNINGS: ReadonlySet<string> = new Set([
  'api',
  'brand',
  'console',
  'docs',
  'favicon.ico',
  'healthz',
  'identity-providers',
  'mail',
  'metrics',
  'openai',
  'payments',
  'pricing',
  'pricing.json',
  'readyz',
  'robots.txt',
  'status',
  'status.json',
  'upload',
  'v1',
  'v1alpha',
  'v1beta',
  'v2',
  'v3',
])
