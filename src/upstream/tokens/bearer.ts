// An attempt with an access token in place of its key. If the provider refuses the first token, it tries once more with another.
import type { UpstreamFailure } from '../../protocols/facts.ts'
import type { PlainSignal } from '../../utilities/plain-signal.ts'
import type { UpstreamRequest } from '../transport.ts'
import { type AccessToken, type ExchangeResult, isToken } from './exchange.ts'
import type { Tokens } from './tokens.ts'

interface TokenContext {
  tokens: Tokens
  /** A service account. */
  api_key: string
  /** Ends the wait for a token; the exchange continues for other calls. */
  gone: PlainSignal
  /** The time limit of the attempt, waits included. */
  timeout_ms: number
  /** Called with the failure after which another token is fetched. */
  onRefused(failure: UpstreamFailure): void
}

/** Makes an attempt whose key is a service account. @param send sends the request with its token, within the remaining time */
export async function sendWithToken<A extends object>(
  request: UpstreamRequest,
  { tokens, api_key, gone, timeout_ms, onRefused }: TokenContext,
  send: (request: UpstreamRequest, timeout_ms: number) => Promise<A | UpstreamFailure>,
): Promise<A | UpstreamFailure> {
  const started_ms = performance.now()
  const leftMs = () => Math.max(1, timeout_ms - (performance.now() - started_ms))
  const first = await waitForToken(tokens.of(api_key), gone, timeout_ms)
  if (!isToken(first)) return first
  const result = await send(withBearer(request, first), leftMs())
  if (!('failure_class' in result) || !result.is_unauthorized) return result
  tokens.refused(api_key, first)
  onRefused(result)
  const second = await waitForToken(tokens.of(api_key), gone, leftMs())
  return isToken(second) ? send(withBearer(request, second), leftMs()) : second
}

/** An authorization header that the operator set takes precedence. */
const withBearer = (request: UpstreamRequest, { value }: AccessToken): UpstreamRequest => ({
  ...request,
  headers: { authorization: `Bearer ${value}`, ...request.headers },
})

function waitForToken(
  exchanged: AccessToken | Promise<ExchangeResult>,
  gone: PlainSignal,
  timeout_ms: number,
): ExchangeResult | Promise<ExchangeResult> {
  if (!(exchanged instanceof Promise)) return exchanged
  if (gone.aborted) return NOT_SENT
  return new Promise((resolve) => {
    const finish = (token: ExchangeResult) => {
      clearTimeout(timer)
      gone.forget(listener)
      resolve(token)
    }
    const listener = { onAbort: () => finish(NOT_SENT) }
    const timer = setTimeout(finish, timeout_ms, NO_TOKEN_IN_TIME)
    gone.listen(listener)
    void exchanged.then(finish)
  })
}

const NO_TOKEN_IN_TIME: UpstreamFailure = {
  failure_class: 'timed_out',
  message: 'no access token for the service account in time',
  retry_after_s: undefined,
}

/** The call ended before a request was sent, so the provider is not at fault. */
export const NOT_SENT: UpstreamFailure = {
  failure_class: 'upstream_error',
  message: 'the call ended before an access token was available',
  retry_after_s: undefined,
}
