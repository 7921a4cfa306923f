// Owns what is known of the models behind OpenAI's images API: the sizes that they make, and the fields that they take.
import { nearestShape, type Sides } from '../images.ts'

/** What one family of models can be told. */
export interface ImageFamily {
  most_per_request: number
  /** The size to ask for, undefined to leave it to the model. */
  sizeFor(wished: Sides): Sides | undefined
  /** Whether quality, background and output format can be said. GPT image models always answer in base64. */
  speaks_gpt: boolean
}

/** https://platform.openai.com/docs/api-reference/images/create, `size`: what each GPT image model makes. */
const STANDARD: readonly [Sides, ...Sides[]] = [
  { width: 1_024, height: 1_024 },
  { width: 1_536, height: 1_024 },
  { width: 1_024, height: 1_536 },
]

/** The same, for gpt-image-2 and later: any size in these bounds. */
const STEP = 16
const MAX_STRETCHED = 3
const MAX_PIXELS = 3_840 * 2_160
const MIN_PIXELS = 1_024 * 640

const isFree = ({ width, height }: Sides): boolean =>
  width % STEP === 0 &&
  height % STEP === 0 &&
  Math.max(width, height) <= MAX_STRETCHED * Math.min(width, height) &&
  width * height <= MAX_PIXELS &&
  width * height >= MIN_PIXELS

const standard = (wished: Sides): Sides => nearestShape(wished, STANDARD)

const FAMILIES: readonly (readonly [pattern: RegExp, family: ImageFamily])[] = [
  [
    /^gpt-image-[2-9]/,
    {
      most_per_request: 10,
      sizeFor: (wished) => (isFree(wished) ? wished : standard(wished)),
      speaks_gpt: true,
    },
  ],
  [/^(?:chat)?gpt-image/, { most_per_request: 10, sizeFor: standard, speaks_gpt: true }],
]

/** A server that speaks as OpenAI did before its GPT image models: it is asked for base64, and for the size itself. */
const OTHER: ImageFamily = { most_per_request: 1, sizeFor: (wished) => wished, speaks_gpt: false }

/** @param model the provider's own id of the model */
export const familyOf = (model: string): ImageFamily =>
  FAMILIES.find(([pattern]) => pattern.test(model))?.[1] ?? OTHER
