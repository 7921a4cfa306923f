// Mistral: unknown fields are refused with 422, ids of tool calls have nine characters, and thinking is in the content.
// https://docs.mistral.ai/api; fields: @mistralai/mistralai 2.7 ChatCompletionRequest; shapes: vercel/ai
// packages/mistral/src/__fixtures__
import type { Refusal } from '../dialect.ts'
import { type JsonObject, textOf } from '../json.ts'
import { imageTypes, WEB_TYPES } from '../openai/images.ts'
import { callsOf, messagesOf } from '../openai/messages.ts'
import { plainForm, sumsOf, wordsOf } from '../openai/openai-form.ts'
import { firstOf, type Rule, type RuleInput } from '../rule.ts'
import type { Server } from './server.ts'

const FIELDS = new Set(
  `model temperature top_p max_tokens stream stream_options stop random_seed metadata messages response_format tools
  tool_choice presence_penalty frequency_penalty n prediction parallel_tool_calls reasoning_effort prompt_mode guardrails
  prompt_cache_key service_tier safe_prompt`.split(/\s+/),
)

const MESSAGE_FIELDS = new Map([
  ['assistant', new Set(['role', 'content', 'tool_calls', 'prefix'])],
  ['user', new Set(['role', 'content'])],
  ['system', new Set(['role', 'content'])],
  ['tool', new Set(['role', 'content', 'tool_call_id', 'name'])],
])

const CALL_ID = /^[a-zA-Z0-9]{9}$/

type Location = readonly (string | number)[]

const forbidden = (loc: Location, input: unknown): JsonObject => ({
  type: 'extra_forbidden',
  loc: ['body', ...loc],
  msg: 'Extra inputs are not permitted',
  input,
})

/** All faults at once, as the API lists them. */
const unprocessable = (details: readonly JsonObject[]): Refusal | undefined =>
  details.length === 0 ? undefined : { status: 422, message: 'Extra inputs are not permitted', details }

const ordered = (message: string): Refusal => ({
  status: 400,
  message,
  field: 'invalid_request_message_order',
  code: '3230',
})

/** The roles that may not follow a role. */
const WRONG_AFTER = new Map([
  ['tool', ['user', 'system']],
  ['user', ['tool']],
  ['system', ['tool']],
])

function findOrder({ body }: RuleInput): Refusal | undefined {
  const roles = messagesOf(body).map(({ role }) => textOf(role))
  for (const [at, role] of roles.entries()) {
    const before = roles[at - 1]
    if (before !== undefined && WRONG_AFTER.get(before)?.includes(role))
      return ordered(`Unexpected role '${role}' after role '${before}'`)
  }
  const last = messagesOf(body).at(-1)
  return last?.role === 'assistant' && last.prefix !== true
    ? ordered('Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant')
    : undefined
}

const RULES: readonly Rule[] = [
  {
    name: 'mistral: messages',
    source: '@mistralai/mistralai 2.7 models/components/chatcompletionrequest.d.ts',
    find: ({ body }) =>
      messagesOf(body).length > 0
        ? undefined
        : {
            status: 422,
            message: 'Field required',
            details: [{ type: 'missing', loc: ['body', 'messages'], msg: 'Field required', input: null }],
          },
  },
  {
    name: 'mistral: unknown field',
    source:
      'https://github.com/editor-code-assistant/eca/issues/231, https://github.com/Gitlawb/openclaude/issues/739, @mistralai/mistralai 2.7',
    find: ({ body }) =>
      unprocessable(
        Object.entries(body).flatMap(([name, value]) => (FIELDS.has(name) ? [] : [forbidden([name], value)])),
      ),
  },
  {
    name: 'mistral: unknown field of a message',
    source:
      'https://github.com/charmbracelet/crush/issues/1590, https://github.com/Gage-Technologies/mistral-go/pull/2',
    find: ({ body }) =>
      unprocessable(
        messagesOf(body).flatMap((message, at) => {
          const role = textOf(message.role)
          return Object.entries(message).flatMap(([name, value]) =>
            MESSAGE_FIELDS.get(role)?.has(name) === false
              ? [forbidden(['messages', at, role, name], value)]
              : [],
          )
        }),
      ),
  },
  {
    name: 'mistral: ids of tool calls',
    source:
      'https://github.com/nearai/ironclaw/issues/1241, https://github.com/editor-code-assistant/eca/issues/233, https://github.com/mistralai/mistral-vibe/issues/1075',
    find: ({ body }) =>
      firstOf(messagesOf(body), (message) => {
        const ids = [
          ...callsOf(message).map(({ id }) => id),
          ...(message.role === 'tool' ? [message.tool_call_id] : []),
        ]
        const wrong = ids.find((id) => typeof id === 'string' && !CALL_ID.test(id))
        return wrong === undefined
          ? undefined
          : {
              status: 400,
              message: `Tool call id was ${wrong} but must be a-z, A-Z, 0-9, with a length of 9.`,
              field: 'invalid_function_call',
              code: '3280',
            }
      }),
  },
  {
    name: 'mistral: order of messages',
    source:
      'https://github.com/datapizza-labs/datapizza-ai/issues/98, https://github.com/charmbracelet/crush/issues/279, https://github.com/NEKOparapa/AiNiee/issues/641',
    find: findOrder,
  },
]

const TYPES = imageTypes(
  'mistral',
  WEB_TYPES,
  'Image has an invalid format. Allowed formats are JPEG,PNG,WEBP,GIF.',
  'https://github.com/mistralai/platform-docs-public/issues/149',
)

/** Refusals of the request's form have a list; others have a text, with the kind of the fault as their type. */
function errorBody({ status, message, field, code, details }: Refusal): JsonObject {
  if (status === 401) return { detail: 'Unauthorized' }
  const error = { object: 'error', param: null, code: code ?? null }
  return details
    ? { ...error, message: { detail: details }, type: 'invalid_request_error' }
    : { ...error, message, type: code ? field : 'invalid_request_error' }
}

const thinkingPart = (text: string): JsonObject => ({ type: 'thinking', thinking: [{ type: 'text', text }] })

/** Magistral always thinks, others only with an effort. */
const thinks = ({ model, body }: RuleInput): boolean =>
  model.includes('magistral') ||
  body.prompt_mode === 'reasoning' ||
  !['', 'none'].includes(textOf(body.reasoning_effort))

export const mistral: Server = {
  name: 'mistral',
  rules: [...RULES, TYPES],
  thinks,
  form: {
    ...plainForm,
    id_prefix: '',
    callId: (hash) => hash.padEnd(9, '0').slice(0, 9),
    message: (output) =>
      output.thinking === ''
        ? { content: wordsOf(output) ?? '' }
        : { content: [thinkingPart(output.thinking), { type: 'text', text: wordsOf(output) ?? '' }] },
    thinkingDelta: (text) => ({ content: [thinkingPart(text)] }),
    toolCall: ({ id, name, args }) => ({ id, function: { name, arguments: args } }),
    streams_arguments: false,
    choice: (_logprobs, place) => (place === 'whole' ? {} : { logprobs: null }),
    closing: { content: '' },
    usage_in: 'last choice',
    usage: (totals) => ({
      ...sumsOf(totals),
      ...(totals.cached > 0
        ? { num_cached_tokens: totals.cached, prompt_tokens_details: { cached_tokens: totals.cached } }
        : {}),
    }),
  },
  errorBody,
  streamError: errorBody,
}
