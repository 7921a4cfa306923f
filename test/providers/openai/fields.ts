// Rules of OpenAI's own servers on single fields: unknown ones, lengths, letters, and values that need another field.
import { type Refusal, refusal } from '../dialect.ts'
import { type JsonObject, listOf, objectOf, textOf } from '../json.ts'
import { firstOf, type Rule } from '../rule.ts'
import { callsOf, messagesOf } from './messages.ts'

/** ChatCompletionCreateParams of the package `openai`, 7.55. */
const FIELDS = new Set(
  `messages model audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens
  metadata modalities moderation n parallel_tool_calls prediction presence_penalty prompt_cache_key prompt_cache_options
  prompt_cache_retention reasoning_effort response_format safety_identifier seed service_tier stop store stream
  stream_options temperature tool_choice tools top_logprobs top_p user verbosity web_search_options`.split(
    /\s+/,
  ),
)

const MAX_NAME_CHARS = 64
const MAX_CALL_ID_CHARS = 64
const NAME = '^[a-zA-Z0-9_-]+$'

/** The refusal of a text that is too long; undefined if it is not. */
export function tooLong(field: string, value: unknown, max_chars: number): Refusal | undefined {
  const { length } = textOf(value)
  if (length <= max_chars) return undefined
  return refusal(
    field,
    `Invalid '${field}': string too long. Expected a string with maximum length ${max_chars}, but got a string with length ${length} instead.`,
    'string_above_max_length',
  )
}

/** The refusal of a field that the API does not have. */
export const unknownParameter = (field: string): Refusal =>
  refusal(field, `Unknown parameter: '${field}'.`, 'unknown_parameter')

/** The rule that a name of a tool is not longer than the API allows. */
export const nameLength: Rule = {
  name: 'openai: length of tool names',
  source:
    'openai 7.55 resources/shared.d.ts FunctionDefinition.name, https://github.com/mrexodia/ida-pro-mcp/issues/129',
  find: ({ body }) =>
    firstOf(namesOf(body), (name, at) => tooLong(`tools[${at}].function.name`, name, MAX_NAME_CHARS)),
}

const namesOf = ({ tools }: JsonObject): string[] =>
  listOf(tools).map((tool) => textOf(objectOf(objectOf(tool).function).name))

export const FIELD_RULES: readonly Rule[] = [
  {
    name: 'openai: unknown field',
    source:
      'https://github.com/64bit/async-openai/issues/386, https://github.com/teabranch/open-responses-server/issues/41',
    find({ body }) {
      const unknown = Object.keys(body).find((name) => !FIELDS.has(name))
      return unknown === undefined ? undefined : unknownParameter(unknown)
    },
  },
  {
    name: 'openai: length of user',
    source: 'https://github.com/maximhq/bifrost/pull/1000',
    find: ({ body }) => tooLong('user', body.user, 64),
  },
  {
    name: 'openai: length of safety_identifier',
    source:
      'openai 7.55 resources/chat/completions/completions.d.ts ChatCompletionCreateParamsBase.safety_identifier',
    find: ({ body }) => tooLong('safety_identifier', body.safety_identifier, 128),
  },
  nameLength,
  {
    name: 'openai: letters of tool names',
    source:
      'https://github.com/nanbingxyz/5ire/issues/33, https://github.com/hackers365/xiaozhi-esp32-server-golang/issues/268',
    find: ({ body }) =>
      firstOf(namesOf(body), (name, at) =>
        new RegExp(NAME).test(name)
          ? undefined
          : refusal(
              `tools[${at}].function.name`,
              `Invalid 'tools[${at}].function.name': string does not match pattern. Expected a string that matches the pattern '${NAME}'.`,
              'invalid_value',
            ),
      ),
  },
  {
    // 40 in threads of 2025; 64 in those of 2026, and for the Responses API.
    name: 'openai: length of tool call ids',
    source:
      'https://github.com/openclaw/openclaw/pull/875, https://github.com/vercel/ai/issues/8132, https://github.com/orchidfiles/ungate/issues/26',
    find: ({ body }) =>
      firstOf(messagesOf(body), (message, at) =>
        firstOf(callsOf(message), ({ id }, nth) =>
          tooLong(`messages[${at}].tool_calls[${nth}].id`, id, MAX_CALL_ID_CHARS),
        ),
      ),
  },
  {
    name: 'openai: metadata',
    source: 'openai 7.55 resources/shared.d.ts Metadata',
    find({ body }) {
      const pairs = Object.entries(objectOf(body.metadata))
      if (pairs.length > 16)
        return refusal(
          'metadata',
          `Invalid 'metadata': too many properties. Expected an object with at most 16 properties, but got an object with ${pairs.length} properties instead.`,
          'object_above_max_properties',
        )
      return firstOf(pairs, ([name, value]) => tooLong(`metadata.${name}`, value, 512))
    },
  },
  {
    name: 'openai: metadata without store',
    source: 'https://github.com/spiceai/spiceai/pull/5231',
    find: ({ body }) =>
      body.metadata !== undefined && body.metadata !== null && body.store !== true
        ? refusal('metadata', "The 'metadata' parameter is only allowed when 'store' is enabled.")
        : undefined,
  },
  {
    name: 'openai: JSON without the word',
    source:
      'https://github.com/ultimatejimmy/xray.koplugin/issues/33, https://platform.openai.com/docs/guides/structured-outputs#json-mode',
    find: ({ body }) =>
      objectOf(body.response_format).type === 'json_object' && !/json/i.test(JSON.stringify(body.messages))
        ? refusal(
            'messages',
            "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
          )
        : undefined,
  },
  {
    name: 'openai: stop sequences',
    source: 'openai 7.55 resources/chat/completions/completions.d.ts ChatCompletionCreateParamsBase.stop',
    find({ body }) {
      const { length } = listOf(body.stop)
      return length <= 4
        ? undefined
        : refusal(
            'stop',
            `Invalid 'stop': array too long. Expected an array with maximum length 4, but got an array with length ${length} instead.`,
            'array_above_max_length',
          )
    },
  },
]
