// What a text call is charged for: the usage as reported, or what is missing of it estimated.
import { type Billed, billedUsage, NO_USAGE, outputTokens, type Usage } from '../../domain/usage.ts'
import type { RequestFacts } from '../../protocols/facts.ts'
import type { StreamReading } from '../../protocols/protocol.ts'
import type { StreamEnding } from '../../upstream/pump.ts'

/** @param estimateOutput what was delivered, in tokens; asked only where no usage was reported */
export function bill(
  { input_tokens }: RequestFacts,
  reported: Usage | undefined,
  estimateOutput: () => number,
): Billed {
  return billedUsage(reported, () => ({ ...NO_USAGE, input_tokens, output_tokens: estimateOutput() }))
}

/** The same for a stream. One that did not come to its end may not have reported its output. */
export function billStream(
  facts: RequestFacts,
  reading: StreamReading,
  ending: StreamEnding = 'completed',
): Billed {
  const billed = bill(facts, reading.usage(), () => reading.deliveredTokens())
  if (ending === 'completed' || outputTokens(billed.usage) > 0) return billed
  return { usage: { ...billed.usage, output_tokens: reading.deliveredTokens() }, estimated: true }
}

/**
 * Whether a stream is free: it broke before anything came, whether its caller was still there or not. One that was only
 * left is not, since its provider has read the input.
 */
export const isFree = (reading: StreamReading, ending: StreamEnding, cause: unknown): boolean =>
  (ending === 'broken' || cause !== undefined) && reading.deliveredTokens() === 0
