// Rules on contents, calls of functions and their responses, signatures, and the thinking that each generation accepts.
import type { Refusal } from '../dialect.ts'
import { isObject, type JsonObject, listOf, numberOf, objectOf, pick, textOf } from '../json.ts'
import { isCutOff } from '../media.ts'
import { firstOf, type Rule, type RuleInput } from '../rule.ts'
import { type Generation, generationOf } from './generations.ts'
import { inlineOf, partsOf } from './parts.ts'
import { isGenuine } from './signature.ts'

const refusal = (field: string, description: string): Refusal => ({
  status: 400,
  field,
  message: `* GenerateContentRequest.${field}: ${description}`,
})

const invalid = (message: string): Refusal => ({ status: 400, message })

const contentsOf = (body: JsonObject): JsonObject[] => listOf(body.contents).map(objectOf)
const configOf = (body: JsonObject): JsonObject =>
  objectOf(pick(body, 'generationConfig', 'generation_config'))

const IMAGE_TYPES = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'image/heif'])

function findContents({ body }: RuleInput): Refusal | undefined {
  const contents = contentsOf(body)
  if (contents.length === 0) return refusal('contents', 'contents is not specified')
  const bare = contents.findIndex((content) => listOf(content.parts).length === 0)
  if (bare >= 0) return refusal(`contents[${bare}].parts`, 'contents.parts must not be empty.')
  const media = contents
    .flatMap(partsOf)
    .map(inlineOf)
    .find(({ mime }) => mime.startsWith('image/') && !IMAGE_TYPES.has(mime))
  return media && refusal('contents', `Unsupported MIME type: ${media.mime}`)
}

/** Base64 is accepted in either alphabet: google-genai sends that of URLs. */
const findBrokenImage = ({ body }: RuleInput): Refusal | undefined =>
  contentsOf(body)
    .flatMap(partsOf)
    .map(inlineOf)
    .some(({ mime, data }) => mime.startsWith('image/') && isCutOff(data))
    ? invalid(
        'Unable to process input image. Please retry or report in https://developers.generativeai.google/guide/troubleshooting',
      )
    : undefined

function findLimit({ body }: RuleInput): Refusal | undefined {
  const limit = pick(configOf(body), 'maxOutputTokens', 'max_output_tokens')
  if (limit === undefined || (Number.isSafeInteger(limit) && Number(limit) > 0)) return undefined
  return refusal('generation_config.max_output_tokens', 'max_output_tokens must be positive.')
}

const NAME = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/

const declaredIn = (tool: unknown): JsonObject[] =>
  listOf(pick(objectOf(tool), 'functionDeclarations', 'function_declarations')).map(objectOf)

const findNames = ({ body }: RuleInput): Refusal | undefined =>
  firstOf(listOf(body.tools), (tool, at) =>
    firstOf(declaredIn(tool), ({ name }, nth) =>
      NAME.test(textOf(name))
        ? undefined
        : refusal(
            `tools[${at}].function_declarations[${nth}].name`,
            'Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 128.',
          ),
    ),
  )

const callsIn = (content: JsonObject): JsonObject[] =>
  partsOf(content).filter((part) => pick(part, 'functionCall', 'function_call') !== undefined)
const responsesIn = (content: JsonObject | undefined): JsonObject[] =>
  content
    ? partsOf(content).filter((part) => pick(part, 'functionResponse', 'function_response') !== undefined)
    : []

/** A turn with as many responses follows each turn of calls. */
const findParity = ({ body }: RuleInput): Refusal | undefined => {
  const contents = contentsOf(body)
  return firstOf(contents, (content, at) => {
    const calls = callsIn(content).length
    const next = contents[at + 1]
    return calls === 0 || next === undefined || responsesIn(next).length === calls
      ? undefined
      : invalid(
          'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
        )
  })
}

/** A turn of calls follows a turn of the user, or one of responses. */
const findCallWithoutUser = ({ body }: RuleInput): Refusal | undefined => {
  const contents = contentsOf(body)
  const stray = contents.some(
    (content, at) => callsIn(content).length > 0 && (at === 0 || contents[at - 1]?.role === 'model'),
  )
  return stray
    ? invalid(
        'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
      )
    : undefined
}

/** Accepted in place of a signature: https://ai.google.dev/gemini-api/docs/thought-signatures#faqs */
const PLACEHOLDERS = ['context_engineering_is_the_way_to_go', 'skip_thought_signature_validator']

const signatureOf = (part: JsonObject): string => textOf(pick(part, 'thoughtSignature', 'thought_signature'))

/** The current turn begins with the last content of the user that is not a function's response. */
function findMissingSignature({ model, body }: RuleInput): Refusal | undefined {
  if (!generationOf(model)?.demands_signatures) return undefined
  const contents = contentsOf(body)
  const start = contents.findLastIndex(
    (content) => content.role !== 'model' && responsesIn(content).length === 0,
  )
  return firstOf(contents, (content, at) => {
    const [first] = at > start ? callsIn(content) : []
    if (!first || signatureOf(first) !== '') return undefined
    const name = textOf(objectOf(pick(first, 'functionCall', 'function_call')).name)
    return invalid(
      `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${name}\` , position ${at + 1}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`,
    )
  })
}

const findForgery = ({ body }: RuleInput): Refusal | undefined =>
  firstOf(contentsOf(body).flatMap(partsOf), (part) => {
    const signature = signatureOf(part)
    return signature === '' || PLACEHOLDERS.includes(signature) || isGenuine(signature)
      ? undefined
      : invalid('Corrupted thought signature.')
  })

const thinkingOf = (body: JsonObject): JsonObject =>
  objectOf(pick(configOf(body), 'thinkingConfig', 'thinking_config'))

function findThinkingTwice({ body }: RuleInput): Refusal | undefined {
  const thinking = thinkingOf(body)
  const settings = [
    pick(thinking, 'thinkingBudget', 'thinking_budget'),
    pick(thinking, 'thinkingLevel', 'thinking_level'),
  ]
  return settings.every((value) => value !== undefined)
    ? invalid('You can only set only one of thinking budget and thinking level.')
    : undefined
}

/** A rule for models whose generation is known. */
const ofGeneration =
  (find: (generation: Generation, body: JsonObject) => Refusal | undefined) =>
  ({ model, body }: RuleInput): Refusal | undefined => {
    const generation = generationOf(model)
    return generation && find(generation, body)
  }

const findBudget = ofGeneration(({ budget }, body) => {
  const requested = numberOf(pick(thinkingOf(body), 'thinkingBudget', 'thinking_budget'))
  if (budget === undefined || requested === undefined || requested === -1) return undefined
  if (requested === 0)
    return budget.takes_none
      ? undefined
      : invalid('Budget 0 is invalid. This model only works in thinking mode.')
  return requested >= budget.min && requested <= budget.max
    ? undefined
    : invalid(
        `The thinking budget ${requested} is invalid. Please choose a value between ${budget.min} and ${budget.max}.`,
      )
})

const findLevel = ofGeneration(({ levels }, body) => {
  const requested = pick(thinkingOf(body), 'thinkingLevel', 'thinking_level')
  if (requested === undefined) return undefined
  if (levels.length === 0) return invalid('Thinking level is not supported for this model.')
  const level = textOf(requested).toUpperCase()
  return levels.includes(level)
    ? undefined
    : invalid(
        `Thinking level ${level} is not supported for this model. Please retry with other thinking level.`,
      )
})

const PENALTIES = [
  ['frequencyPenalty', 'frequency_penalty'],
  ['presencePenalty', 'presence_penalty'],
] as const

const findPrefill = ofGeneration(({ takes_prefill }, body) =>
  takes_prefill || contentsOf(body).at(-1)?.role !== 'model'
    ? undefined
    : invalid('Requests ending with a model turn are not supported.'),
)

/** A penalty of 0 changes nothing, and is accepted. */
const findPenalty = ofGeneration(({ takes_penalties }, body) =>
  takes_penalties || PENALTIES.every((names) => !numberOf(pick(configOf(body), ...names)))
    ? undefined
    : invalid('Penalty is not enabled for this model'),
)

const findFunctionsWithJson = ofGeneration(({ takes_functions_with_json }, body) =>
  takes_functions_with_json ||
  pick(configOf(body), 'responseMimeType', 'response_mime_type') !== 'application/json' ||
  !listOf(body.tools).some((tool) => isObject(tool) && declaredIn(tool).length > 0)
    ? undefined
    : invalid("Function calling with a response mime type: 'application/json' is unsupported"),
)

const rule = (name: string, source: string, find: Rule['find']): Rule => ({
  name: `gemini: ${name}`,
  source,
  find,
})

const REFERENCE = 'https://ai.google.dev/api/generate-content'
const SIGNATURES = 'https://ai.google.dev/gemini-api/docs/thought-signatures'

export const STRUCTURE_RULES: readonly Rule[] = [
  rule('contents and their parts', REFERENCE, findContents),
  rule('truncated images', 'https://github.com/google-gemini/gemini-cli/issues/5064', findBrokenImage),
  rule('output limit', REFERENCE, findLimit),
  rule(
    'names of functions',
    'https://github.com/google-gemini/gemini-cli/issues/6704, @google/genai 3.1 FunctionDeclaration.name',
    findNames,
  ),
  rule(
    'number of responses',
    'https://github.com/google-gemini/gemini-cli/issues/16984, https://github.com/google-gemini/gemini-cli/issues/5443',
    findParity,
  ),
  rule(
    'place of calls',
    'https://github.com/google-gemini/gemini-cli/issues/11814, https://github.com/continuedev/continue/issues/11164',
    findCallWithoutUser,
  ),
  rule(
    'signatures of calls in the current turn',
    `https://github.com/nanbingxyz/5ire/issues/405, https://github.com/nearai/ironclaw/issues/1510, ${SIGNATURES}`,
    findMissingSignature,
  ),
  rule(
    'foreign signatures',
    'https://github.com/google-gemini/gemini-cli/issues/13467, https://github.com/lbjlaq/Antigravity-Manager/issues/970',
    findForgery,
  ),
  rule(
    'budget and level of thinking',
    'https://github.com/sterlp/eclipse-peon-ai/issues/115',
    findThinkingTwice,
  ),
  rule(
    'budget of thinking by generation',
    'https://github.com/RooCodeInc/Roo-Code/issues/4399, https://github.com/vercel/ai/issues/8027, https://ai.google.dev/gemini-api/docs/thinking',
    findBudget,
  ),
  rule(
    'level of thinking by generation',
    'https://github.com/RooCodeInc/Roo-Code/issues/10700, https://github.com/dhyansraj/mcp-mesh/issues/1346, https://github.com/egoist/chatwise-releases/issues/1206, https://github.com/bolna-ai/bolna/pull/956, https://github.com/maximhq/bifrost/issues/7287, https://docs.cloud.google.com/gemini-enterprise-agent-platform/models/guides/gemini-3-8-flash',
    findLevel,
  ),
  rule(
    'prefill by generation',
    'https://github.com/LibreChat-AI/agents/pull/323, https://github.com/pipecat-ai/pipecat/pull/5821, https://github.com/anomalyco/opencode/issues/47034',
    findPrefill,
  ),
  rule(
    'penalties by generation',
    'https://github.com/google-gemini/cookbook/issues/1290, https://github.com/vercel/ai/issues/8943, https://github.com/PublicAffairs/openai-gemini/issues/63',
    findPenalty,
  ),
  rule(
    'functions together with JSON',
    'https://github.com/googleapis/python-genai/issues/867, https://github.com/symfony/ai/issues/803',
    findFunctionsWithJson,
  ),
]
