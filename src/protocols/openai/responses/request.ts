// The facts of a responses request that are needed before it is paid for, and the request in the provider's form.
import type { GatewayError } from '../../../domain/errors.ts'
import { estimateTokens } from '../../../domain/token-estimate.ts'
import { withModelAndStream } from '../../body-fields.ts'
import { generationName } from '../../canonical/request.ts'
import { requestedTier } from '../../extras.ts'
import type { RequestFacts } from '../../facts.ts'
import { Anything, Count, Fields, Flag, optional, readPresent, Text } from '../../forms.ts'
import { inputFacts } from '../../input-bound.ts'
import type { TextProtocol } from '../../protocol.ts'
import { jsonTokens, leastTokensIn, sumTokens } from '../../token-sums.ts'
import { isObject, type Json, type JsonObject, lookUp, objectIn, refusal, stringIn } from '../../wire/json.ts'
import { computedOnce } from '../../wire/known-values.ts'
import { generationOf } from '../model.ts'
import { requestBound } from './bound.ts'
import { asksForCompaction } from './compaction.ts'
import { issuerOfItem, itemForProvider } from './encrypted.ts'
import { describeImage, IMAGE_ITEM } from './image-items.ts'
import { addedTools, allItems, isReference, itemsOf, RECALLED } from './recalled.ts'

/** The fields that decide the price. */
const PricedRequest = Fields({
  input: Anything,
  instructions: optional(Text),
  tools: Anything,
  text: Anything,
  max_output_tokens: optional(Count),
  previous_response_id: optional(Text),
  background: optional(Flag),
})

/**
 * Reads the fields of a responses request that decide the price. The provider checks all others. An empty array of items is reported as
 * a fact, because requests that only prepare later ones may have one.
 * @throws GatewayError invalid_request for a missing conversation, a limit that is 0 or not a whole number, and a request for a
 * background response
 */
export function readRequest(body: JsonObject): RequestFacts {
  const fields = readPresent(PricedRequest, body, '')
  if (fields.background)
    throw refusal('background', 'is not supported. Leave it out, and read the answer as a stream.')
  if (fields.max_output_tokens === 0) throw refusal('max_output_tokens', 'must be at least 1.')
  const { previous_response_id } = fields
  const items = allItems(body)
  const is_recalled = body[RECALLED] !== undefined
  const continues = previous_response_id !== undefined && !is_recalled
  const lacks_conversation = items.length === 0 && !fields.instructions && !continues
  if (lacks_conversation && (is_recalled || !Array.isArray(fields.input))) throw missingConversationError()
  const references =
    body[RECALLED] === undefined
      ? itemsOf(body.input)
          .filter(isReference)
          .map(({ id }) => stringIn(id) ?? '')
      : []
  const added_tools = addedTools(items.map(({ item }) => item))
  const issuer = items.reduce<string | undefined>((last, { item }) => issuerOfItem(item) ?? last, undefined)
  const text_tokens =
    sumTokens(items, ({ item }) => computedOnce(itemTokens, item)) +
    estimateTokens(fields.instructions ?? '') +
    computedOnce(toolTokens, fields.tools) +
    jsonTokens(objectIn(fields.text).format)
  return {
    ...inputFacts((_, found) => requestBound(body, items, found), body, text_tokens),
    max_output_tokens: fields.max_output_tokens,
    candidates: 1,
    refers_to:
      body[RECALLED] === undefined && (previous_response_id !== undefined || references.length > 0)
        ? { previous: previous_response_id, items: references }
        : undefined,
    compacts: asksForCompaction(body),
    ...(lacks_conversation ? { lacks_conversation } : {}),
    ...(added_tools.length > 0 ? { added_tools } : {}),
    service_tier: requestedTier(body, 'service_tier'),
    issuer,
  }
}

export const missingConversationError = (): GatewayError =>
  refusal('input', 'is missing; it must be text, or an array of items.')

const textTokens = ({ text }: JsonObject): number => estimateTokens(stringIn(text) ?? '')

const PART_TOKENS: Readonly<Record<string, (part: JsonObject) => number>> = {
  input_text: textTokens,
  output_text: textTokens,
  text: textTokens,
  input_image: () => 0,
  input_audio: () => 0,
  input_file: () => 0,
  computer_screenshot: () => 0,
}

const toolTokens = (tools: Json | undefined): number =>
  jsonTokens(Array.isArray(tools) ? tools.map(withoutMask) : tools)

/** The mask is a medium, which is counted apart. */
function withoutMask(tool: Json): Json {
  if (!isObject(tool)) return tool
  const { input_image_mask: _, ...rest } = tool
  return rest
}

/** Estimates an item. Fields other than content and output are read as JSON. */
function itemTokens(item: Json): number {
  if (!isObject(item)) return jsonTokens(item)
  if (item.type === IMAGE_ITEM) return estimateTokens(describeImage(item) ?? '')
  const { content, output, ...rest } = item
  return contentTokens(content) + contentTokens(output) + (isPlain(rest) ? 0 : jsonTokens(rest))
}

/** Whether an item's other fields are only its frame: the model does not read them. */
const isPlain = ({ type = 'message' }: JsonObject): boolean =>
  type === 'message' || type === 'function_call_output' || type === 'custom_tool_call_output'

function contentTokens(content: Json | undefined): number {
  if (typeof content === 'string') return estimateTokens(content)
  if (!Array.isArray(content)) return isObject(content) ? partTokens(content) : jsonTokens(content)
  return sumTokens(content, (item) => partTokens(objectIn(item)))
}

const partTokens = (part: JsonObject): number => lookUp(PART_TOKENS, part.type)?.(part) ?? jsonTokens(part)

export const limitOutput = (body: JsonObject, max_output_tokens: number): JsonObject => ({
  ...body,
  max_output_tokens,
})

const ENCRYPTED = 'reasoning.encrypted_content'

/**
 * Sets the provider's model name. The provider is told to store nothing, because its store does not separate accounts: the whole
 * conversation is sent, and reasoning is requested in a form that can be sent back.
 */
export function prepare(body: JsonObject, call: Parameters<TextProtocol['prepare']>[1]): JsonObject {
  const { [RECALLED]: recalled, previous_response_id, ...rest } = withModelAndStream(body, call)
  const prepared: JsonObject = { ...rest, store: false }
  if (recalled !== undefined || Array.isArray(body.input)) {
    const input = inputForProvider(body, call.forgets_reasoning ?? false)
    if (input) prepared.input = input
  }
  const include = includeFor(body, generationName(call))
  if (include) prepared.include = include
  if (call.without_summary) prepared.reasoning = withoutSummary(body)
  return prepared
}

function withoutSummary({ reasoning }: JsonObject): JsonObject {
  const { summary: _, ...rest } = objectIn(reasoning)
  return rest
}

/** The input items for the provider; undefined if the caller's own input passes unchanged. */
function inputForProvider(body: JsonObject, forgets_reasoning: boolean): Json[] | undefined {
  const items = allItems(body)
  const sent = items.map(({ item }) => itemForProvider(item, forgets_reasoning))
  const differs = body[RECALLED] !== undefined || sent.some((item, index) => item !== items[index]?.item)
  return differs ? sent.filter((item) => item !== undefined) : undefined
}

/** Undefined if nothing has to be added. Models that do not reason refuse the value. */
function includeFor({ include, reasoning }: JsonObject, model: string): Json[] | undefined {
  const included = Array.isArray(include) ? include : []
  const reasons = isObject(reasoning) || generationOf(model).reasons
  return !reasons || included.includes(ENCRYPTED) ? undefined : [...included, ENCRYPTED]
}

const leastIn = leastTokensIn(['instructions', 'input'], ['context_management'])

/** A lower bound of the prompt's tokens, recalled items included; 0 if the provider may leave out some of it. */
export const leastTokens = (body: JsonObject): number =>
  body.truncation === 'auto' ? 0 : leastIn({ ...body, input: allItems(body).map(({ item }) => item) })
