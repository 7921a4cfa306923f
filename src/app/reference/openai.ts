// The common parts of chat completions and completions in the API reference.
import {
  ANSWERED_MODEL,
  anyObject,
  asIn,
  CREATED,
  constant,
  count,
  flag,
  list,
  OPENAI,
  object,
  orNull,
  type Schema,
  text,
  USAGE,
} from './schema.ts'

export const stream_options = object(
  { 'include_usage?': flag('Send the usage in a last chunk of its own.') },
  'Only with `stream`.',
)
export const index = count('Which of several answers.')
export const finish_reason = orNull(text('Why it ended: `stop`, `length`, `tool_calls` or `content_filter`.'))
export const completion = (reference: string, kind: string, choice: Schema): Schema =>
  asIn(`${OPENAI}/${reference}`, {
    id: text('The id of the answer.'),
    object: constant(kind),
    created: CREATED,
    model: ANSWERED_MODEL,
    choices: list(choice, 'The answers.'),
    'usage?': orNull(anyObject(USAGE)),
  })
