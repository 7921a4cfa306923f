// The routes of the API reference: its page with the page's files, and the OpenAPI document.
import { type AnyElysia, Elysia } from 'elysia'
import { openCalls } from '../../src/app/surface/calls.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import { type BrandSettings, brandName } from '../../src/domain/brand.ts'
import { publicPathOf } from '../../src/domain/public-url.ts'
import { acceptedCoding } from '../../src/http/codings.ts'
import { plainError } from '../../src/http/plain-error.ts'
import { atFirstUse } from '../../src/utilities/at-first-use.ts'
import STYLE from './page.css' with { type: 'text' }
import { ICON, pageOf, SCRIPT } from './page.ts'
import { type Stored, scalar } from './scalar.ts'

const SURFACE = { surface: 'docs', forms: [], render: plainError }

/** Scalar writes styles into the page; scripts come from here alone, and nothing from anywhere else. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The address of Scalar's file has its version, so a cached copy never gets stale. */
const FOREVER = 'public, max-age=31536000, immutable'
const SCALAR_PATH = '/docs/scalar.js'

/** @param documented any instance of the application that the document is of */
export function docsRoutes(
  gateway: Pick<Gateway, 'calls' | 'requests' | 'operations'>,
  documented: AnyElysia,
) {
  const page = ofPlace(makePage)
  const document = ofPlace((place) => makeDocument(documented, gateway, place))
  const placeNow = (): Place => {
    const { server, brand } = gateway.calls.catalogue()
    return { path: publicPathOf(server.public_url), brand }
  }
  return new Elysia({ name: 'docs-routes' })
    .use(openCalls(gateway, SURFACE))
    .get('/docs', async () =>
      answer(await page(placeNow()), 'text/html; charset=utf-8', {
        'content-security-policy': CONTENT_SECURITY_POLICY,
      }),
    )
    .get('/docs/page.js', () => answer(SCRIPT, 'text/javascript; charset=utf-8'))
    .get('/docs/page.css', () => answer(STYLE, 'text/css; charset=utf-8'))
    .get('/docs/icon.svg', () => answer(ICON, 'image/svg+xml'))
    .get(SCALAR_PATH, ({ request }) => {
      const { body, headers } = contentOf(scalar(), request)
      return answer(body, 'text/javascript; charset=utf-8', { ...headers, 'cache-control': FOREVER })
    })
    .get('/docs/openapi.json', async ({ request }) => documentAnswer(await document(placeNow()), request))
}

const answer = (body: string | Blob | ReadableStream, type: string, headers: Record<string, string> = {}) =>
  new Response(body, {
    headers: {
      'content-type': type,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-cache',
      ...headers,
    },
  })

/** The inputs of page and document. A catalogue that is read anew has another object of its brand. */
interface Place {
  /** Of the public URL. */
  path: string
  brand: BrandSettings
}

/** Makes a value for a place at its first use, and again after that has changed. */
function ofPlace<T>(make: (place: Place) => Promise<T>): (place: Place) => Promise<T> {
  let last: (Place & { get: () => Promise<T> }) | undefined
  return (place) => {
    if (last?.path !== place.path || !Bun.deepEquals(last.brand, place.brand))
      last = { ...place, get: atFirstUse(() => make(place)) }
    return last.get()
  }
}

async function makePage({ path, brand }: Place): Promise<string> {
  const bytes = await Bun.file(versionOf(scalar())).bytes()
  return pageOf(path, `${SCALAR_PATH}?v=${Bun.hash(bytes).toString(36)}`, brand)
}

interface Document {
  /** Compressed, because it is rarely requested and has some 200 KB. */
  gzipped: Uint8Array<ArrayBuffer>
  etag: string
}

async function makeDocument(
  app: AnyElysia,
  { operations }: Pick<Gateway, 'operations'>,
  { path, brand }: Place,
): Promise<Document> {
  const [{ documentOf }, { gzip }, { promisify }, ...references] = await Promise.all([
    import('./document.ts'),
    import('node:zlib'),
    import('node:util'),
    ...operations.references.map((load) => load()),
  ])
  const json = JSON.stringify(await documentOf(app, references, { path, title: brandName(brand) }))
  const gzipped = new Uint8Array(await promisify(gzip)(json))
  return { gzipped, etag: `"${Bun.hash(json).toString(36)}"` }
}

/** Tools of other origins may read it: it is the same for every caller. */
const ANY_ORIGIN = { 'access-control-allow-origin': '*' }

function documentAnswer({ gzipped, etag }: Document, { headers }: Request): Response {
  if (headers.get('if-none-match') === etag) return new Response(null, { status: 304, headers: { etag } })
  const coding = acceptedCoding(headers.get('accept-encoding'), ['gzip'])
  const body = new Blob([coding === 'gzip' ? gzipped : Bun.gunzipSync(gzipped)])
  return answer(body, 'application/json', { ...ANY_ORIGIN, etag, ...codingHeaders(coding) })
}

/** A path whose content differs between versions of the file. */
const versionOf = (stored: Stored): string => ('identity' in stored ? stored.identity : stored.gzip)

/** The content of a file in a coding that the request takes, with the headers that say so. */
export function contentOf(
  stored: Stored,
  { headers }: Request,
): { body: Blob | ReadableStream; headers: Record<string, string> } {
  if ('identity' in stored) return { body: Bun.file(stored.identity), headers: {} }
  const coding = acceptedCoding(headers.get('accept-encoding'), ['br', 'gzip'])
  if (coding !== 'identity') return { body: Bun.file(stored[coding]), headers: codingHeaders(coding) }
  // Few clients accept neither coding, so the executable has no uncompressed copy.
  const body = Bun.file(stored.gzip).stream().pipeThrough(new DecompressionStream('gzip'))
  return { body, headers: codingHeaders(coding) }
}

const codingHeaders = (coding: string): Record<string, string> => ({
  vary: 'Accept-Encoding',
  ...(coding === 'identity' ? {} : { 'content-encoding': coding }),
})
