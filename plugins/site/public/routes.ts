// The public pages, their data, stylesheet and script. Off unless the operator enables them.
import { Elysia } from 'elysia'
import { accountQueries } from '../../../src/access/queries.ts'
import { accountOf } from '../../../src/access/viewer.ts'
import { openCalls } from '../../../src/app/surface/calls.ts'
import { viewerIfAny } from '../../../src/app/surface/console/calls.ts'
import { noEndpoint } from '../../../src/app/surface/elysia-errors.ts'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import type { Catalogue } from '../../../src/domain/catalogue.ts'
import { modelsFor } from '../../../src/domain/price-groups.ts'
import { publicPathOf } from '../../../src/domain/public-url.ts'
import { plainError } from '../../../src/http/plain-error.ts'
import { isSignUpOpen } from '../../sign-up/index.ts'
import { cachedBrandFiles } from '../brand-files.ts'
import { siteSettings } from '../settings.ts'
import { statusPage } from '../status/page.ts'
import { statusReader } from '../status/status-reader.ts'
import { cachedResponse } from './cached-response.ts'
import type { Site } from './frame.ts'
import { homePage } from './home.ts'
import { pricingPage } from './pricing.ts'
import { SCRIPT } from './script.ts'
import STYLE from './site.css' with { type: 'text' }
import { pricingView, publicModels } from './views.ts'

const SURFACE = { surface: 'site', forms: [], render: plainError }

/** No inline code, no content of other sites, no forms, no frames. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const GUARDS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'cross-origin-opener-policy': 'same-origin',
}
/** The data is the same for everybody: other sites may read it. */
const DATA = { 'x-content-type-options': 'nosniff', 'access-control-allow-origin': '*' }

const HTML = 'text/html; charset=utf-8'
const JSON_TYPE = 'application/json'
/** The addresses change with the content, so browsers may cache them for a year. */
const FOREVER = 'public, max-age=31536000, immutable'

const PAGE_TTL_MS = 5_000
const STATUS_TTL_MS = 10_000

const VERSION = Bun.hash(STYLE + SCRIPT).toString(36)

type PublicParts = Pick<Gateway, 'calls' | 'requests' | 'operations' | 'people' | 'db'>

/** `GET /`, `/pricing`, `/pricing.json`, `/status`, `/status.json`, `/robots.txt`, and the stylesheet and script. */
export function publicRoutes(gateway: PublicParts) {
  const { catalogue, now } = gateway.calls
  const site = siteReader(gateway)
  const statusNow = statusReader(gateway)
  const page = (kept_ms: number, make: (basis: Catalogue) => Promise<string>) =>
    cachedResponse({ type: HTML, headers: GUARDS, kept_ms, now }, make)
  const data = (kept_ms: number, make: (basis: Catalogue) => unknown) =>
    cachedResponse({ type: JSON_TYPE, headers: DATA, kept_ms, now }, async (basis: Catalogue) =>
      JSON.stringify(await make(basis)),
    )
  const pricing = (basis: Catalogue) => pricingView(publicModels(basis))
  const answers = {
    '/': page(PAGE_TTL_MS, async (basis) => {
      const { description } = siteSettings.of(basis)
      const base_url = basis.server.public_url?.replace(/\/+$/, '')
      return homePage(await site(basis), pricing(basis).models, {
        description,
        base_url,
      })
    }),
    '/pricing': page(PAGE_TTL_MS, async (basis) => pricingPage(await site(basis), pricing(basis).models)),
    '/pricing.json': data(PAGE_TTL_MS, pricing),
    '/status': page(STATUS_TTL_MS, async (basis) => statusPage(await site(basis), await statusNow(basis))),
    '/status.json': data(STATUS_TTL_MS, statusNow),
    '/robots.txt': cachedResponse(
      { type: 'text/plain; charset=utf-8', headers: DATA, kept_ms: PAGE_TTL_MS, now },
      ({ server }: Catalogue) => robots(publicPathOf(server.public_url)),
    ),
    '/brand/site.css': fixed('text/css; charset=utf-8', STYLE),
    '/brand/site.js': fixed('text/javascript; charset=utf-8', SCRIPT),
  }
  const ownPrices = ownPricesOf(gateway)
  const app = new Elysia({ name: 'public-pages' }).use(openCalls(gateway, SURFACE))
  for (const [path, answer] of Object.entries(answers))
    app.get(path, async ({ request }) => {
      const basis = catalogue()
      if (!siteSettings.of(basis).enabled) throw noEndpoint()
      const models = path === '/pricing' ? await ownPrices(request, basis) : undefined
      if (!models) return await answer(request, basis)
      const page = pricingPage(await site(basis), pricing({ ...basis, models }).models, true)
      return new Response(page, { headers: { ...GUARDS, 'content-type': HTML, 'cache-control': 'no-store' } })
    })
  return app
}

/** The models at the prices of the signed-in account; undefined without one, or if it pays list prices. */
const ownPricesOf =
  (gateway: PublicParts) =>
  async (request: Request, basis: Catalogue): Promise<Catalogue['models'] | undefined> => {
    if (basis.price_groups.size === 0 || !request.headers.has('cookie')) return undefined
    const viewer = await viewerIfAny(gateway, { request })
    const id = viewer && accountOf(viewer)
    const account = id === undefined ? undefined : await accountQueries(gateway.db).accountById.get({ id })
    const models = modelsFor(basis, account?.price_group ?? null)
    return models === basis.models ? undefined : models
  }

/** Lets search engines index the pages, but not the console and the API. */
const robots = (path: string): string =>
  [
    'User-agent: *',
    ...['console', 'api/', 'v1/', 'v1beta/', 'openai/', 'upload/'].map((part) => `Disallow: ${path}/${part}`),
    '',
  ].join('\n')

function fixed(type: string, text: string): (request: Request) => Response {
  const etag = `"${VERSION}"`
  const headers = { 'x-content-type-options': 'nosniff', 'cache-control': FOREVER, etag }
  return (request) =>
    request.headers.get('if-none-match') === etag
      ? new Response(null, { status: 304, headers })
      : new Response(text, { headers: { ...headers, 'content-type': type } })
}

function siteReader({ calls, operations }: Pick<Gateway, 'calls' | 'operations'>) {
  const read = cachedBrandFiles(operations.data_folder, calls.now)
  const exists = async (file: string | undefined) => file !== undefined && !('problem' in (await read(file)))
  return async (basis: Catalogue): Promise<Site> => ({
    path: publicPathOf(basis.server.public_url),
    brand: basis.brand,
    shows_logo: await exists(basis.brand.logo),
    shows_icon: await exists(basis.brand.icon),
    has_console: basis.console.enabled,
    can_sign_up: isSignUpOpen(basis),
    version: VERSION,
  })
}
