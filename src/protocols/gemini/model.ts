// The differences between generations of Gemini models, as far as their names tell them.
// https://ai.google.dev/gemini-api/docs/thinking

export interface Generation {
  /** `none`: the model does not think, and refuses the setting; `budget`: in tokens; `level`: by effort. */
  readonly thinking: 'none' | 'budget' | 'level'
  /** Tool calls of the current turn must come back with their thoughtSignature. */
  readonly demands_signatures: boolean
  /** A functionResponse may hold media. */
  readonly takes_media_in_results: boolean
  /** It answers with pictures, unless it is told not to. */
  readonly answers_images: boolean
}

const NEWEST = { thinking: 'level', demands_signatures: true, takes_media_in_results: true } as const

/** `gemini-2.5-flash-image`, `gemini-3-pro-image-preview`, `gemini-2.0-flash-preview-image-generation`. */
const FAMILY = 'gemini-'
const DRAWS = /\bimage\b/
const VERSION = /gemini-(\d+)(?:\.(\d+))?/

function drawsByName(model: string): boolean {
  const at = model.indexOf(FAMILY)
  return at >= 0 && DRAWS.test(model.slice(at + FAMILY.length))
}

/** The generation of a model; one without a version in its name (`gemini-flash-latest`) is of the newest generation. */
export function generationOf(model: string): Generation {
  const [, major, minor] = VERSION.exec(model) ?? []
  const answers_images = drawsByName(model)
  if (major === undefined || Number(major) >= 3) return { ...NEWEST, answers_images }
  const thinks = Number(major) === 2 && Number(minor ?? 0) >= 5
  return {
    thinking: thinks ? 'budget' : 'none',
    demands_signatures: false,
    takes_media_in_results: false,
    answers_images,
  }
}
