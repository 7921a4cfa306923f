// Routes of the console's pages: one document for every address, its files, and their security headers.
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { Elysia } from 'elysia'
import { withBrand } from '../../src/app/surface/brand.ts'
import { calls } from '../../src/app/surface/calls.ts'
import { requireConsole } from '../../src/app/surface/console/calls.ts'
import { noEndpoint } from '../../src/app/surface/elysia-errors.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import type { BrandSettings } from '../../src/domain/brand.ts'
import { notFound } from '../../src/domain/errors.ts'
import { publicPathOf } from '../../src/domain/public-url.ts'
import { acceptedCoding } from '../../src/http/codings.ts'
import { plainError } from '../../src/http/plain-error.ts'
import type { PageFile } from './assets.ts'

const SURFACE = { surface: 'console', forms: [], render: plainError }

const BASE = '/console'
const DOCUMENT = 'index.html'
const ASSETS = 'assets/'
const API = 'api/'

/** For assets: their names change with their content. */
const CACHE_FOREVER = 'public, max-age=31536000, immutable'
/** For the document: the browser revalidates it each time, and gets 304 if it is unchanged. */
const REVALIDATE = 'no-cache'

/**
 * Only the gateway's own content runs, shows or loads. Inline scripts and styles are refused; this does not include styles that
 * scripts set on an element. https://www.w3.org/TR/CSP3/
 */
const contentSecurityPolicy = (origins: readonly string[]): string =>
  [
    "default-src 'none'",
    ["script-src 'self'", ...origins].join(' '),
    ...(origins.length === 0 ? [] : [`frame-src ${origins.join(' ')}`]),
    "style-src 'self'",
    "img-src 'self' blob: data:",
    "media-src 'self' blob:",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

const SECURITY_HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

/**
 * `GET /console` and all addresses below it except the console's API: the document for every address, so that links into the
 * console work, and its files below `/console/assets/`. They are public; the data that they show need a session.
 */
export function pageRoutes(gateway: Pick<Gateway, 'calls' | 'requests' | 'people'>) {
  const serve = async ({ request }: { request: Request }): Promise<Response> => {
    requireConsole(gateway)
    const { pathname } = new URL(request.url)
    const name = pathname.slice(BASE.length).replace(/^\/+/, '')
    if (`${name}/`.startsWith(API)) throw noEndpoint()
    const origins = gateway.people.page_sources.find(({ path }) => path === name)?.origins() ?? []
    return answer(request, await fileFor(name, pathOf(gateway), gateway.calls.catalogue().brand), origins)
  }
  return new Elysia({ name: 'console-pages' })
    .use(calls(gateway, SURFACE))
    .get(BASE, serve)
    .get(`${BASE}/*`, serve)
}

const pathOf = ({ calls }: Pick<Gateway, 'calls'>): string =>
  publicPathOf(calls.catalogue().server.public_url)

/** @param path the path of the public URL @throws GatewayError not_found for an asset of another version */
async function fileFor(name: string, path: string, brand: BrandSettings) {
  const { pageFiles } = await import('./assets.ts')
  const is_asset = name.startsWith(ASSETS)
  const files = await pageFiles(is_asset ? 'asset' : 'page')
  const file = files.get(is_asset ? name : DOCUMENT)
  if (!file)
    throw notFound('The console has no such file. Reload the page: the gateway may have been updated.')
  return is_asset
    ? { file, cache_control: CACHE_FOREVER }
    : { file: await documentFor(path, brand, file), cache_control: REVALIDATE }
}

/** The last document. `brand` is compared by identity: a catalogue that is read again has a new object. */
let last: { path: string; brand: BrandSettings; document: PageFile; branded: PageFile } | undefined

/**
 * Returns the document with the brand, and with the addresses of its files below the path of the public URL. The gateway also
 * answers requests with that path (`src/http/public-path.ts`).
 */
async function documentFor(path: string, brand: BrandSettings, document: PageFile): Promise<PageFile> {
  if (path === '' && Object.keys(brand).length === 0) return document
  if (last?.path === path && last.brand === brand && last.document === document) return last.branded
  const text = await new Response(document.copies.identity).text()
  const page = withBrand(text.replaceAll(`"${BASE}/`, `"${path}${BASE}/`), brand, path)
  const identity = Buffer.from(page)
  const hash = new Bun.CryptoHasher('sha256').update(identity).digest('hex').slice(0, 16)
  const copies = { identity, br: brotliCompressSync(identity), gzip: gzipSync(identity) }
  last = { path, brand, document, branded: { type: document.type, hash, copies } }
  return last.branded
}

/** @param origins other origins that the page loads from. The ETag contains them, because browsers keep a page's policy at a 304. */
function answer(
  request: Request,
  { file, cache_control }: Awaited<ReturnType<typeof fileFor>>,
  origins: readonly string[],
): Response {
  const coding = acceptedCoding(request.headers.get('accept-encoding'), ['br', 'gzip'])
  const etag = `"${[file.hash, coding, ...origins].join('-')}"`
  const headers: Record<string, string> = {
    ...SECURITY_HEADERS,
    'content-security-policy': contentSecurityPolicy(origins),
    'cache-control': cache_control,
    etag,
    vary: 'accept-encoding',
  }
  if (request.headers.get('if-none-match')?.includes(etag))
    return new Response(null, { status: 304, headers })
  headers['content-type'] = file.type
  if (coding !== 'identity') headers['content-encoding'] = coding
  return new Response(file.copies[coding], { headers })
}
