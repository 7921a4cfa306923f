// The rate limit that all image calls of an account share, from every surface: counting, and its headers.
import type { Rate, RateState } from '../../../domain/call-limits.ts'
import { rateLimited } from '../../../domain/errors.ts'
import type { Admitted } from '../../life/call.ts'
import type { CallParts } from '../../parts.ts'

/** Called after a call is counted, for the headers of every answer. */
export type OnRate = (state: RateState) => void

/**
 * Counts a call. A call that may repeat an answered one is counted only once it is known not to (silent.md, Images:
 * "A replay of a kept answer does not count").
 * @throws GatewayError rate_limited
 */
export async function countCall(
  parts: Pick<CallParts, 'idempotency' | 'catalogue'>,
  rate: Rate,
  admitted: Admitted,
  onRate: OnRate = () => undefined,
): Promise<void> {
  const { caller, origin } = admitted
  if (!(await parts.idempotency.mayRepeat(caller.account.id, origin.request))) {
    await countNow(parts, rate, admitted, onRate)
    return
  }
  onRate(await rate.look(caller.account.id, limitOf(parts)))
  let counted = false
  admitted.count_later = async () => {
    if (counted) return
    counted = true
    await countNow(parts, rate, admitted, onRate)
  }
}

/** Counts a call that cannot be answered from a kept answer. @throws GatewayError rate_limited */
async function countNow(
  parts: Pick<CallParts, 'catalogue'>,
  rate: Rate,
  { caller }: Pick<Admitted, 'caller'>,
  onRate: OnRate = () => undefined,
): Promise<void> {
  const state = await rate.take(caller.account.id, limitOf(parts))
  onRate(state)
  if (state.admitted) return
  throw rateLimited(
    `The limit of ${state.limit} image requests in 60 seconds is reached. Retry after ${state.resets_in_s} s.`,
    { retry_after_s: state.resets_in_s },
  )
}

const limitOf = ({ catalogue }: Pick<CallParts, 'catalogue'>): number => catalogue().limits.images_per_minute

/** Headers named as OpenAI's: https://platform.openai.com/docs/guides/rate-limits#rate-limits-in-headers */
export const rateHeaders = ({ limit, remaining, resets_in_s }: RateState): Record<string, string> => ({
  'x-ratelimit-limit-requests': String(limit),
  'x-ratelimit-remaining-requests': String(remaining),
  'x-ratelimit-reset-requests': `${resets_in_s}s`,
})
