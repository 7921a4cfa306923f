// The models of OpenAI's images API: the sizes that they generate, and the fields that they accept.

import { generationName, type NamedModel } from '../canonical/request.ts'
import { type ImageTraits, nearestShape, PLAIN_TRAITS, type Sides } from '../images.ts'

/** The settings of one family of models. */
interface ImageFamily {
  max_per_request: number
  /** The size to request; undefined to leave it to the model. */
  sizeFor(desired: Sides): Sides | undefined
  /** Whether the models accept quality, background and output_format. These models always answer in base64. */
  takes_gpt_fields: boolean
  traits: ImageTraits
}

/** https://platform.openai.com/docs/api-reference/images/create, `size`: the sizes of every GPT image model. */
const STANDARD: readonly [Sides, ...Sides[]] = [
  { width: 1_024, height: 1_024 },
  { width: 1_536, height: 1_024 },
  { width: 1_024, height: 1_536 },
]

/** gpt-image-2 and later generate any size within these bounds. */
const STEP = 16
const MAX_RATIO = 3
const MAX_PIXELS = 3_840 * 2_160
const MIN_PIXELS = 1_024 * 640

const isWithinBounds = ({ width, height }: Sides): boolean =>
  width % STEP === 0 &&
  height % STEP === 0 &&
  Math.max(width, height) <= MAX_RATIO * Math.min(width, height) &&
  width * height <= MAX_PIXELS &&
  width * height >= MIN_PIXELS

const standard = (desired: Sides): Sides => nearestShape(desired, STANDARD)

const gptFamily = (sizeFor: (desired: Sides) => Sides, traits: Partial<ImageTraits>): ImageFamily => ({
  max_per_request: 10,
  sizeFor,
  takes_gpt_fields: true,
  traits: {
    mask: true,
    input_fidelity: [],
    moderation: true,
    output_compression: true,
    partial_images: true,
    quality: true,
    qualities: [],
    ...traits,
  },
})

const anyWithin = (desired: Sides): Sides => (isWithinBounds(desired) ? desired : standard(desired))

/**
 * https://platform.openai.com/docs/api-reference/images/createEdit: gpt-image-2 and later accept no `input_fidelity`; since 2.5 they
 * accept `quality` xhigh and max (openai's resources/images.d.ts).
 */
const FAMILIES: readonly (readonly [pattern: RegExp, family: ImageFamily])[] = [
  [/^gpt-image-(?:2\.[5-9]|[3-9])/, gptFamily(anyWithin, { qualities: ['xhigh', 'max'] })],
  [/^gpt-image-2/, gptFamily(anyWithin, {})],
  [/^gpt-image-1-mini/, gptFamily(standard, { input_fidelity: ['low'] })],
  [/^(?:chat)?gpt-image/, gptFamily(standard, { input_fidelity: ['high', 'low'] })],
]

/** Servers of the API before the GPT image models: they need `response_format`, and the exact size. */
const OTHER: ImageFamily = {
  max_per_request: 1,
  sizeFor: (desired) => desired,
  takes_gpt_fields: false,
  traits: { ...PLAIN_TRAITS, mask: true },
}

export function familyOf(model: NamedModel): ImageFamily {
  const name = generationName(model)
  return FAMILIES.find(([pattern]) => pattern.test(name))?.[1] ?? OTHER
}
