// The line in the log for a usage that was reported and not believed.
import type { Billed } from '../pricing/billed-usage.ts'
import type { Attempt } from '../upstream/routes.ts'
import type { Held } from './paid-kind.ts'
import type { ExchangeParts } from './parts.ts'

/** Told once for each call. Counts that are no numbers are null. */
export function reportDoubt(
  { log }: Pick<ExchangeParts, 'log'>,
  held: Held,
  attempt: Attempt,
  billed: Billed,
): void {
  if (!billed.doubt) return
  const { request_id } = held.origin
  const { reported, why } = billed.doubt
  const { usage: charged } = billed
  log.warn(
    { request_id, model: held.order.model.id, provider: attempt.provider.name, why, reported, charged },
    'a reported usage was not believed; charged by estimate',
  )
}
