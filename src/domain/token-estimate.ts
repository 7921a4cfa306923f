// Token estimates, for quotes before a call and for streams that end without usage.

/**
 * Input tokens of one image of unknown size. Providers differ: Gemini counts 258 for each tile of 768 pixels
 * (ai.google.dev/gemini-api/docs/tokens), Anthropic width x height / 750 after scaling down, about 1,600 at most
 * (docs.anthropic.com, Vision). This is the larger value, since a quote should be too high rather than too low.
 */
export const INPUT_IMAGE_TOKENS = 1_600

/** Output tokens of one image of 1024x1024 (ai.google.dev/gemini-api/docs/pricing, gemini-2.5-flash-image). */
export const OUTPUT_IMAGE_TOKENS = 1_290

/**
 * Estimates the tokens of a text from its length in UTF-16 units and in UTF-8 bytes. Both are counted natively, since
 * this runs over every whole prompt. The weights make ASCII four characters per token, three-byte scripts
 * (Chinese, Japanese, Korean, most of India's) one token per character, two-byte scripts (Cyrillic, Greek, Arabic,
 * Hebrew) five tokens per eight characters, and an emoji one and a quarter tokens.
 *
 * @returns whole tokens, rounded up; 0 only for the empty text
 */
export function estimateTokens(text: string): number {
  return Math.ceil((3 * Buffer.byteLength(text) - text.length) / 8)
}
