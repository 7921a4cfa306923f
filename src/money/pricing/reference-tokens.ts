// The tokens of an image that an image model reads, by its family, with the sources.
import { familyOf } from '../../domain/media/families.ts'
import { INPUT_IMAGE_TOKENS } from '../../domain/token-estimate.ts'

export interface ReferenceTokens {
  /** The held tokens. */
  readonly most: number
  /** The charged tokens where a provider reports nothing. */
  readonly usual: number
}

/** OpenAI: 65, and 129 for each tile of 512 pixels, of which eight are the most. https://platform.openai.com/docs/guides/images-vision#calculating-costs */
const TILES: ReferenceTokens = { most: 65 + 8 * 129, usual: 65 + 4 * 129 }
/** More for high fidelity: 4,160 of a square, 6,240 of another image. The same guide, "GPT Image 1" */
const HIGH_FIDELITY_TOKENS = 6_240
const HIGH: ReferenceTokens = {
  most: TILES.most + HIGH_FIDELITY_TOKENS,
  usual: TILES.usual + HIGH_FIDELITY_TOKENS,
}
/** As many patches: https://community.openai.com/t/1382940 */
const PATCHES: ReferenceTokens = { most: 1_536, usual: 1_536 }
/** More than any that is known. */
const UNKNOWN: ReferenceTokens = { most: 8_192, usual: INPUT_IMAGE_TOKENS }

/** @param model by the name that tells its generation @param is_high whether high fidelity is asked for */
function tokensOf(model: string, is_high: boolean): ReferenceTokens {
  const name = model.toLowerCase()
  if (/gpt-image-1-mini/.test(name)) return TILES
  // 1, 1.5, and the one that ChatGPT uses.
  if (/gpt-image-1(?!\d)|chatgpt-image/.test(name)) return is_high ? HIGH : TILES
  if (/gpt-image-2(?![.\d])/.test(name)) return PATCHES
  // Image models of Gemini read as its others do.
  if (/gemini|nano-banana/.test(name))
    return { most: familyOf(name).image(undefined, undefined), usual: INPUT_IMAGE_TOKENS }
  return UNKNOWN
}

/** Of several routes the dearest holds. @param models by the names that tell their generations */
export function referenceTokens(models: readonly string[], is_high: boolean): ReferenceTokens {
  const all = models.map((model) => tokensOf(model, is_high))
  return {
    most: Math.max(0, ...all.map(({ most }) => most)),
    usual: Math.max(0, ...all.map(({ usual }) => usual)),
  }
}
