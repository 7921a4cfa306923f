// Rules of OpenAI's Responses API: fields, lengths, calls and their outputs, encrypted reasoning, and the settings that each generation accepts.
import { type Refusal, refusal } from '../dialect.ts'
import { type JsonObject, listOf, numberOf, objectOf, textOf } from '../json.ts'
import { tooLong, unknownParameter } from '../openai/fields.ts'
import { type Generation, generationOf } from '../openai/generations.ts'
import { firstOf, type Rule, type RuleInput } from '../rule.ts'
import { isGenuine } from './encrypted.ts'

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

/** ResponseCreateParamsBase of the package `openai`, 7.55, and what Codex sends (codex-rs/codex-api/src/common.rs). */
const FIELDS = words(
  `access_programs background client_metadata context_management conversation image include input instructions max_output_tokens
  max_tool_calls metadata model moderation parallel_tool_calls previous_response_id prompt prompt_cache_key
  prompt_cache_options prompt_cache_retention reasoning safety_identifier service_tier store stream stream_options
  temperature text tool_choice tools top_logprobs top_p truncation user`,
)

/**
 * By the type of an item: `ResponseFunctionToolCall` and so on. Other types are not checked. The package itself adds
 * `parsed_arguments` to the results of its streams.
 */
const ITEM_FIELDS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['message', words('type role content id status phase')],
  ['function_call', words('type call_id name arguments parsed_arguments id status namespace caller async')],
  ['function_call_output', words('type call_id output id status caller name namespace')],
  ['reasoning', words('type id summary content encrypted_content')],
])

/** On every item that Codex sends (codex-rs/protocol/src/models.rs). */
const FROM_CODEX = 'internal_chat_message_metadata_passthrough'

const MAX_CALL_ID_CHARS = 64
const MAX_NAME_CHARS = 64
const MIN_OUTPUT_TOKENS = 16

const itemsOf = ({ input }: JsonObject): JsonObject[] => listOf(input).map(objectOf)

const isSet = (value: unknown): boolean => value !== undefined && value !== null

function findItemField({ body }: RuleInput): Refusal | undefined {
  return firstOf(itemsOf(body), (item, at) => {
    const known = ITEM_FIELDS.get(textOf(item.type) || 'message')
    const name = known && Object.keys(item).find((field) => !known.has(field) && field !== FROM_CODEX)
    return name === undefined ? undefined : unknownParameter(`input[${at}].${name}`)
  })
}

const findLengths = ({ body }: RuleInput): Refusal | undefined =>
  tooLong('user', body.user, 64) ??
  tooLong('safety_identifier', body.safety_identifier, 128) ??
  firstOf(itemsOf(body), ({ call_id }, at) => tooLong(`input[${at}].call_id`, call_id, MAX_CALL_ID_CHARS)) ??
  firstOf(listOf(body.tools).map(objectOf), ({ type, name }, at) =>
    type === 'function' || type === 'custom' ? tooLong(`tools[${at}].name`, name, MAX_NAME_CHARS) : undefined,
  )

/** Kinds of calls, and of their outputs. */
const OUTPUTS = new Map([
  ['function_call', 'function_call_output'],
  ['custom_tool_call', 'custom_tool_call_output'],
])

function findPairs({ body }: RuleInput): Refusal | undefined {
  const items = itemsOf(body)
  const idsOf = (kinds: Iterable<string>): string[] => {
    const wanted = new Set(kinds)
    return items.flatMap(({ type, call_id }) => (wanted.has(textOf(type)) ? textOf(call_id) : []))
  }
  const calls = idsOf(OUTPUTS.keys())
  const outputs = idsOf(OUTPUTS.values())
  const open = calls.find((id) => !outputs.includes(id))
  if (open !== undefined) return refusal('input', `No tool output found for function call ${open}.`)
  const stray = outputs.find((id) => !calls.includes(id))
  if (stray === undefined) return undefined
  return refusal('input', `No tool call found for function call output with call_id ${stray}.`)
}

const findForgery = ({ body }: RuleInput): Refusal | undefined =>
  firstOf(itemsOf(body), ({ type, encrypted_content }) =>
    type === 'reasoning' && isSet(encrypted_content) && !isGenuine(textOf(encrypted_content))
      ? {
          status: 400,
          message: `The encrypted content ${textOf(encrypted_content).slice(0, 4)}...${textOf(encrypted_content).slice(-4)} could not be verified.`,
          code: 'invalid_encrypted_content',
        }
      : undefined,
  )

function findLimit({ body: { max_output_tokens } }: RuleInput): Refusal | undefined {
  const limit = numberOf(max_output_tokens)
  return limit === undefined || limit >= MIN_OUTPUT_TOKENS
    ? undefined
    : refusal(
        'max_output_tokens',
        `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= ${MIN_OUTPUT_TOKENS}, but got ${limit} instead.`,
        'integer_below_min_value',
      )
}

const ofGeneration =
  (find: (generation: Generation, input: RuleInput) => Refusal | undefined) =>
  (input: RuleInput): Refusal | undefined => {
    const generation = generationOf(input.model)
    return generation && find(generation, input)
  }

const effortIn = (body: JsonObject): string => textOf(objectOf(body.reasoning).effort)

const findEffort = ofGeneration(({ efforts }, { model, body }) => {
  const effort = effortIn(body)
  if (effort === '' || efforts.includes(effort)) return undefined
  if (efforts.length === 0)
    return refusal(
      'reasoning.effort',
      "Unsupported parameter: 'reasoning.effort' is not supported with this model.",
      'unsupported_parameter',
    )
  const quoted = efforts.map((each) => `'${each}'`)
  const listed =
    quoted.length > 1 ? `${quoted.slice(0, -1).join(', ')}, and ${quoted.at(-1)}` : quoted.join('')
  return refusal(
    'reasoning.effort',
    `Unsupported value: '${effort}' is not supported with the '${model}' model. Supported values are: ${listed}.`,
    'unsupported_value',
  )
})

const findSampling = ofGeneration(({ sampling, default_effort }, { body }) => {
  if (sampling === 'always') return undefined
  if (sampling === 'without reasoning' && (effortIn(body) || default_effort) === 'none') return undefined
  const field = ['temperature', 'top_p'].find((name) => isSet(body[name]) && body[name] !== 1)
  return field === undefined
    ? undefined
    : refusal(
        field,
        `Unsupported parameter: '${field}' is not supported with this model.`,
        'unsupported_parameter',
      )
})

const findLogprobs = ofGeneration(({ sampling, default_effort }, { body }) => {
  if (sampling === 'always') return undefined
  if (sampling === 'without reasoning' && (effortIn(body) || default_effort) === 'none') return undefined
  return listOf(body.include).includes('message.output_text.logprobs') || isSet(body.top_logprobs)
    ? refusal('include', 'logprobs are not supported with reasoning models.', 'unsupported_parameter')
    : undefined
})

const rule = (name: string, source: string, find: Rule['find']): Rule => ({
  name: `responses: ${name}`,
  source,
  find,
})

export const RULES: readonly Rule[] = [
  rule(
    'unknown field',
    'openai 7.55 resources/responses/responses.d.ts ResponseCreateParamsBase, https://github.com/fhswf/openai-ui/issues/127',
    ({ body }) => {
      const unknown = Object.keys(body).find((name) => !FIELDS.has(name))
      return unknown === undefined ? undefined : unknownParameter(unknown)
    },
  ),
  rule(
    'unknown field of an item',
    'https://github.com/pydantic/pydantic-ai/issues/3653, https://github.com/BerriAI/litellm/issues/13420 (status of reasoning), openai 7.55 resources/responses/responses.d.ts',
    findItemField,
  ),
  rule(
    'lengths of names and ids',
    'https://github.com/orchidfiles/ungate/issues/26, https://github.com/AnswerDotAI/fastllm/issues/45, https://github.com/maximhq/bifrost/pull/1000',
    findLengths,
  ),
  rule(
    'calls and their outputs',
    'https://github.com/router-for-me/CLIProxyAPI/issues/2368, https://github.com/microsoft/vscode/issues/320060',
    findPairs,
  ),
  rule(
    'encrypted reasoning',
    'https://github.com/openai/codex/issues/8145, https://github.com/openai/codex/issues/8119',
    findForgery,
  ),
  rule(
    'output limit',
    'https://github.com/vectorize-io/hindsight/issues/58, https://github.com/UKGovernmentBEIS/inspect_evals/issues/694',
    findLimit,
  ),
  rule(
    'effort by generation',
    'https://github.com/anomalyco/opencode/issues/4451, https://github.com/microsoft/vscode/issues/301045, https://github.com/Laisky/one-api/issues/266',
    findEffort,
  ),
  rule(
    'log probabilities of models that reason',
    'https://github.com/vllm-project/vllm/pull/23319, https://github.com/UKGovernmentBEIS/inspect_ai/pull/2739',
    findLogprobs,
  ),
  rule(
    'JSON without the word',
    'https://platform.openai.com/docs/guides/structured-outputs#json-mode',
    ({ body }) =>
      objectOf(objectOf(body.text).format).type === 'json_object' && !/json/i.test(JSON.stringify(body.input))
        ? refusal(
            'input',
            "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.",
          )
        : undefined,
  ),
  rule(
    'sampling by generation',
    'https://platform.openai.com/docs/guides/latest-model#gpt-5-1-parameter-compatibility, https://github.com/appatalks/eva-agent/issues/83',
    findSampling,
  ),
]
