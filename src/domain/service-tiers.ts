// Service tiers of providers, such as faster or deferred processing, by the providers' names.

/** The tier of calls that request none, which the model's price itself is for. */
export const STANDARD_TIER = 'standard'

/**
 * OpenAI and Groq: https://platform.openai.com/docs/api-reference/chat/create, https://console.groq.com/docs/service-tiers;
 * Anthropic: https://platform.claude.com/docs/en/api/service-tiers; Gemini: https://ai.google.dev/gemini-api/docs/priority-inference.
 */
const STANDARD_NAMES: ReadonlySet<string> = new Set([STANDARD_TIER, 'default', 'standard_only', 'on_demand'])
/** Values by which the provider chooses the tier, and reports it in its answer. */
const UNDECIDED_NAMES: ReadonlySet<string> = new Set(['auto', 'unspecified'])

/** A requested service tier other than the standard one. */
export interface RequestedTier {
  readonly name: string
  /** The field, as the caller wrote it; for messages. */
  readonly at: string
}

/**
 * Returns the tier that a value names, in any spelling (`PRIORITY`, `SERVICE_TIER_PRIORITY`).
 *
 * @returns undefined if the value leaves the choice to the provider, or is no string
 */
export function tierNamed(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const name = value.toLowerCase().replace(/^service_tier_/, '')
  if (STANDARD_NAMES.has(name)) return STANDARD_TIER
  return UNDECIDED_NAMES.has(name) ? undefined : name
}

/** Whether a name can be a tier with its own price, such as `priority` or `flex`. */
export const isTierName = (name: string): boolean =>
  /^[a-z][a-z0-9_-]*$/.test(name) && tierNamed(name) === name && name !== STANDARD_TIER
