// Billed units besides images and the tokens of text models, and the rates that a price may have.

/** Units of one call. The fields are disjoint. */
export interface Units {
  /** Spoken characters (Unicode code points). */
  characters: number
  /** Audio read or generated, in milliseconds. */
  audio_ms: number
  searches: number
  /** Text and images read. */
  input_tokens: number
  input_audio_tokens: number
  /** Text or audio generated. */
  output_tokens: number
}

export type Unit = keyof Units

export const NO_UNITS: Readonly<Units> = Object.freeze({
  characters: 0,
  audio_ms: 0,
  searches: 0,
  input_tokens: 0,
  input_audio_tokens: 0,
  output_tokens: 0,
})

export const UNITS = Object.keys(NO_UNITS) as Unit[]

/** A provider's report, before validation. NaN stands for a value that is no count. */
export type ReportedUnits = { readonly [U in Unit]?: number | undefined }

/** The rates by their names in the catalogue, each with its unit and the number of units per price. */
export const RATES = {
  per_million_characters: { unit: 'characters', per: 1_000_000 },
  per_minute: { unit: 'audio_ms', per: 60_000 },
  per_second: { unit: 'audio_ms', per: 1_000 },
  per_search: { unit: 'searches', per: 1 },
  per_thousand_searches: { unit: 'searches', per: 1_000 },
  input: { unit: 'input_tokens', per: 1_000_000 },
  audio: { unit: 'input_audio_tokens', per: 1_000_000 },
  output: { unit: 'output_tokens', per: 1_000_000 },
} as const satisfies Readonly<Record<string, { unit: Unit; per: number }>>

export type RateName = keyof typeof RATES

/** The rates that the price of each kind of model may have. */
export const RATES_OF_KIND = {
  speech: ['per_million_characters', 'per_minute', 'per_second', 'input', 'output'],
  transcription: ['per_minute', 'per_second', 'input', 'audio', 'output'],
  moderation: ['input'],
  rerank: ['per_search', 'per_thousand_searches', 'input'],
} as const satisfies Readonly<Record<string, readonly RateName[]>>

/** The kinds of models that are priced by units. */
export type UnitKind = keyof typeof RATES_OF_KIND

export const isUnitKind = (kind: string): kind is UnitKind => Object.hasOwn(RATES_OF_KIND, kind)
