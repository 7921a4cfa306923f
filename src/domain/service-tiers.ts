// Service tiers: the speed or patience at which a provider serves a call, by the names that providers have for them.

/** The tier of calls that ask for none: the price itself is its price. */
export const STANDARD_TIER = 'standard'

/**
 * OpenAI and Groq: https://platform.openai.com/docs/api-reference/chat/create, https://console.groq.com/docs/service-tiers;
 * Anthropic: https://platform.claude.com/docs/en/api/service-tiers; Gemini: https://ai.google.dev/gemini-api/docs/priority-inference.
 */
const STANDARD_NAMES: ReadonlySet<string> = new Set([STANDARD_TIER, 'default', 'standard_only', 'on_demand'])
/** The provider chooses, and tells in its answer. */
const UNDECIDED_NAMES: ReadonlySet<string> = new Set(['auto', 'unspecified'])

/** A service tier that a request asks for, other than the standard one. */
export interface RequestedTier {
  readonly name: string
  /** The field, as the caller wrote it; for messages. */
  readonly at: string
}

/**
 * The tier that a value names, whatever its spelling (`PRIORITY`, `SERVICE_TIER_PRIORITY`).
 *
 * @returns undefined where the value leaves the choice to the provider, or is no text
 */
export function tierNamed(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const name = value.toLowerCase().replace(/^service_tier_/, '')
  if (STANDARD_NAMES.has(name)) return STANDARD_TIER
  return UNDECIDED_NAMES.has(name) ? undefined : name
}

/** Whether a name can be a tier with a price of its own: providers write them as `priority` or `flex`. */
export const isTierName = (name: string): boolean =>
  /^[a-z][a-z0-9_-]*$/.test(name) && tierNamed(name) === name && name !== STANDARD_TIER
