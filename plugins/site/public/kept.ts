// Answers that are made at most once in some seconds, whoever asks how often, and kept as bytes.
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { acceptedCoding } from '../../../src/http/codings.ts'

interface Made {
  identity: Uint8Array<ArrayBuffer>
  gzipped: Uint8Array<ArrayBuffer>
  hash: string
}

interface KeptOptions {
  type: string
  headers: Readonly<Record<string, string>>
  /** An answer that is older is made again. */
  kept_ms: number
  now: () => number
}

/** The inputs of an answer, besides the time: it is made again when this is another object. */
type Basis = object

/** @returns answers a request; requests that come while an answer is made wait for it */
export function keptAnswer<B extends Basis>(
  { type, headers, kept_ms, now }: KeptOptions,
  make: (basis: B) => string | Promise<string>,
): (request: Request, basis: B) => Promise<Response> {
  let kept: { basis: B; made_at_ms: number; made: Promise<Made> } | undefined
  const current = (basis: B): Promise<Made> => {
    if (kept?.basis === basis && Math.abs(now() - kept.made_at_ms) < kept_ms) return kept.made
    const made = madeOf(make, basis)
    const own = { basis, made_at_ms: now(), made }
    kept = own
    made.catch(() => {
      // Whoever waited gets the failure; the next one tries anew.
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

async function madeOf<B extends Basis>(
  make: (basis: B) => string | Promise<string>,
  basis: B,
): Promise<Made> {
  const identity = new TextEncoder().encode(await make(basis))
  const gzipped = new Uint8Array(await promisify(gzip)(identity))
  return { identity, gzipped, hash: Bun.hash(identity).toString(36) }
}
