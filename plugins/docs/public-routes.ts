// The routes of the API reference: the page, its files, and the OpenAPI document.
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

/** Scalar needs inline styles. Scripts and all other content may only come from this gateway. */
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

/** The address of Scalar's file contains a hash of its content, so a cached copy never gets stale. */
const FOREVER = 'public, max-age=31536000, immutable'
const SCALAR_PATH = '/docs/scalar.js'

/** @param documented any instance of the application that the document describes */
export function docsRoutes(
  gateway: Pick<Gateway, 'calls' | 'requests' | 'operations'>,
  documented: AnyElysia,
) {
  const page = cachedByInputs(makePage)
  const document = cachedByInputs((inputs) => makeDocument(documented, gateway, inputs))
  const inputsNow = (): PageInputs => {
    const { server, brand } = gateway.calls.catalogue()
    return { path: publicPathOf(server.public_url), brand }
  }
  return new Elysia({ name: 'docs-routes' })
    .use(openCalls(gateway, SURFACE))
    .get('/docs', async () =>
      answer(await page(inputsNow()), 'text/html; charset=utf-8', {
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
    .get('/docs/openapi.json', async ({ request }) => documentAnswer(await document(inputsNow()), request))
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

/** The settings that page and document depend on. A reloaded catalogue has a new `brand` object, even with equal values. */
interface PageInputs {
  /** The path of the public URL. */
  path: string
  brand: BrandSettings
}

/** Makes a value at its first use, and again after the inputs have changed. */
function cachedByInputs<T>(make: (inputs: PageInputs) => Promise<T>): (inputs: PageInputs) => Promise<T> {
  let last: (PageInputs & { get: () => Promise<T> }) | undefined
  return (inputs) => {
    if (last?.path !== inputs.path || !Bun.deepEquals(last.brand, inputs.brand))
      last = { ...inputs, get: atFirstUse(() => make(inputs)) }
    return last.get()
  }
}

async function makePage({ path, brand }: PageInputs): Promise<string> {
  const bytes = await Bun.file(versionedFile(scalar())).bytes()
  return pageOf(path, `${SCALAR_PATH}?v=${Bun.hash(bytes).toString(36)}`, brand)
}

interface Document {
  /** Kept compressed, because it is rarely requested and has about 200 KB. */
  gzipped: Uint8Array<ArrayBuffer>
  etag: string
}

async function makeDocument(
  app: AnyElysia,
  { operations }: Pick<Gateway, 'operations'>,
  { path, brand }: PageInputs,
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

/** Web tools of other origins may read the document, which is the same for every caller. */
const ANY_ORIGIN = { 'access-control-allow-origin': '*' }

function documentAnswer({ gzipped, etag }: Document, { headers }: Request): Response {
  if (headers.get('if-none-match') === etag) return new Response(null, { status: 304, headers: { etag } })
  const coding = acceptedCoding(headers.get('accept-encoding'), ['gzip'])
  const body = new Blob([coding === 'gzip' ? gzipped : Bun.gunzipSync(gzipped)])
  return answer(body, 'application/json', { ...ANY_ORIGIN, etag, ...codingHeaders(coding) })
}

/** Returns a file whose content changes with each version of Scalar. */
const versionedFile = (stored: Stored): string => ('identity' in stored ? stored.identity : stored.gzip)

/** Returns the content of a file in a coding that the request accepts, with the matching headers. */
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
