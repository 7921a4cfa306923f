// The rate that all image calls share, whichever surface they come by: how a call is counted, and what its caller is told of it.
import type { ImageRate, RateState } from '../../access/image-rate.ts'
import { rateLimited } from '../../domain/errors.ts'
import type { Admitted } from '../admission.ts'

/** Told once a call is counted, for the headers of whatever is answered. */
export type OnRate = (state: RateState) => void

/** Counts a call. @throws GatewayError rate_limited */
export function countCall(
  rate: ImageRate,
  { caller }: Pick<Admitted, 'caller'>,
  onRate: OnRate = () => undefined,
): void {
  const state = rate.take(caller.account.id)
  onRate(state)
  if (state.admitted) return
  throw rateLimited(
    `The limit of ${state.limit} image requests in 60 seconds is reached. Retry after ${state.resets_in_s} s.`,
    { retry_after_s: state.resets_in_s },
  )
}

/** As OpenAI names them: https://platform.openai.com/docs/guides/rate-limits#rate-limits-in-headers */
export const rateHeaders = ({ limit, remaining, resets_in_s }: RateState): Record<string, string> => ({
  'x-ratelimit-limit-requests': String(limit),
  'x-ratelimit-remaining-requests': String(remaining),
  'x-ratelimit-reset-requests': `${resets_in_s}s`,
})
