// Images priced by tokens: their hold, the check of a provider's report, and their charge.
import {
  countedByRate,
  IMAGE_TOKEN_RATES,
  type ImageTokenRate,
  type ImageTokens,
  type ReportedImageTokens,
} from '../../domain/image-tokens.ts'
import { familyOf } from '../../domain/media/families.ts'
import { addProduct, divideRoundingUp, type Nanos, type Whole } from '../../domain/money.ts'
import { type ImageTokenPrice, TOKENS_PER_RATE } from '../../domain/prices.ts'
import { INPUT_IMAGE_TOKENS, OUTPUT_IMAGE_TOKENS } from '../../domain/token-estimate.ts'
import { inFull, NO_USAGE, outputTokens, promptTokens, USAGE_FIELDS, type Usage } from '../../domain/usage.ts'
import type { Charge } from './charge.ts'
import type { Quote } from './quote.ts'

interface ReferenceTokens {
  /** The tokens to hold. */
  readonly most: number
  /** The tokens to charge if the provider reports nothing. */
  readonly usual: number
}

/** OpenAI: 65, plus 129 for each tile of 512 pixels, at most eight. https://platform.openai.com/docs/guides/images-vision#calculating-costs */
const TILES: ReferenceTokens = { most: 65 + 8 * 129, usual: 65 + 4 * 129 }
/** High fidelity adds 4,160 for a square image, 6,240 for any other. The same guide, "GPT Image 1" */
const HIGH_FIDELITY_TOKENS = 6_240
const HIGH: ReferenceTokens = {
  most: TILES.most + HIGH_FIDELITY_TOKENS,
  usual: TILES.usual + HIGH_FIDELITY_TOKENS,
}
/** The number of patches: https://community.openai.com/t/1382940 */
const PATCHES: ReferenceTokens = { most: 1_536, usual: 1_536 }
/** More than any known model uses. */
const UNKNOWN: ReferenceTokens = { most: 8_192, usual: INPUT_IMAGE_TOKENS }

/** @param model the name that identifies its generation @param is_high whether high fidelity is requested */
function tokensOf(model: string, is_high: boolean): ReferenceTokens {
  const name = model.toLowerCase()
  if (/gpt-image-1-mini/.test(name)) return TILES
  // 1, 1.5, and the one that ChatGPT uses.
  if (/gpt-image-1(?!\d)|chatgpt-image/.test(name)) return is_high ? HIGH : TILES
  if (/gpt-image-2(?![.\d])/.test(name)) return PATCHES
  // Gemini's image models read images as its other models do.
  if (/gemini|nano-banana/.test(name))
    return { most: familyOf(name).image(undefined, undefined), usual: INPUT_IMAGE_TOKENS }
  return UNKNOWN
}

/** Returns the tokens of a reference; of several routes the most expensive counts. @param models the names that identify their generations */
export function referenceTokens(models: readonly string[], is_high: boolean): ReferenceTokens {
  const all = models.map((model) => tokensOf(model, is_high))
  return {
    most: Math.max(0, ...all.map(({ most }) => most)),
    usual: Math.max(0, ...all.map(({ usual }) => usual)),
  }
}

/** The facts of a request to an image model that bound its tokens. */
export interface ImageRequestTokens {
  /** Images requested. */
  readonly count: number
  /** The tokens of the text that the model reads. */
  readonly prompt: { readonly bound_tokens: number; readonly estimated_tokens: number }
  /** Images that the model reads, and the tokens of each. */
  readonly references: number
  readonly reference_tokens: ReferenceTokens
  /** The most partial images before the image. */
  readonly partial_images: number
  /** The most tokens of one image of the requested size and quality. */
  readonly max_tokens_per_image: number
  /** Whether that limit is specific to this size or quality: then most images come near it. */
  readonly is_of_shape: boolean
}

/** OpenAI's guide "Image generation", "Partial images cost". */
const PARTIAL_IMAGE_TOKENS = 100
/** The provider adds text to the prompt and to each image: 6 tokens, and up to 41 (community.openai.com/t/1382940). */
const OVERHEAD_TOKENS = 256
const OVERHEAD_TOKENS_PER_REFERENCE = 128

interface Bounds {
  input_tokens: number
  output_tokens: number
}

/** Bounds the tokens. Each image is billed as a separate request that reads the whole input, however many images one request asks for. */
const boundsOf = ({
  count,
  prompt,
  references,
  reference_tokens,
  partial_images,
  max_tokens_per_image,
}: ImageRequestTokens): Bounds => ({
  input_tokens:
    count *
    (prompt.bound_tokens +
      OVERHEAD_TOKENS +
      references * (reference_tokens.most + OVERHEAD_TOKENS_PER_REFERENCE)),
  output_tokens: count * max_tokens_per_image + partial_images * PARTIAL_IMAGE_TOKENS,
})

/** Quotes the most that the call can use as both amounts, since fewer images are of no use. */
export function quoteImageTokens({ rates }: ImageTokenPrice, request: ImageRequestTokens): Quote {
  const bounds = boundsOf(request)
  const input_rate = highest(rates, request.references > 0 ? INPUT_RATES : TEXT_INPUT_RATES)
  const input = addProduct(0, bounds.input_tokens, input_rate)
  const nanos = inNanos(addProduct(input, bounds.output_tokens, highest(rates, OUTPUT_RATES)))
  return { ceiling_nanos: nanos, floor_nanos: nanos }
}

const TEXT_INPUT_RATES = ['input', 'cache_read'] as const
const INPUT_RATES = [...TEXT_INPUT_RATES, 'image_input', 'image_cache_read'] as const
const OUTPUT_RATES = ['output', 'image_output'] as const

const highest = (rates: ImageTokenPrice['rates'], names: readonly ImageTokenRate[]): Nanos =>
  Math.max(...names.map((name) => rates[name]))

const inNanos = (cost: Whole): Nanos =>
  Math.min(Number((BigInt(cost) + TOKENS_PER_RATE - 1n) / TOKENS_PER_RATE), Number.MAX_SAFE_INTEGER)

/** An answer with images: the request to its provider, and the result. */
export interface AnsweredImages {
  readonly request: ImageRequestTokens
  readonly reported: ReportedImageTokens | undefined
  /** Images received, and those of them that were delivered. */
  readonly sent: number
  readonly kept: number
  /** Partial images delivered. */
  readonly partial_images: number
}

export interface BilledImageTokens {
  readonly tokens: ImageTokens
  /** True if the provider did not report all of it. */
  readonly estimated: boolean
  /** Why a report was not accepted. */
  readonly doubt?: string | undefined
}

/**
 * Checks a provider's report, as `billUsage` does for text (silent.md, Streams whose caller left: "Usage absent is not usage
 * zero"). A report without image tokens for an image is incomplete. Images that were received but not delivered are not charged:
 * their part of the output is left out.
 */
export function billImageTokens(answered: AnsweredImages): BilledImageTokens {
  const { request, reported, sent, kept, partial_images } = answered
  const whole = reported && completeReport(reported, request)
  const doubt = whole && doubtOf(whole.tokens, answered)
  if (!reported || !whole || doubt) {
    const tokens = estimateImageTokens(request, kept, partial_images)
    return { tokens, estimated: true, doubt }
  }
  const { tokens } = whole
  const lacks_input = reported.usage.input_tokens === undefined
  const lacks_output = tokens.usage.output_image_tokens === 0
  const estimate =
    lacks_input || lacks_output ? estimateImageTokens(request, sent, partial_images) : undefined
  const billed = estimate ? fillMissing(tokens, estimate, { lacks_input, lacks_output }) : tokens
  return { tokens: keptOf(billed, sent, kept), estimated: estimate !== undefined || whole.estimated }
}

/** Completes all counts. If the report does not separate images from text, tokens beyond the prompt's estimate count as images. */
function completeReport(
  { usage: reported, image_input_tokens, image_cache_read_tokens }: ReportedImageTokens,
  { references, prompt }: ImageRequestTokens,
): { tokens: ImageTokens; estimated: boolean } {
  const usage = inFull(reported)
  const is_split = references === 0 || image_input_tokens !== undefined
  const rest = Math.max(0, usage.input_tokens - prompt.estimated_tokens)
  const tokens = {
    usage,
    image_input_tokens: image_input_tokens ?? (references === 0 ? 0 : rest),
    image_cache_read_tokens: image_cache_read_tokens ?? 0,
  }
  return { tokens, estimated: !is_split }
}

/** Returns why a report is not accepted. Surplus images have more output, which is not charged, since they are not delivered. */
function doubtOf(tokens: ImageTokens, { request, sent }: AnsweredImages): string | undefined {
  const { input_tokens } = boundsOf(request)
  const { output_tokens } = boundsOf({ ...request, count: Math.max(request.count, sent) })
  // NaN also fails this comparison.
  for (const field of USAGE_FIELDS) if (!(tokens.usage[field] >= 0)) return 'it contradicts itself'
  for (const count of Object.values(countedByRate(tokens))) if (!(count >= 0)) return 'it contradicts itself'
  if (request.references === 0 && tokens.image_input_tokens + tokens.image_cache_read_tokens > 0)
    return 'it counts images that were not sent'
  if (promptTokens(tokens.usage) > input_tokens) return 'its input is larger than possible'
  return outputTokens(tokens.usage) > output_tokens ? 'its output is larger than possible' : undefined
}

/**
 * Estimates the tokens of images without a credible report, and of partial images alone.
 *
 * @param partial_images delivered
 */
export function estimateImageTokens(
  { count, prompt, references, reference_tokens, max_tokens_per_image, is_of_shape }: ImageRequestTokens,
  generated: number,
  partial_images: number,
): ImageTokens {
  const requests = Math.max(Math.min(generated, count), 1)
  const of_image = is_of_shape ? max_tokens_per_image : Math.min(OUTPUT_IMAGE_TOKENS, max_tokens_per_image)
  const image_input_tokens = requests * references * reference_tokens.usual
  return {
    usage: {
      ...NO_USAGE,
      input_tokens: requests * prompt.estimated_tokens + image_input_tokens,
      output_image_tokens: generated * of_image + partial_images * PARTIAL_IMAGE_TOKENS,
    },
    image_input_tokens,
    image_cache_read_tokens: 0,
  }
}

interface MissingCounts {
  lacks_input: boolean
  lacks_output: boolean
}

/** Fills missing counts. Output that is not separated belongs to the images: all of it, and at least the estimate of one. */
function fillMissing(
  tokens: ImageTokens,
  estimate: ImageTokens,
  { lacks_input, lacks_output }: MissingCounts,
): ImageTokens {
  const { usage: estimated } = estimate
  const { usage: reported } = tokens
  const output_image_tokens = Math.max(outputTokens(reported), estimated.output_image_tokens)
  const output = lacks_output ? { output_tokens: 0, thinking_tokens: 0, output_image_tokens } : {}
  if (!lacks_input) return { ...tokens, usage: { ...reported, ...output } }
  const { output_tokens, thinking_tokens } = reported
  const reported_output = {
    output_tokens,
    thinking_tokens,
    output_image_tokens: reported.output_image_tokens,
  }
  return { ...estimate, usage: { ...estimated, ...reported_output, ...output } }
}

/** Returns the output of the delivered images, with their total rounded up once. */
function keptOf(tokens: ImageTokens, sent: number, kept: number): ImageTokens {
  if (kept >= sent) return tokens
  const { usage } = tokens
  const part = (count: number) => (count * kept) / sent
  const output_tokens = Math.floor(part(usage.output_tokens))
  const thinking_tokens = Math.floor(part(usage.thinking_tokens))
  const output_image_tokens = Math.ceil(part(outputTokens(usage))) - output_tokens - thinking_tokens
  return { ...tokens, usage: { ...usage, output_tokens, thinking_tokens, output_image_tokens } }
}

/** Sums the tokens of several answers. */
export function sumImageTokens(all: readonly ImageTokens[]): ImageTokens {
  const usage: Usage = { ...NO_USAGE }
  let image_input_tokens = 0
  let image_cache_read_tokens = 0
  for (const tokens of all) {
    for (const field of USAGE_FIELDS) usage[field] += tokens.usage[field]
    image_input_tokens += tokens.image_input_tokens
    image_cache_read_tokens += tokens.image_cache_read_tokens
  }
  return { usage, image_input_tokens, image_cache_read_tokens }
}

/**
 * Returns the charge of images by their tokens: the exact sum of tokens x rate, rounded up once to a nano-dollar.
 *
 * @throws RangeError if a count is not a whole number, or the cost exceeds the safe integers
 */
export function chargeImageTokens({ rates }: ImageTokenPrice, tokens: ImageTokens): Charge {
  const counts = countedByRate(tokens)
  let cost: Whole = 0
  for (const name of IMAGE_TOKEN_RATES) cost = addProduct(cost, counts[name], rates[name])
  const { image_input_tokens, image_cache_read_tokens } = tokens
  const image_tokens = {
    input: image_input_tokens || undefined,
    cache_read: image_cache_read_tokens || undefined,
  }
  return {
    cost_nanos: divideRoundingUp(cost, TOKENS_PER_RATE),
    snapshot: JSON.stringify({
      unit: 'image_token',
      nanos_per_million_tokens: rates,
      ...(image_input_tokens + image_cache_read_tokens > 0 && { image_tokens }),
    }),
    counted: { image_input_tokens, image_cache_read_tokens },
  }
}
