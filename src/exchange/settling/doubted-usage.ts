// The line in the log for a usage that was reported and not believed.
import type { Attempt } from '../../upstream/routes.ts'
import type { Held } from '../life/call.ts'
import type { ExchangeParts } from '../parts.ts'

/** Told once for each call. Counts that are no numbers are null. @param charged in place of what was reported */
export function reportDoubt(
  { log }: Pick<ExchangeParts, 'log'>,
  held: Held,
  attempt: Attempt,
  doubt: { reported: unknown; why: string } | undefined,
  charged: unknown,
): void {
  if (!doubt) return
  const { request_id } = held.origin
  const { reported, why } = doubt
  log.warn(
    { request_id, model: held.order.model.id, provider: attempt.provider.name, why, reported, charged },
    'a reported usage was not believed; charged by estimate',
  )
}
