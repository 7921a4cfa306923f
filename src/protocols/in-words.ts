// What a model is asked for in words, where it takes no field for it.
import type { Json } from './wire/json.ts'

export const ONLY_JSON =
  'Answer with one valid JSON object and nothing else: no words before or after it, and no code fence around it.'

export const jsonOfSchema = (schema: Json): string =>
  `Answer with JSON that fits this schema and nothing else, without a code fence: ${JSON.stringify(schema)}`

export const CALL_A_TOOL = 'Answer by calling a tool.'

/** Of a user's turn after the model's own, where that cannot be the last one. */
export const CONTINUE = 'Continue exactly where your message ends.'

/** Of a user's turn before all others, where that must be the first one. */
export const BEGIN = 'Begin.'
