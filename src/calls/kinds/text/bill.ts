// The billed usage of a text call: the reported counts, with missing ones estimated.
import { outputTokens, type ReportedUsage } from '../../../domain/usage.ts'
import { billUsage, UNBOUNDED, type UsageBounds } from '../../../money/pricing/billed-usage.ts'
import type { StreamReading } from '../../../protocols/protocol.ts'
import type { StreamEnding } from '../../../upstream/pump.ts'
import type { Held } from '../../life/call.ts'
import { type BilledCall, reportedIfDifferent } from '../../settling/reported-usage.ts'
import { maxCredibleInput } from './extras.ts'
import type { TextOrder } from './order.ts'
import type { Passage } from './passage.ts'
import { outputLimitOf } from './sending.ts'

/** The most that a provider can report for a call: silent.md, Streams whose caller left: "larger than the model and the request" */
function boundsOf(held: Held<TextOrder>, { protocol: { text }, extras }: Passage): UsageBounds {
  const { model, facts } = held.order
  const input_tokens = maxCredibleInput(model, facts, extras)
  if (input_tokens === undefined) return UNBOUNDED
  const sent = outputLimitOf(held) ?? facts.max_output_tokens
  // Some servers take zero as no limit.
  const limit = sent || (text.requires_limit ? model.max_output_tokens : undefined)
  return { input_tokens, output_tokens: limit === undefined ? input_tokens : limit * facts.candidates }
}

/** @param estimateOutput counts the delivered tokens; called only if no usage was reported */
export function bill(
  held: Held<TextOrder>,
  passage: Passage,
  reported: ReportedUsage | undefined,
  estimateOutput: () => number,
): BilledCall {
  const { price, facts } = held.order
  const estimate = { input_tokens: facts.input_tokens, outputTokens: estimateOutput }
  const billed = billUsage(price, reported, boundsOf(held, passage), estimate)
  const reported_usage = reportedIfDifferent(reported, billed)
  const reported_cost_nanos = reported?.cost_nanos
  return reported_usage || reported_cost_nanos !== undefined
    ? { ...billed, reported_usage, reported_cost_nanos }
    : billed
}

/** Bills a stream. If it did not complete, the provider may not have reported its output. */
export function billStream(
  held: Held<TextOrder>,
  passage: Passage,
  reading: StreamReading,
  ending: StreamEnding = 'completed',
): BilledCall {
  const billed = bill(held, passage, reading.usage(), () => reading.deliveredTokens())
  if (ending === 'completed' || outputTokens(billed.usage) > 0) return billed
  return {
    ...billed,
    usage: {
      ...billed.usage,
      output_tokens: Math.min(reading.deliveredTokens(), boundsOf(held, passage).output_tokens),
    },
    estimated: true,
    reported_usage: reading.usage(),
  }
}

/**
 * Whether a stream is free: it broke before any output, whether the caller was connected or not. A stream that only the caller
 * ended is not free, since the provider has read the input.
 */
export const isFree = (reading: StreamReading, ending: StreamEnding, cause: unknown): boolean =>
  (ending === 'broken' || cause !== undefined) && reading.deliveredTokens() === 0
