// The maximum tokens that each model family bills for a medium, with sources.
import type { ImageSize } from './image-header.ts'

export interface MediaFamily {
  /** Returns the maximum tokens of an image. @param size undefined for the largest image */
  image(size: ImageSize | undefined, detail: string | undefined): number
  /** The maximum tokens of a document page as an image. */
  readonly page_tokens: number
  /** Whether the text of a page is billed in addition to its image. */
  readonly bills_page_text: boolean
  readonly audio_tokens_per_s: number
  /** Tokens of one video frame with its timestamp; undefined if the family accepts no videos, or does not document their cost. */
  readonly frame_tokens?: number
}

interface Row extends MediaFamily {
  readonly names: RegExp
}

/** "1 token per 100 ms of audio": https://platform.openai.com/docs/guides/realtime-costs */
const OPENAI_AUDIO_TOKENS_PER_S = 10
/** An encoder like Whisper's has 50 positions per second: arXiv 2212.04356, section 2.2 */
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

/** OpenAI: scaled to fit 2,048 pixels, then the shorter side to 768. https://platform.openai.com/docs/guides/images-vision#calculating-costs */
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

/** OpenAI: patches of 32 pixels, multiplied by a factor. The same guide, "Model sizing behavior" */
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

/** A token for each square of `side` pixels, within a minimum and a maximum. */
const grid = (max_tokens: number, side: number, min_tokens = 0): Vision => ({
  page_tokens: max_tokens,
  image: (size) => (size ? Math.min(max_tokens, Math.max(min_tokens, squares(side, size))) : max_tokens),
})

/** Gemini 2: tiles of 258 tokens, 2/3 of the shorter side (256 to 768 pixels). https://ai.google.dev/gemini-api/docs/image-understanding */
const GEMINI_TILE_TOKENS = 258
const GEMINI_MAX_TILES = 64
function geminiTokens(size: ImageSize | undefined): number {
  if (!size) return GEMINI_MAX_TILES * GEMINI_TILE_TOKENS
  const side = Math.min(768, Math.max(256, Math.floor(Math.min(size.width, size.height) / 1.5)))
  return Math.max(1, squares(side, size)) * GEMINI_TILE_TOKENS
}

/**
 * Pages are billed as images, without their text: https://ai.google.dev/gemini-api/docs/document-processing. Audio:
 * https://ai.google.dev/gemini-api/docs/tokens. The highest resolution of a page has 1,120 tokens, of a frame 280:
 * https://ai.google.dev/gemini-api/docs/media-resolution; a frame's timestamp adds about ten.
 */
const GEMINI = {
  page_tokens: 1_120,
  bills_page_text: false,
  audio_tokens_per_s: 32,
  frame_tokens: 290,
} as const

const AUDIO = { audio_tokens_per_s: OPENAI_AUDIO_TOKENS_PER_S }

/** The first row whose pattern matches applies. */
const ROWS: readonly Row[] = [
  // https://platform.claude.com/docs/en/build-with-claude/vision: squares of 28 pixels (formerly pixels / 750); up to Claude 4.6 at most 1,600.
  // Third-party measurements at ten sizes: https://huggingface.co/datasets/JOHNISKING/image-token-cost
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
  // The dataset above measures a factor of 1.2 for GPT-5.5; the guide's factor is the upper bound.
  family(/(?:^|[/.])gpt-5\.[3-5](?!\d)/, patches(10_000, 1.62), AUDIO),
  // More than 30,000 patches are refused. The factor of 1.2 is the dataset's measurement for GPT-6.
  family(/(?:^|[/.])gpt-(?:5\.|[6-9])/, patches(30_000, 1.2), AUDIO),
  // Together: "1,601 to 6,404 tokens" an image. https://docs.together.ai/docs/vision-overview
  family(/llama/, grid(6_404, 14, 1_601)),
  // Pixtral: 64 rows of 64 patches of 16 pixels, with a row-end token each (arXiv 2410.07073); later models: 28 pixels, at most 1,540.
  family(/pixtral|mistral|ministral|magistral/, grid(4_224, 14)),
  // https://huggingface.co/Qwen/Qwen2-VL-7B-Instruct: "4-16384"; a minimum of 256 is common.
  family(/qwen|qvq/, grid(16_384, 28, 256)),
  // At most six tiles of 448 pixels, and one of the whole image, with 256 tokens each. https://docs.x.ai/docs/models
  family(/grok/, grid(1_792, 1, 1_792)),
]

const most = (count: (row: Row) => number): number => Math.max(...ROWS.map(count))

/** Unknown models count as the most expensive of the known ones. */
const UNKNOWN: MediaFamily = {
  image: (size, detail) => most((row) => row.image(size, detail)),
  page_tokens: most(({ page_tokens }) => page_tokens),
  bills_page_text: true,
  audio_tokens_per_s: MAX_AUDIO_TOKENS_PER_S,
}

/** @param model the name that identifies its generation */
export const familyOf = (model: string): MediaFamily =>
  ROWS.find(({ names }) => names.test(model.toLowerCase())) ?? UNKNOWN
