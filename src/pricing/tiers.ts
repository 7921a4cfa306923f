// The choice of a price's tier by the size of the prompt.
import type { Tier, TokenPrice } from '../domain/prices.ts'

/**
 * The tier that prices a whole request: the last one whose limit the prompt is above. A prompt of exactly the limit
 * still pays the tier below ("prompts <= 200k tokens", ai.google.dev/gemini-api/docs/pricing).
 *
 * @param prompt_tokens all tokens that the model reads, cached or not
 */
export function tierOf(price: TokenPrice, prompt_tokens: number): Tier {
  let chosen = price.tiers[0]
  for (const tier of price.tiers) if (prompt_tokens > tier.above_tokens) chosen = tier
  return chosen
}
