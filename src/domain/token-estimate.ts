// Owns estimates of tokens, for quotes before a call and for streams that end without a usage.

/**
 * Tokens that one image of unknown size is read as. Vendors differ: Gemini takes 258 for each tile of 768 pixels
 * (ai.google.dev/gemini-api/docs/tokens), Anthropic width x height / 750 after scaling down, about 1,600 at most
 * (docs.anthropic.com, Vision). The larger is taken: a quote should rather be high.
 */
export const INPUT_IMAGE_TOKENS = 1_600

/** Tokens that one written image of 1024x1024 counts as (ai.google.dev/gemini-api/docs/pricing, gemini-2.5-flash-image). */
export const OUTPUT_IMAGE_TOKENS = 1_290

/**
 * Estimates the tokens of a text from its length in UTF-16 units and in UTF-8 bytes, both counted natively, since this
 * runs over the whole of every prompt. The weights are such that ASCII counts as four characters a token, three-byte
 * scripts (Chinese, Japanese, Korean, most of India's) as one token a character, two-byte scripts (Cyrillic, Greek,
 * Arabic, Hebrew) as five tokens to eight characters, and an emoji as one and a quarter.
 *
 * @returns whole tokens, rounded up; 0 for the empty text only
 */
export function estimateTokens(text: string): number {
  return Math.ceil((3 * Buffer.byteLength(text) - text.length) / 8)
}
