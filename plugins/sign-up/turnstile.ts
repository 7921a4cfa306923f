// The challenge of Cloudflare Turnstile: its answers are checked by Cloudflare's server, and are for this form of this host.
// https://developers.cloudflare.com/turnstile/get-started/server-side-validation/
import { invalidRequest, overloaded } from '../../src/domain/errors.ts'
import { type RemoteSeams, sendToPublic } from '../../src/media/public-request.ts'
import { parseImageUrl } from '../../src/media/url.ts'

const VERIFY_URL = 'https://challenges.cloudflare.com/turnstile/v0/siteverify'
/** The origin of the page's script and frame. */
export const TURNSTILE_ORIGIN = 'https://challenges.cloudflare.com'
/** As the page's widget says. */
export const ACTION = 'sign_up'
const TIMEOUT_MS = 10_000
const MAX_ANSWER_BYTES = 64 * 1_024
/** Of Cloudflare's documentation. */
const MAX_TOKEN_CHARS = 2_048

interface TurnstileAnswer {
  secret: string
  /** From the page. */
  token: string | undefined
  /** Of the visitor. */
  address: string | undefined
  /** Of the public URL. */
  host: string
}

/** @throws GatewayError invalid_request for a token that is not of this form; overloaded where Cloudflare does not answer */
export type CheckTurnstile = (answer: TurnstileAnswer) => Promise<void>

/** @param seams as those of the fetch of images, and another address: for tests alone */
export function createTurnstile(seams: RemoteSeams = {}, url = VERIFY_URL): CheckTurnstile {
  return async ({ secret, token, address, host }) => {
    if (token === undefined || token === '' || token.length > MAX_TOKEN_CHARS) throw notSolved()
    const body = JSON.stringify({
      secret,
      response: token,
      ...(address !== undefined && { remoteip: address }),
    })
    const { success, hostname, action } = await ask(url, body, seams)
    if (success !== true || hostname !== host || action !== ACTION) throw notSolved()
  }
}

async function ask(url: string, body: string, seams: RemoteSeams): Promise<Record<string, unknown>> {
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
    if (typeof answer !== 'object' || answer === null) throw new Error('the answer is no object')
    return answer as Record<string, unknown>
  } catch (cause) {
    throw overloaded(
      'Cloudflare, which checks that you are no program, does not answer. Try again in a minute.',
      {
        retry_after_s: 60,
        cause,
      },
    )
  }
}

const notSolved = () =>
  invalidRequest('The check that you are no program did not succeed. Reload the page and try again.', {
    code: 'challenge_failed',
    param: 'solution',
  })
