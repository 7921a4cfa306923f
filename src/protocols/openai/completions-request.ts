// A legacy completion request: the facts for its price, and its decoding into the canonical form.
// https://platform.openai.com/docs/api-reference/completions/create
import { estimateTokens } from '../../domain/token-estimate.ts'
import type { ConversationRequest } from '../canonical/request.ts'
import { type Carries, refused, rejectUncarried } from '../carries.ts'
import type { RequestFacts } from '../facts.ts'
import {
  Anything,
  Count,
  Fields,
  Flag,
  namesOf,
  OpenObject,
  optional,
  Quantity,
  readPresent,
  Text,
} from '../forms.ts'
import { boundAll, inputBound } from '../input-bound.ts'
import { type Json, type JsonObject, refusal } from '../wire/json.ts'
import { carries as chat } from './carries.ts'
import { decodeStop } from './decode-request.ts'

const CompletionRequest = Fields({
  model: Anything,
  /** One text, or a list of one. */
  prompt: Anything,
  stream: optional(Flag),
  stream_options: optional(Fields({ include_usage: optional(Flag) })),
  max_tokens: optional(Count),
  temperature: optional(Quantity),
  top_p: optional(Quantity),
  n: optional(Count),
  /** One text, or a list of texts. */
  stop: Anything,
  /** The number of alternatives to report for each token; 0 for only the chosen one. */
  logprobs: optional(Count),
  seed: optional(Quantity),
  frequency_penalty: optional(Quantity),
  presence_penalty: optional(Quantity),
  user: optional(Text),
})

/** Fields that are only accepted with values that have no effect. */
const Harmless = Fields({
  suffix: optional(Text),
  echo: optional(Flag),
  best_of: optional(Count),
  logit_bias: optional(OpenObject),
})

const NO_PLACE = refused('completions has no such field')

/** The tables of completions: refusals name fields as completions does. */
export const carries: Carries = {
  ...chat,
  lacks_images: 'a completion cannot contain images',
  fields: {
    ...chat.fields,
    system: NO_PLACE,
    max_output_tokens: 'max_tokens',
    thinking: NO_PLACE,
    output: NO_PLACE,
    images: NO_PLACE,
    tools: NO_PLACE,
    tool_choice: NO_PLACE,
    parallel_tool_calls: NO_PLACE,
    user: 'user',
  },
  own_fields: {},
}

const KNOWN: ReadonlySet<string> = new Set([...namesOf(CompletionRequest), ...namesOf(Harmless)])

/**
 * Reads the fields that decide the price.
 * @throws GatewayError invalid_request for a prompt that is not one text, and for limits that are not whole numbers, or 0
 */
export function readCompletionRequest(body: JsonObject): RequestFacts {
  const { prompt, max_tokens, n = 1 } = readPresent(CompletionRequest, body, '')
  if (n < 1) throw refusal('n', 'must be at least 1.')
  if (max_tokens === 0) throw refusal('max_tokens', 'must be at least 1.')
  const input_tokens = estimateTokens(readPrompt(prompt))
  return {
    input_tokens,
    input_bound_tokens: inputBound(boundAll(body), input_tokens),
    max_output_tokens: max_tokens,
    candidates: n,
    stops: (body.stop ?? null) !== null,
  }
}

/**
 * Decodes a completion request: its prompt becomes a user's message.
 * @throws GatewayError invalid_request for a malformed request, or one that cannot be translated
 */
export function decodeCompletionRequest(body: JsonObject): ConversationRequest {
  rejectUncarried(carries, body, KNOWN)
  rejectHarmful(body)
  const fields = readPresent(CompletionRequest, body, '')
  return {
    from: carries,
    streams: fields.stream ?? false,
    shows_usage: fields.stream_options?.include_usage ?? false,
    system: [],
    turns: [{ role: 'user', parts: [{ kind: 'text', text: readPrompt(fields.prompt) }] }],
    tools: [],
    tool_choice: undefined,
    parallel_tool_calls: undefined,
    max_output_tokens: fields.max_tokens,
    temperature: fields.temperature,
    top_p: fields.top_p,
    top_k: undefined,
    stop: decodeStop(fields.stop),
    seed: fields.seed,
    candidates: fields.n,
    thinking: undefined,
    shows_thinking: false,
    output: undefined,
    images: undefined,
    logprobs: fields.logprobs,
    frequency_penalty: fields.frequency_penalty,
    presence_penalty: fields.presence_penalty,
    verbosity: undefined,
    user: fields.user,
    cache_key: undefined,
  }
}

/** Refuses fields that have an effect: chat models do not continue text, score input, or generate discarded candidates. */
function rejectHarmful(body: JsonObject): void {
  const { suffix = '', echo = false, best_of, logit_bias = {} } = readPresent(Harmless, body, '')
  const { n = 1 } = readPresent(CompletionRequest, body, '')
  if (suffix !== '') throw refusal('suffix', 'is not supported. Leave it out.')
  if (echo)
    throw refusal('echo', 'is not supported. Leave it out, and put the prompt before the answer yourself.')
  if (best_of !== undefined && best_of !== n)
    throw refusal('best_of', 'must equal n, because every candidate is returned. Leave it out.')
  if (Object.keys(logit_bias).length > 0)
    throw refusal('logit_bias', 'is not supported, because token IDs differ between models. Leave it out.')
}

const PROMPT_MUST =
  'must be one text, or a list of one text. Send further prompts in their own requests. Tokens are not supported, because token IDs differ between models.'

function readPrompt(value: Json | undefined): string {
  const prompt = Array.isArray(value) && value.length === 1 ? value[0] : value
  if (prompt === undefined) throw refusal('prompt', `is missing; it ${PROMPT_MUST}`)
  if (typeof prompt !== 'string') throw refusal('prompt', PROMPT_MUST)
  if (prompt === '') throw refusal('prompt', 'must not be empty.')
  return prompt
}
