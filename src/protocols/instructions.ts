// Instructions in a prompt, for models that take no field for them.
import type { Json } from './wire/json.ts'

export const ONLY_JSON =
  'Answer with one valid JSON object and nothing else: no words before or after it, and no code fence around it.'

export const jsonOfSchema = (schema: Json): string =>
  `Answer with JSON that fits this schema and nothing else, without a code fence: ${JSON.stringify(schema)}`

/** Where a field asks for JSON, and the server wants to read the word in a message too. */
export const JSON_WORD = 'Answer with one valid JSON object.'

export const CALL_A_TOOL = 'Answer by calling a tool.'

/** The user's last message, where the model does not continue its own message. */
export const CONTINUE = 'Continue exactly where your message ends.'

/** The user's first message, where a conversation may not begin with the model. */
export const BEGIN = 'Begin.'
