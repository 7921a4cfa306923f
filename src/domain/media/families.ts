// The most tokens that each family of models bills for a medium, with the sources.
import type { ImageSize } from './image-header.ts'

export interface MediaFamily {
  /** The most tokens of an image. @param size undefined: of the largest one */
  image(size: ImageSize | undefined, detail: string | undefined): number
  /** The most tokens of a page's picture. */
  readonly page_tokens: number
  /** The text of a page is billed beside its picture. */
  readonly bills_page_text: boolean
  readonly audio_tokens_per_s: number
  /** Of one frame of a video with its time; undefined where the family takes no videos, or nothing says what they cost. */
  readonly frame_tokens?: number
}

interface Row extends MediaFamily {
  readonly names: RegExp
}

/** "1 token per 100 ms of audio": https://platform.openai.com/docs/guides/realtime-costs */
const OPENAI_AUDIO_TOKENS_PER_S = 10
/** An encoder of Whisper's kind has 50 positions a second: arXiv 2212.04356, section 2.2 */
const MAX_AUDIO_TOKENS_PER_S = 50

type Vision = Pick<Row, 'image' | 'page_tokens'>
const family = (names: RegExp, vision: Vision, more: Partial<Row> = {}): Row => ({
  names,
  bills_page_text: true,
  audio_tokens_per_s: MAX_AUDIO_TOKENS_PER_S,
  ...vision,
  ...more,
})

const TILE_PIXELS = 512
const MAX_TILES = 8

/** OpenAI: fitted into 2,048 pixels, its shorter side scaled to 768. https://platform.openai.com/docs/guides/images-vision#calculating-costs */
function tiles(base: number, per_tile: number): Vision {
  const most = base + MAX_TILES * per_tile
  return {
    page_tokens: most,
    image(size, detail) {
      if (detail === 'low') return base
      if (!size) return most
      const { width, height } = size
      const long = Math.min(2_048, (768 * Math.max(width, height)) / Math.min(width, height))
      return base + 2 * Math.ceil(Math.ceil(long) / TILE_PIXELS) * per_tile
    },
  }
}

const squares = (side: number, { width, height }: ImageSize): number =>
  Math.ceil(width / side) * Math.ceil(height / side)

const LOW_PATCHES = 256
const HIGH_PATCHES = 2_500

/** OpenAI: patches of 32 pixels, times a factor. The same guide, "Model sizing behavior" */
function patches(max_patches: number, factor: number): Vision {
  const high = Math.min(max_patches, HIGH_PATCHES)
  const tokens = (count: number) => Math.ceil(count * factor)
  return {
    page_tokens: tokens(high),
    image(size, detail) {
      if (detail === 'low') return tokens(LOW_PATCHES)
      const most = detail === 'high' ? high : max_patches
      return tokens(size ? Math.min(most, squares(32, size)) : most)
    },
  }
}

/** So many tokens at most, and a token for each square of so many pixels. */
const grid = (max_tokens: number, side: number, min_tokens = 0): Vision => ({
  page_tokens: max_tokens,
  image: (size) => (size ? Math.min(max_tokens, Math.max(min_tokens, squares(side, size))) : max_tokens),
})

/** Gemini 2: tiles of 258 tokens, each two thirds of the shorter side, but of 256 to 768 pixels. https://ai.google.dev/gemini-api/docs/image-understanding */
const GEMINI_TILE_TOKENS = 258
const GEMINI_MAX_TILES = 64
function geminiTokens(size: ImageSize | undefined): number {
  if (!size) return GEMINI_MAX_TILES * GEMINI_TILE_TOKENS
  const side = Math.min(768, Math.max(256, Math.floor(Math.min(size.width, size.height) / 1.5)))
  return Math.max(1, squares(side, size)) * GEMINI_TILE_TOKENS
}

/**
 * Pages are billed as images, their text is not: https://ai.google.dev/gemini-api/docs/document-processing. Audio:
 * https://ai.google.dev/gemini-api/docs/tokens. Resolutions, of which the highest for a page has 1,120 and for a frame 280 tokens:
 * https://ai.google.dev/gemini-api/docs/media-resolution; a frame's time has some ten more.
 */
const GEMINI = {
  page_tokens: 1_120,
  bills_page_text: false,
  audio_tokens_per_s: 32,
  frame_tokens: 290,
} as const

const AUDIO = { audio_tokens_per_s: OPENAI_AUDIO_TOKENS_PER_S }

/** The first row that fits a name holds. */
const ROWS: readonly Row[] = [
  // https://platform.claude.com/docs/en/build-with-claude/vision: 28 pixels a square (a 750th of the pixels before); to Claude 4.6 1,600 at most.
  // Measured by others at ten sizes: https://huggingface.co/datasets/JOHNISKING/image-token-cost
  family(
    /claude-(?:[12]|instant|3|(?:opus|sonnet|haiku)-(?:3|4(?:[-.][0-6])?(?!\d|[-.][7-9](?!\d))))/,
    grid(1_600, 27),
  ),
  family(/claude/, grid(4_784, 27)),
  family(/gemini-[12](?!\d)/, { image: geminiTokens, page_tokens: GEMINI.page_tokens }, GEMINI),
  // ULTRA_HIGH: 2,240
  family(/gemini|nano-banana/, { image: () => 2_240, page_tokens: GEMINI.page_tokens }, GEMINI),
  family(/(?:^|[/.])gpt-4o-mini/, tiles(2_833, 5_667), AUDIO),
  family(/(?:^|[/.])gpt-4\.1-mini/, patches(1_536, 1.62), AUDIO),
  family(/(?:^|[/.])gpt-4\.1-nano/, patches(1_536, 2.46), AUDIO),
  family(/(?:^|[/.])o4-mini/, patches(1_536, 1.72), AUDIO),
  family(/(?:^|[/.])(?:gpt-4|chatgpt-4|gpt-audio|gpt-realtime)/, tiles(85, 170), AUDIO),
  family(/(?:^|[/.])o\d/, tiles(75, 150), AUDIO),
  family(/(?:^|[/.])computer-use/, tiles(65, 129), AUDIO),
  family(/(?:^|[/.])gpt-5[\d.]*-nano/, patches(1_536, 2.46), AUDIO),
  family(/(?:^|[/.])gpt-5(?:[.\d]*-mini|(?:\.[0-3])?-codex|\.2(?!\d))/, patches(1_536, 1.72), AUDIO),
  family(/(?:^|[/.])gpt-5(?:\.1)?(?![.\d])/, tiles(70, 140), AUDIO),
  // The dataset above measures a factor of 1.2 for GPT-5.5; the guide's is the bound.
  family(/(?:^|[/.])gpt-5\.[3-5](?!\d)/, patches(10_000, 1.62), AUDIO),
  // More than 30,000 patches are refused; a factor of 1.2, as the dataset above measures for GPT-6.
  family(/(?:^|[/.])gpt-(?:5\.|[6-9])/, patches(30_000, 1.2), AUDIO),
  // Together: "1,601 to 6,404 tokens" an image. https://docs.together.ai/docs/vision-overview
  family(/llama/, grid(6_404, 14, 1_601)),
  // Pixtral: 64 rows of 64 patches of 16 pixels, with an end each (arXiv 2410.07073); later ones of 28 pixels, 1,540 at most.
  family(/pixtral|mistral|ministral|magistral/, grid(4_224, 14)),
  // https://huggingface.co/Qwen/Qwen2-VL-7B-Instruct: "4-16384"; a least of 256 is common.
  family(/qwen|qvq/, grid(16_384, 28, 256)),
  // Tiles of 448 pixels with 256 tokens, six at most, and one of the whole. https://docs.x.ai/docs/models
  family(/grok/, grid(1_792, 1, 1_792)),
]

const most = (count: (row: Row) => number): number => Math.max(...ROWS.map(count))

/** Models that are not known here bill as the dearest of those that are. */
const UNKNOWN: MediaFamily = {
  image: (size, detail) => most((row) => row.image(size, detail)),
  page_tokens: most(({ page_tokens }) => page_tokens),
  bills_page_text: true,
  audio_tokens_per_s: MAX_AUDIO_TOKENS_PER_S,
}

/** @param model by the name that tells its generation */
export const familyOf = (model: string): MediaFamily =>
  ROWS.find(({ names }) => names.test(model.toLowerCase())) ?? UNKNOWN
