// The differences between generations of Gemini models, decided by their names.
// https://ai.google.dev/gemini-api/docs/thinking

export type Level = 'MINIMAL' | 'LOW' | 'MEDIUM' | 'HIGH'

/** The setting of a model's thinking: none, so that the model refuses one; a token budget; or a level. */
export type Thinks =
  | { readonly by: 'nothing' }
  | { readonly by: 'budget'; readonly min: number; readonly max: number; readonly takes_none: boolean }
  | { readonly by: 'level'; readonly levels: readonly Level[] }

export interface Generation {
  readonly thinks: Thinks
  /** Tool calls of the current turn must come back with their thoughtSignature. */
  readonly demands_signatures: boolean
  /** A functionResponse may contain media. */
  readonly takes_media_in_results: boolean
  /** Functions and JSON may be requested together. https://github.com/googleapis/python-genai/issues/867 */
  readonly takes_functions_with_json: boolean
  /** frequencyPenalty and presencePenalty. https://github.com/google-gemini/cookbook/issues/1290 */
  readonly takes_penalties: boolean
  /** The last content may be the model's own, for the model to continue. https://github.com/pipecat-ai/pipecat/pull/5821 */
  readonly takes_prefill: boolean
  /** The model answers with images by default. */
  readonly answers_images: boolean
}

type Traits = Omit<Generation, 'takes_prefill' | 'answers_images'>

interface Row extends Traits {
  readonly names: RegExp
}

const OLDER = {
  demands_signatures: false,
  takes_media_in_results: false,
  takes_functions_with_json: false,
  takes_penalties: false,
} as const
const NEWER = {
  demands_signatures: true,
  takes_media_in_results: true,
  takes_functions_with_json: true,
  takes_penalties: false,
} as const

const level = (...levels: Level[]): Thinks => ({ by: 'level', levels })
const budget = (min: number, max: number, takes_none = true): Thinks => ({
  by: 'budget',
  min,
  max,
  takes_none,
})

/** The first row whose pattern matches a name applies. */
const ROWS: readonly Row[] = [
  { ...OLDER, names: /gemini-1/, thinks: { by: 'nothing' } },
  { ...OLDER, names: /gemini-2(?:\.[0-4])?(?![.\d])/, thinks: { by: 'nothing' }, takes_penalties: true },
  // https://docs.cloud.google.com/vertex-ai/generative-ai/docs/thinking
  { ...OLDER, names: /gemini-2\.5.*pro/, thinks: budget(128, 32_768, false) },
  { ...OLDER, names: /gemini-2\.5.*flash-lite/, thinks: budget(512, 24_576) },
  { ...OLDER, names: /gemini-2/, thinks: budget(1, 24_576) },
  // https://github.com/maximhq/bifrost/pull/6280
  { ...NEWER, names: /gemini-[\d.]+-flash.*image/, thinks: level('MINIMAL', 'HIGH') },
  // https://github.com/egoist/chatwise-releases/issues/1206
  { ...NEWER, names: /gemini-3(?:\.0)?-pro|gemini-[\d.]+-pro-image/, thinks: level('LOW', 'HIGH') },
  // https://github.com/maximhq/bifrost/issues/7287, https://github.com/bolna-ai/bolna/pull/956
  {
    ...NEWER,
    names: /gemini-(?:3[\d.]*-flash-lite|3(?:\.[0-6])?-flash|flash-lite)/,
    thinks: level('MINIMAL', 'LOW', 'MEDIUM', 'HIGH'),
  },
]

/** https://docs.cloud.google.com/gemini-enterprise-agent-platform/models/guides/gemini-3-8-flash */
const NEWEST: Traits = { ...NEWER, thinks: level('LOW', 'MEDIUM', 'HIGH') }

/** https://github.com/LibreChat-AI/agents/pull/323 */
const TAKES_PREFILL = /gemini-(?:[12](?!\d)|3(?:\.[01])?-|3\.5-flash(?!-lite))/

/** `gemini-2.5-flash-image`, `gemini-3-pro-image-preview`, `gemini-2.0-flash-preview-image-generation`, `gemini-nano-banana-2.1`. */
const FAMILY = 'gemini-'
const IMAGE_NAME = /\bimage\b|\bnano-banana\b/

function isImageModel(model: string): boolean {
  const at = model.indexOf(FAMILY)
  return at >= 0 && IMAGE_NAME.test(model.slice(at + FAMILY.length))
}

/** The generation of a model, by its name. A model without a version (`gemini-flash-latest`) counts as the newest. */
export function generationOf(model: string): Generation {
  const row = ROWS.find(({ names }) => names.test(model)) ?? NEWEST
  return { ...row, takes_prefill: TAKES_PREFILL.test(model), answers_images: isImageModel(model) }
}
