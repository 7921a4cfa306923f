// The Cloudflare Turnstile challenge. Cloudflare's server checks each answer; the result must name this form and this host.
// https://developers.cloudflare.com/turnstile/get-started/server-side-validation/
import { invalidRequest, overloaded } from '../../src/domain/errors.ts'
import { type RemoteSeams, sendToPublic } from '../../src/media/public-request.ts'
import { parseImageUrl } from '../../src/media/url.ts'

const VERIFY_URL = 'https://challenges.cloudflare.com/turnstile/v0/siteverify'
/** The origin of the script and frame that the page loads. */
export const TURNSTILE_ORIGIN = 'https://challenges.cloudflare.com'
/** Must equal the action of the page's widget. */
export const ACTION = 'sign_up'
const TIMEOUT_MS = 10_000
const MAX_ANSWER_BYTES = 64 * 1_024
/** From Cloudflare's documentation. */
const MAX_TOKEN_CHARS = 2_048

interface TurnstileAnswer {
  secret: string
  /** The token from the page's widget. */
  token: string | undefined
  /** The visitor's address. */
  address: string | undefined
  /** The host of the public URL. */
  host: string
}

/** @throws GatewayError invalid_request for a token that is not of this form; overloaded if Cloudflare does not answer */
export type CheckTurnstile = (answer: TurnstileAnswer) => Promise<void>

/** @param seams as for fetching images, and another address: for tests only */
export function createTurnstile(seams: RemoteSeams = {}, url = VERIFY_URL): CheckTurnstile {
  return async ({ secret, token, address, host }) => {
    if (token === undefined || token === '' || token.length > MAX_TOKEN_CHARS) throw notSolved()
    const body = JSON.stringify({
      secret,
      response: token,
      ...(address !== undefined && { remoteip: address }),
    })
    const { success, hostname, action } = await verify(url, body, seams)
    if (success !== true || hostname !== host || action !== ACTION) throw notSolved()
  }
}

async function verify(url: string, body: string, seams: RemoteSeams): Promise<Record<string, unknown>> {
  const signal = AbortSignal.timeout(seams.timeout_ms ?? TIMEOUT_MS)
  try {
    const headers = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }
    const response = await sendToPublic(
      parseImageUrl(url),
      { method: 'POST', headers, body },
      { ...seams, signal, what: 'Turnstile check' },
    )
    const parts: Buffer[] = []
    let bytes = 0
    for await (const part of response as AsyncIterable<Buffer>) {
      bytes += part.length
      if (bytes > MAX_ANSWER_BYTES) throw new Error('the answer is too long')
      parts.push(part)
    }
    const answer: unknown = JSON.parse(Buffer.concat(parts).toString())
    if (typeof answer !== 'object' || answer === null) throw new Error('the answer is not an object')
    return answer as Record<string, unknown>
  } catch (cause) {
    throw overloaded(
      'Cloudflare, which verifies that you are human, is not responding. Try again in a minute.',
      {
        retry_after_s: 60,
        cause,
      },
    )
  }
}

const notSolved = () =>
  invalidRequest('We could not verify that you are human. Reload the page and try again.', {
    code: 'challenge_failed',
    param: 'solution',
  })
