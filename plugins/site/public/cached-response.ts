// Cached responses: made at most once in some seconds, for any number of requests, and kept as bytes.
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { acceptedCoding } from '../../../src/http/codings.ts'

interface CachedBody {
  identity: Uint8Array<ArrayBuffer>
  gzipped: Uint8Array<ArrayBuffer>
  hash: string
}

interface CacheOptions {
  type: string
  headers: Readonly<Record<string, string>>
  /** The lifetime of a response. */
  kept_ms: number
  now: () => number
}

/** The input of a response besides the time. A different object invalidates the cache. */
type Basis = object

/** @returns a function that answers a request; requests during a computation share it */
export function cachedResponse<B extends Basis>(
  { type, headers, kept_ms, now }: CacheOptions,
  make: (basis: B) => string | Promise<string>,
): (request: Request, basis: B) => Promise<Response> {
  let kept: { basis: B; made_at_ms: number; made: Promise<CachedBody> } | undefined
  const current = (basis: B): Promise<CachedBody> => {
    if (kept?.basis === basis && Math.abs(now() - kept.made_at_ms) < kept_ms) return kept.made
    const made = computeBody(make, basis)
    const own = { basis, made_at_ms: now(), made }
    kept = own
    made.catch(() => {
      // The waiting requests fail, too; the next request computes it again.
      if (kept === own) kept = undefined
    })
    return made
  }
  return async (request, basis) => {
    const { identity, gzipped, hash } = await current(basis)
    const coding = acceptedCoding(request.headers.get('accept-encoding'), ['gzip'])
    const etag = `"${hash}-${coding}"`
    const all: Record<string, string> = {
      ...headers,
      'cache-control': `public, max-age=${Math.ceil(kept_ms / 1_000)}`,
      etag,
      vary: 'accept-encoding',
    }
    if (request.headers.get('if-none-match')?.includes(etag))
      return new Response(null, { status: 304, headers: all })
    all['content-type'] = type
    if (coding !== 'identity') all['content-encoding'] = coding
    return new Response(coding === 'gzip' ? gzipped : identity, { headers: all })
  }
}

async function computeBody<B extends Basis>(
  make: (basis: B) => string | Promise<string>,
  basis: B,
): Promise<CachedBody> {
  const identity = new TextEncoder().encode(await make(basis))
  const gzipped = new Uint8Array(await promisify(gzip)(identity))
  return { identity, gzipped, hash: Bun.hash(identity).toString(36) }
}
