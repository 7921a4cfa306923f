// The billed usage: the provider's report if it is credible, otherwise an estimate.
import type { TokenPrice } from '../../domain/prices.ts'
import {
  INPUT_FIELDS,
  inFull,
  NO_USAGE,
  OUTPUT_FIELDS,
  outputTokens,
  promptTokens,
  type ReportedUsage,
  USAGE_FIELDS,
  type Usage,
  type UsageField,
} from '../../domain/usage.ts'

/** The most that a call can have used, in tokens. */
export interface UsageBounds {
  input_tokens: number
  output_tokens: number
}

/** The estimate that is charged without a credible report. */
interface UsageEstimate {
  input_tokens: number
  /** Counts the delivered output tokens; called only if they matter. */
  outputTokens(): number
}

/** The usage that a call is charged for, and that its caller sees. */
export interface Billed {
  usage: Usage
  /** True if the provider did not report all of it. */
  estimated: boolean
  doubt?: Doubt | undefined
}

/** A report that is not accepted. */
interface Doubt {
  reported: ReportedUsage
  why: 'it contradicts itself' | 'its input is larger than possible' | 'its output is larger than possible'
}

/** Providers count with their own tokenizers and add their own texts; none reads more than twice its context. */
export const CONTEXT_MARGIN = 2

/** No call has more tokens, even with tools: above this, its cost might exceed a safe integer. */
const MAX_TOKENS = 2 ** 31
export const UNBOUNDED: UsageBounds = { input_tokens: MAX_TOKENS, output_tokens: MAX_TOKENS }

/**
 * Checks a provider's report, in the same way for all protocols (silent.md, Streams whose caller left: "Usage absent is not
 * usage zero"). A report that contradicts itself, or exceeds what was possible, is ignored. Input or output that is not
 * reported is estimated.
 */
export function billUsage(
  price: TokenPrice,
  reported: ReportedUsage | undefined,
  bounds: UsageBounds,
  estimate: UsageEstimate,
): Billed {
  const usage = reported && completeUsage(price, reported)
  const why = usage && doubtOf(usage, bounds)
  if (!reported || !usage || why) {
    const { input_tokens } = estimate
    const billed = { ...NO_USAGE, input_tokens, output_tokens: estimatedOutput(estimate, bounds) }
    return { usage: billed, estimated: true, doubt: reported && why ? { reported, why } : undefined }
  }
  let estimated = false
  if (reported.input_tokens === undefined) {
    for (const field of INPUT_FIELDS) usage[field] = 0
    usage.input_tokens = estimate.input_tokens
    estimated = true
  }
  if (reported.output_tokens === undefined) {
    for (const field of OUTPUT_FIELDS) usage[field] = 0
    // If nothing was delivered, a missing count is not estimated: some providers omit zeros.
    usage.output_tokens = estimatedOutput(estimate, bounds)
    estimated ||= usage.output_tokens > 0
  }
  return { usage, estimated }
}

const estimatedOutput = (estimate: UsageEstimate, bounds: UsageBounds): number =>
  Math.min(estimate.outputTokens(), bounds.output_tokens)

function doubtOf(usage: Usage, bounds: UsageBounds): Doubt['why'] | undefined {
  // NaN also fails this comparison.
  for (const field of USAGE_FIELDS) if (!(usage[field] >= 0)) return 'it contradicts itself'
  if (promptTokens(usage) > Math.min(bounds.input_tokens, MAX_TOKENS))
    return 'its input is larger than possible'
  if (outputTokens(usage) > Math.min(bounds.output_tokens, MAX_TOKENS))
    return 'its output is larger than possible'
  return undefined
}

/**
 * Completes a report: all fields, with zero for missing ones. A part larger than its whole is no contradiction if both have
 * the same price: then only the whole counts. Servers differ in whether reasoning is part of the completion's count.
 */
function completeUsage(price: TokenPrice, reported: ReportedUsage): Usage {
  const usage = inFull(reported)
  if (usage.input_tokens < 0) mergePart(price, usage, 'input_tokens', 'input_audio_tokens')
  if (usage.output_tokens < 0) mergePart(price, usage, 'output_tokens', 'thinking_tokens')
  if (usage.output_tokens < 0) mergePart(price, usage, 'output_tokens', 'output_image_tokens')
  return usage
}

function mergePart({ tiers }: TokenPrice, usage: Usage, rest: UsageField, part: UsageField): void {
  if (!tiers.every(({ rates }) => rates[rest] === rates[part])) return
  usage[rest] += usage[part]
  usage[part] = 0
}
