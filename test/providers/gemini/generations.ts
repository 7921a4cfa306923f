// The generations of Gemini models, recognized by Google's model names.
// https://ai.google.dev/gemini-api/docs/thinking, https://ai.google.dev/gemini-api/docs/gemini-3

/** The features of a model generation. */
export interface Generation {
  /** The accepted budgets of thinking, besides -1; undefined if any is accepted. */
  readonly budget: { readonly min: number; readonly max: number; readonly takes_none: boolean } | undefined
  /** The accepted levels of thinking; empty if the field is refused. */
  readonly levels: readonly string[]
  /** Whether the last content may be the model's own. */
  readonly takes_prefill: boolean
  /** Whether frequencyPenalty and presencePenalty may be other than 0. */
  readonly takes_penalties: boolean
  /** Function calls of the current turn come back with their signature. */
  readonly demands_signatures: boolean
  /** Whether a request may have functions and JSON output together. */
  readonly takes_functions_with_json: boolean
}

const OLDER = {
  levels: [],
  takes_penalties: false,
  demands_signatures: false,
  takes_functions_with_json: false,
} as const
const NEWER = {
  budget: undefined,
  takes_penalties: false,
  demands_signatures: true,
  takes_functions_with_json: true,
} as const

const LOW_TO_HIGH = ['LOW', 'MEDIUM', 'HIGH']

const TAKES_PREFILL = /^gemini-(?:[12](?![\d])|3(?:\.[01])?-|3\.5-flash(?!-lite))/

type Row = Omit<Generation, 'takes_prefill'> & { readonly names: RegExp }

/** The first row that fits a name holds. */
const ROWS: readonly Row[] = [
  { names: /^gemini-[3-9][\d.]*-flash.*-image/, ...NEWER, levels: ['MINIMAL', 'HIGH'] },
  { names: /^gemini-3(?:\.0)?-pro|^gemini-[3-9][\d.]*-pro-image/, ...NEWER, levels: ['LOW', 'HIGH'] },
  {
    names: /^gemini-(?:3[\d.]*-flash-lite|3(?:\.[0-6])?-flash)/,
    ...NEWER,
    levels: ['MINIMAL', ...LOW_TO_HIGH],
  },
  { names: /^gemini-[3-9]/, ...NEWER, levels: LOW_TO_HIGH },
  { names: /^gemini-2\.5-pro/, ...OLDER, budget: { min: 128, max: 32_768, takes_none: false } },
  { names: /^gemini-2\.5-flash-lite/, ...OLDER, budget: { min: 512, max: 24_576, takes_none: true } },
  { names: /^gemini-2\.5/, ...OLDER, budget: { min: 1, max: 24_576, takes_none: true } },
  { names: /^gemini-2/, ...OLDER, takes_penalties: true, budget: undefined },
  { names: /^gemini-1/, ...OLDER, budget: undefined },
]

/** The generation of a model; undefined for a name that is not Google's. */
export function generationOf(model: string): Generation | undefined {
  const row = ROWS.find(({ names }) => names.test(model))
  return row && { ...row, takes_prefill: TAKES_PREFILL.test(model) }
}
