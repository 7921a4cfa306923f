// Requests to identity providers, with limits on address, time and size, and without redirects.
import { GatewayError, isFailure, upstreamFailed } from '../../src/domain/errors.ts'
import { readAtMost } from '../../src/http/body.ts'
import { type RemoteSeams, sendToPublic } from '../../src/media/public-request.ts'
import { parseImageUrl } from '../../src/media/url.ts'
import { messageOf } from '../../src/utilities/thrown.ts'

/** The fetch function that the OpenID Connect libraries call. @throws GatewayError upstream_failed without a readable answer */
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
/** A provider with hundreds of keys publishes about 100 KB. */
const MAX_ANSWER_BYTES = 1_024 * 1_024

/**
 * Creates the fetch function of a provider. The issuer's address comes from the operator and may be in their own network, as a model provider's may.
 * All other addresses, which the issuer names, must be on the public Internet, so that its answers cannot direct requests into the network.
 */
export function createProviderFetch(issuer: string, seams: RemoteSeams = {}): ProviderFetch {
  const issuer_origin = new URL(issuer).origin
  const { timeout_ms = TIMEOUT_MS } = seams
  return async (url, { method = 'GET', headers = {}, body, signal }) => {
    const deadline = AbortSignal.timeout(timeout_ms)
    const abort_signal = signal ? AbortSignal.any([deadline, signal]) : deadline
    const request = {
      method: method === 'POST' ? 'POST' : 'GET',
      headers,
      ...(body ? { body: String(body) } : {}),
    } as const
    try {
      return new URL(url).origin === issuer_origin
        ? await sendToIssuer(url, request, abort_signal)
        : await sendElsewhere(url, request, abort_signal, seams)
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

interface ProviderRequest {
  method: 'GET' | 'POST'
  headers: Record<string, string>
  body?: string
}

async function sendToIssuer(url: string, request: ProviderRequest, signal: AbortSignal): Promise<Response> {
  const response = await fetch(url, { ...request, signal, redirect: 'manual' })
  return toResponse(response.status, response.headers.get('content-type'), response.body ?? [])
}

async function sendElsewhere(
  url: string,
  request: ProviderRequest,
  signal: AbortSignal,
  seams: RemoteSeams,
): Promise<Response> {
  const { body } = request
  const headers = { ...request.headers }
  if (body !== undefined) headers['content-length'] = String(Buffer.byteLength(body))
  const sent = { ...request, headers }
  const response = await sendToPublic(publicUrl(url), sent, {
    ...seams,
    signal,
    what: 'identity provider',
  })
  return toResponse(response.statusCode ?? 0, response.headers['content-type'] ?? null, response)
}

/** The rules of URLs from callers, with a message about the provider. */
function publicUrl(url: string) {
  try {
    return parseImageUrl(url)
  } catch (cause) {
    throw upstreamFailed(
      'The identity provider names an address that is not its own and not an https:// address of a public server.',
      { cause },
    )
  }
}

/** @throws GatewayError upstream_failed for a failure of the provider, a redirect, and an unreadable answer */
async function toResponse(
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

/** Whether the body is JSON or a signed answer. An HTML page instead comes from a proxy in between, or from the provider's maintenance. */
function isReadable(bytes: Buffer, type: string | null): boolean {
  if (type?.startsWith('application/jwt') === true) return true
  try {
    JSON.parse(bytes.toString())
    return true
  } catch {
    // Not JSON.
    return false
  }
}

const tooLarge = (limit_bytes: number) =>
  upstreamFailed(`The identity provider answered with more than ${limit_bytes / 1_024} KB.`)
