// The differences between generations of Gemini models, as far as their names tell them.
// https://ai.google.dev/gemini-api/docs/thinking

export interface Generation {
  /** `none`: the model does not think, and refuses the setting; `budget`: in tokens; `level`: by effort. */
  readonly thinking: 'none' | 'budget' | 'level'
  /** Tool calls of the current turn must come back with their thoughtSignature. */
  readonly demands_signatures: boolean
  /** A functionResponse may hold media. */
  readonly takes_media_in_results: boolean
}

const NEWEST: Generation = { thinking: 'level', demands_signatures: true, takes_media_in_results: true }

const VERSION = /gemini-(\d+)(?:\.(\d+))?/

/** The generation of a model; one without a version in its name (`gemini-flash-latest`) is of the newest generation. */
export function generationOf(model: string): Generation {
  const [, major, minor] = VERSION.exec(model) ?? []
  if (major === undefined || Number(major) >= 3) return NEWEST
  const thinks = Number(major) === 2 && Number(minor ?? 0) >= 5
  return { thinking: thinks ? 'budget' : 'none', demands_signatures: false, takes_media_in_results: false }
}
