// Webhook delivery: a guarded POST to a public server over HTTPS. Only the status of the answer is used.
import { GatewayError, invalidRequest } from '../domain/errors.ts'
import { messageOf } from '../utilities/thrown.ts'
import { type RemoteSeams, sendToPublic } from './public-request.ts'
import { parseImageUrl } from './url.ts'

export interface WebhookMessage {
  headers: Readonly<Record<string, string>>
  /** JSON. */
  body: string
}

/**
 * @returns the status of the answer; redirects are not followed
 * @throws GatewayError with a sentence for the operator, which contains no address
 */
export type PostWebhook = (url: string, message: WebhookMessage, signal?: AbortSignal) => Promise<number>

const TIMEOUT_MS = 15_000

/** Creates a function that posts to public servers. @param seams for tests only, as in `createRemoteFetch` */
export function createWebhookPost(seams: RemoteSeams = {}): PostWebhook {
  const { timeout_ms = TIMEOUT_MS } = seams
  return async (text, { headers, body }, stopped) => {
    const deadline = AbortSignal.timeout(timeout_ms)
    const signal = stopped ? AbortSignal.any([deadline, stopped]) : deadline
    try {
      const url = checked(text)
      const sent = {
        ...headers,
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
      }
      const response = await sendToPublic(
        url,
        { method: 'POST', headers: sent, body },
        { ...seams, signal, what: 'webhook' },
      )
      response.destroy()
      return response.statusCode ?? 0
    } catch (thrown) {
      if (deadline.aborted) throw failed(`The webhook did not answer within ${timeout_ms / 1_000} s.`, thrown)
      if (thrown instanceof GatewayError) throw thrown
      throw failed(`The webhook could not be reached: ${messageOf(thrown)}`, thrown)
    }
  }
}

/** Applies the rules for callers' URLs, with another message. */
function checked(text: string) {
  try {
    return parseImageUrl(text)
  } catch (thrown) {
    throw failed('The webhook must be an https:// address of a public server, on port 443.', thrown)
  }
}

const failed = (message: string, cause: unknown) => invalidRequest(message, { code: 'UPSTREAM_ERROR', cause })
