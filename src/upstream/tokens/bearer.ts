// An attempt with the token that stands for its key; once more with another token, where the provider refuses the first.
import type { UpstreamFailure } from '../../protocols/facts.ts'
import type { UpstreamRequest } from '../transport.ts'
import { type AccessToken, type Exchanged, isToken } from './exchange.ts'
import type { Tokens } from './tokens.ts'

export interface Bearing {
  tokens: Tokens
  /** A service account. */
  api_key: string
  /** Each ends the wait for a token; its exchange goes on for others. */
  ends: readonly AbortSignal[]
  /** Told of the failure for which another token is got. */
  onRefused(failure: UpstreamFailure): void
}

/** For an attempt whose key is a service account. @param send sends the request as it is given */
export async function sendWithToken<A extends object>(
  request: UpstreamRequest,
  { tokens, api_key, ends, onRefused }: Bearing,
  send: (request: UpstreamRequest) => Promise<A | UpstreamFailure>,
): Promise<A | UpstreamFailure> {
  const first = await gotten(tokens.of(api_key), ends)
  if (!isToken(first)) return first
  const result = await send(withBearer(request, first))
  if (!('failure_class' in result) || !result.is_unauthorized) return result
  tokens.refused(api_key, first)
  onRefused(result)
  const second = await gotten(tokens.of(api_key), ends)
  return isToken(second) ? send(withBearer(request, second)) : second
}

/** A header of the operator's own stays. */
const withBearer = (request: UpstreamRequest, { value }: AccessToken): UpstreamRequest => ({
  ...request,
  headers: { authorization: `Bearer ${value}`, ...request.headers },
})

function gotten(
  exchanged: AccessToken | Promise<Exchanged>,
  ends: readonly AbortSignal[],
): Exchanged | Promise<Exchanged> {
  if (!(exchanged instanceof Promise)) return exchanged
  const ended = AbortSignal.any([...ends])
  if (ended.aborted) return NOT_SENT
  return new Promise((resolve) => {
    const end = () => resolve(NOT_SENT)
    ended.addEventListener('abort', end, { once: true })
    void exchanged.then((token) => {
      ended.removeEventListener('abort', end)
      resolve(token)
    })
  })
}

/** No fault of the provider's, which was asked nothing. */
export const NOT_SENT: UpstreamFailure = {
  failure_class: 'upstream_error',
  message: 'the call ended before there was an access token',
  retry_after_s: undefined,
}
