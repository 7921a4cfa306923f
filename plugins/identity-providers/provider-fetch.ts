// The requests to an identity provider: guarded, within a time and a size, and without redirects.
import { GatewayError, isFailure, upstreamFailed } from '../../src/domain/errors.ts'
import { readAtMost } from '../../src/http/body.ts'
import { type RemoteSeams, sendToPublic } from '../../src/media/public-request.ts'
import { parseImageUrl } from '../../src/media/url.ts'
import { messageOf } from '../../src/utilities/thrown.ts'

/** As the libraries of OpenID Connect call it. @throws GatewayError upstream_failed without an answer that can be read */
export type ProviderFetch = (
  url: string,
  init: {
    method?: string
    headers?: Record<string, string>
    body?: unknown
    signal?: AbortSignal | null | undefined
  },
) => Promise<Response>

const TIMEOUT_MS = 10_000
/** A provider with hundreds of keys has some 100 KB of them. */
const MAX_ANSWER_BYTES = 1_024 * 1_024

/**
 * The operator has written the issuer's address, which may be in their own network, as a provider of models may be. Whatever else the issuer
 * names is reached on the public Internet alone, so that nobody is led into the network by its answers.
 */
export function createProviderFetch(issuer: string, seams: RemoteSeams = {}): ProviderFetch {
  const own = new URL(issuer).origin
  const { timeout_ms = TIMEOUT_MS } = seams
  return async (url, { method = 'GET', headers = {}, body, signal }) => {
    const deadline = AbortSignal.timeout(timeout_ms)
    const ends = signal ? AbortSignal.any([deadline, signal]) : deadline
    const request = {
      method: method === 'POST' ? 'POST' : 'GET',
      headers,
      ...(body ? { body: String(body) } : {}),
    } as const
    try {
      return new URL(url).origin === own
        ? await sendToIssuer(url, request, ends)
        : await sendElsewhere(url, request, ends, seams)
    } catch (thrown) {
      if (deadline.aborted)
        throw upstreamFailed(`The identity provider did not answer within ${timeout_ms / 1_000} s.`, {
          cause: thrown,
        })
      if (thrown instanceof GatewayError && isFailure(thrown)) throw thrown
      throw upstreamFailed(messageOf(thrown), { cause: thrown })
    }
  }
}

interface Sent {
  method: 'GET' | 'POST'
  headers: Record<string, string>
  body?: string
}

async function sendToIssuer(url: string, request: Sent, signal: AbortSignal): Promise<Response> {
  const response = await fetch(url, { ...request, signal, redirect: 'manual' })
  return answer(response.status, response.headers.get('content-type'), response.body ?? [])
}

async function sendElsewhere(
  url: string,
  request: Sent,
  signal: AbortSignal,
  seams: RemoteSeams,
): Promise<Response> {
  const { body } = request
  const headers = { ...request.headers }
  if (body !== undefined) headers['content-length'] = String(Buffer.byteLength(body))
  const sent = { ...request, headers }
  const response = await sendToPublic(checked(url), sent, { ...seams, signal, what: 'identity provider' })
  return answer(response.statusCode ?? 0, response.headers['content-type'] ?? null, response)
}

/** The same rules as for callers' URLs, in words of its own. */
function checked(url: string) {
  try {
    return parseImageUrl(url)
  } catch (cause) {
    throw upstreamFailed(
      'The identity provider names an address that is not its own and not an https:// address of a public server.',
      { cause },
    )
  }
}

/** @throws GatewayError upstream_failed for a failure of the provider, a redirect, and what nobody can read */
async function answer(
  status: number,
  type: string | null,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<Response> {
  const bytes = Buffer.from(await readAtMost(chunks, MAX_ANSWER_BYTES, tooLarge))
  const is_answer = status === 200 || (status >= 400 && status < 500 && status !== 429)
  if (!is_answer) throw upstreamFailed(`The identity provider answered ${status}.`)
  if (!isReadable(bytes, type)) throw upstreamFailed(`The identity provider answered ${status} without JSON.`)
  return new Response(bytes, { status, ...(type === null ? {} : { headers: { 'content-type': type } }) })
}

/** JSON, but for signed answers: a page in its place is of something between the gateway and the provider, or of its maintenance. */
function isReadable(bytes: Buffer, type: string | null): boolean {
  if (type?.startsWith('application/jwt') === true) return true
  try {
    JSON.parse(bytes.toString())
    return true
  } catch {
    // Another form, or none.
    return false
  }
}

const tooLarge = (limit_bytes: number) =>
  upstreamFailed(`The identity provider answered with more than ${limit_bytes / 1_024} KB.`)
