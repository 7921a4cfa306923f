// An attempt with the token that stands for its key; once more with another token, where the provider refuses the first.
import type { UpstreamFailure } from '../../protocols/facts.ts'
import type { PlainSignal } from '../../utilities/plain-signal.ts'
import type { UpstreamRequest } from '../transport.ts'
import { type AccessToken, type Exchanged, isToken } from './exchange.ts'
import type { Tokens } from './tokens.ts'

interface Bearing {
  tokens: Tokens
  /** A service account. */
  api_key: string
  /** Ends the wait for a token; its exchange goes on for others. */
  gone: PlainSignal
  /** Of the attempt, with all that it waits for. */
  timeout_ms: number
  /** Called with the failure after which another token is fetched. */
  onRefused(failure: UpstreamFailure): void
}

/** For an attempt whose key is a service account. @param send sends the request with its token, in the time that is left */
export async function sendWithToken<A extends object>(
  request: UpstreamRequest,
  { tokens, api_key, gone, timeout_ms, onRefused }: Bearing,
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

/** A header of the operator's own stays. */
const withBearer = (request: UpstreamRequest, { value }: AccessToken): UpstreamRequest => ({
  ...request,
  headers: { authorization: `Bearer ${value}`, ...request.headers },
})

function waitForToken(
  exchanged: AccessToken | Promise<Exchanged>,
  gone: PlainSignal,
  timeout_ms: number,
): Exchanged | Promise<Exchanged> {
  if (!(exchanged instanceof Promise)) return exchanged
  if (gone.aborted) return NOT_SENT
  return new Promise((resolve) => {
    const finish = (token: Exchanged) => {
      clearTimeout(timer)
      gone.forget(leaving)
      resolve(token)
    }
    const leaving = { onAbort: () => finish(NOT_SENT) }
    const timer = setTimeout(finish, timeout_ms, NO_TOKEN_IN_TIME)
    gone.listen(leaving)
    void exchanged.then(finish)
  })
}

const NO_TOKEN_IN_TIME: UpstreamFailure = {
  failure_class: 'timed_out',
  message: 'no access token for the service account in time',
  retry_after_s: undefined,
}

/** Not the provider's fault: no request was sent. */
export const NOT_SENT: UpstreamFailure = {
  failure_class: 'upstream_error',
  message: 'the call ended before there was an access token',
  retry_after_s: undefined,
}
