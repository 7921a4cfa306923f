// Rules on the structure of a chat: messages, parts, tool calls and their results, limits, formats. All servers share them.
import { refusal } from '../dialect.ts'
import { isObject, type JsonObject, listOf, numberOf, objectOf, textOf } from '../json.ts'
import { isCutOff, isStandardBase64 } from '../media.ts'
import type { Rule } from '../rule.ts'
import { messagesOf, partsOf } from './messages.ts'

type Finder = (body: JsonObject, messages: readonly JsonObject[]) => Fault | undefined
type Fault = readonly [field: string, message: string]

/** OpenAI's reference of a request, which the other servers refer to. */
const REFERENCE = 'https://platform.openai.com/docs/api-reference/chat/create'

const rule = (name: string, find: Finder, source = REFERENCE): Rule => ({
  name: `chat: ${name}`,
  source,
  find({ body }) {
    const fault = find(body, messagesOf(body))
    return fault && refusal(...fault)
  },
})

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool']

const findMessages: Finder = ({ messages: list }, messages) => {
  if (list === undefined) return ['messages', "Missing required parameter: 'messages'."]
  if (messages.length === 0)
    return ['messages', "Invalid 'messages': empty array. Expected an array with minimum length 1."]
  const other = messages.findIndex(({ role }) => !ROLES.includes(textOf(role)))
  if (other < 0) return undefined
  return [
    `messages[${other}].role`,
    `Invalid value: '${textOf(messages[other]?.role)}'. Supported values are: ${ROLES.map((role) => `'${role}'`).join(', ')}.`,
  ]
}

/** Each tool call has its result before the next turn, and no result comes without a call. */
const findUnpairedTools: Finder = (_body, messages) => {
  let open: unknown[] = []
  for (const [at, { role, tool_calls, tool_call_id }] of messages.entries()) {
    if (role === 'tool') {
      if (!open.includes(tool_call_id))
        return [
          `messages[${at}].role`,
          "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
        ]
      open = open.filter((id) => id !== tool_call_id)
    } else {
      if (open.length > 0) return unanswered(at, open)
      open = listOf(tool_calls).map((call) => objectOf(call).id)
    }
  }
  return open.length > 0 ? unanswered(messages.length, open) : undefined
}

const unanswered = (at: number, ids: unknown[]): Fault => [
  `messages[${at}].role`,
  `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${ids.join(', ')}`,
]

const IMAGE = /^(?:https:\/\/|data:image\/[\w.+-]+;base64,)/
const PARTS = ['text', 'image_url', 'input_audio', 'file', 'refusal']

const findParts: Finder = (_body, messages) => {
  for (const [at, message] of messages.entries()) {
    for (const [nth, part] of partsOf(message).entries()) {
      const field = `messages[${at}].content[${nth}]`
      if (!PARTS.includes(textOf(part.type)))
        return [
          `${field}.type`,
          `Invalid value: '${textOf(part.type)}'. Supported values are: ${PARTS.map((type) => `'${type}'`).join(', ')}.`,
        ]
      if (part.type === 'image_url' && !IMAGE.test(textOf(objectOf(part.image_url).url)))
        return [
          `${field}.image_url.url`,
          'Invalid image URL. Expected a valid URL or base64-encoded data URL.',
        ]
    }
  }
  return undefined
}

const findBrokenImage: Finder = (_body, messages) => {
  for (const [at, message] of messages.entries())
    for (const [nth, part] of partsOf(message).entries()) {
      const [, data] = /^data:[^,]*;base64,(.*)$/s.exec(textOf(objectOf(part.image_url).url)) ?? []
      if (data === undefined) continue
      const field = `messages[${at}].content[${nth}].image_url.url`
      if (!isStandardBase64(data) || data === '')
        return [
          field,
          `Invalid '${field}'. Expected a base64-encoded data URL with an image MIME type (e.g. 'data:image/png;base64,aW1nIGJ5dGVzIGhlcmU='), but got an invalid base64-encoded value.`,
        ]
      if (isCutOff(data))
        return [
          field,
          "You uploaded an unsupported image. Please make sure your image is below 20 MB in size and is of one the following formats: ['png', 'jpeg', 'gif', 'webp'].",
        ]
    }
  return undefined
}

const findLimits: Finder = ({ max_tokens, max_completion_tokens, n }) => {
  if (max_tokens !== undefined && max_completion_tokens !== undefined)
    return ['max_tokens', 'Setting max_tokens and max_completion_tokens at the same time is not supported.']
  for (const [field, value] of Object.entries({ max_tokens, max_completion_tokens, n })) {
    if (value === undefined || value === null) continue
    if (!Number.isSafeInteger(value)) return [field, `Invalid type for '${field}': expected an integer.`]
    if (Number(value) < 1)
      return [
        field,
        `Invalid '${field}': integer below minimum value. Expected a value >= 1, but got ${value} instead.`,
      ]
  }
  return Number(n ?? 1) > 128 ? ['n', "Invalid 'n': integer above maximum value."] : undefined
}

const findLogprobs: Finder = ({ logprobs, top_logprobs }) => {
  const count = numberOf(top_logprobs)
  if (count === undefined) return undefined
  if (logprobs !== true)
    return ['top_logprobs', "The 'top_logprobs' parameter is only allowed when 'logprobs' is enabled."]
  return count >= 0 && count <= 20 ? undefined : ['top_logprobs', "Invalid 'top_logprobs'."]
}

const findTools: Finder = ({ tools, tool_choice }) => {
  const declared = listOf(tools).map(objectOf)
  const wrong = declared.findIndex(
    (tool) => tool.type !== 'function' || textOf(objectOf(tool.function).name) === '',
  )
  if (wrong >= 0) return [`tools[${wrong}].function.name`, `Invalid 'tools[${wrong}].function.name'.`]
  return tool_choice !== undefined && declared.length === 0
    ? [
        'tool_choice',
        "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
      ]
    : undefined
}

const findFormat: Finder = ({ response_format }) => {
  const { type, json_schema } = objectOf(response_format)
  if (type !== 'json_schema') return undefined
  const { name, schema } = objectOf(json_schema)
  if (textOf(name) === '')
    return [
      'response_format.json_schema.name',
      "Missing required parameter: 'response_format.json_schema.name'.",
    ]
  return isObject(schema)
    ? undefined
    : [
        'response_format.json_schema.schema',
        "Missing required parameter: 'response_format.json_schema.schema'.",
      ]
}

const findStreamOptions: Finder = ({ stream, stream_options }) =>
  isObject(stream_options) && stream !== true
    ? ['stream_options', "The 'stream_options' parameter is only allowed when 'stream' is enabled."]
    : undefined

export const STRUCTURE_RULES: readonly Rule[] = [
  rule('messages and their roles', findMessages),
  rule('parts of messages', findParts),
  rule(
    'valid images',
    findBrokenImage,
    'https://github.com/anomalyco/opencode/issues/23983, https://github.com/CosmosShadow/gptpdf/issues/6',
  ),
  rule(
    'tool calls and their results',
    findUnpairedTools,
    'https://community.openai.com/t/error-for-messages-assistant-tool-calls-id-object/626732, https://platform.openai.com/docs/guides/function-calling',
  ),
  rule('output limits and choices', findLimits),
  rule('declared tools', findTools),
  rule('response format', findFormat),
  rule('log probabilities', findLogprobs),
  rule('stream options', findStreamOptions),
]
