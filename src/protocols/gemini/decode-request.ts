// Owns the reading of a native request into the canonical form.
// https://ai.google.dev/api/generate-content#request-body
import {
  type ConversationRequest,
  type Effort,
  mergeTurns,
  type OutputFormat,
  type Thinking,
} from '../canonical.ts'
import { refuseUncarried } from '../carried.ts'
import {
  eachOf,
  type JsonObject,
  maybe,
  oneOf,
  refusal,
  wantArray,
  wantBoolean,
  wantCount,
  wantNumber,
  wantObject,
  wantString,
} from '../wire/json.ts'
import { decodeContents, decodeSystem } from './decode-contents.ts'
import { decodeToolChoice, decodeTools } from './decode-tools.ts'
import { fromGeminiSchema } from './schema.ts'
import { camelCased } from './spelling.ts'

const KNOWN = new Set(['contents', 'systemInstruction', 'tools', 'toolConfig', 'generationConfig'])

const CONFIG = 'generationConfig'
const CONFIG_KNOWN = new Set([
  'maxOutputTokens',
  'temperature',
  'topP',
  'topK',
  'stopSequences',
  'seed',
  'candidateCount',
  'thinkingConfig',
  'responseMimeType',
  'responseSchema',
  'responseJsonSchema',
  'responseModalities',
  'responseLogprobs',
  'logprobs',
  'frequencyPenalty',
  'presencePenalty',
])

/**
 * A native request as the canonical one.
 * @param streams what the address asks for: the body does not say
 * @throws GatewayError invalid_request for what is malformed or cannot be carried
 */
export function decodeRequest(given: JsonObject, streams: boolean): ConversationRequest {
  const body = camelCased(given, '')
  refuseUncarried('gemini', body, KNOWN)
  const config = camelCased(maybe(wantObject, body.generationConfig, CONFIG) ?? {}, CONFIG)
  refuseUncarried('gemini', config, CONFIG_KNOWN, CONFIG)
  refuseMedia(config)
  const thinking = camelCased(
    maybe(wantObject, config.thinkingConfig, `${CONFIG}.thinkingConfig`) ?? {},
    `${CONFIG}.thinkingConfig`,
  )
  return {
    from: 'gemini',
    streams,
    shows_usage: true,
    system: maybe(decodeSystem, body.systemInstruction, 'systemInstruction') ?? [],
    turns: mergeTurns(decodeContents(body.contents)),
    tools: maybe(decodeTools, body.tools, 'tools') ?? [],
    tool_choice: maybe(decodeToolChoice, body.toolConfig, 'toolConfig'),
    parallel_tool_calls: undefined,
    max_output_tokens: maybe(wantCount, config.maxOutputTokens, `${CONFIG}.maxOutputTokens`),
    temperature: maybe(wantNumber, config.temperature, `${CONFIG}.temperature`),
    top_p: maybe(wantNumber, config.topP, `${CONFIG}.topP`),
    top_k: maybe(wantCount, config.topK, `${CONFIG}.topK`),
    stop:
      maybe(
        (value, path) => eachOf(value, path, wantString),
        config.stopSequences,
        `${CONFIG}.stopSequences`,
      ) ?? [],
    seed: maybe(wantNumber, config.seed, `${CONFIG}.seed`),
    answers: maybe(wantCount, config.candidateCount, `${CONFIG}.candidateCount`),
    thinking: decodeThinking(thinking),
    shows_thinking: maybe(wantBoolean, thinking.includeThoughts, `${CONFIG}.thinkingConfig.includeThoughts`),
    output: decodeOutput(config),
    logprobs:
      maybe(wantBoolean, config.responseLogprobs, `${CONFIG}.responseLogprobs`) === true
        ? (maybe(wantCount, config.logprobs, `${CONFIG}.logprobs`) ?? 0)
        : undefined,
    frequency_penalty: maybe(wantNumber, config.frequencyPenalty, `${CONFIG}.frequencyPenalty`),
    presence_penalty: maybe(wantNumber, config.presencePenalty, `${CONFIG}.presencePenalty`),
    user: undefined,
  }
}

function refuseMedia(config: JsonObject): void {
  const path = `${CONFIG}.responseModalities`
  const modalities = maybe(wantArray, config.responseModalities, path)
  if (modalities?.some((modality) => modality !== 'TEXT'))
    throw refusal(path, 'this model answers with text only; ask for ["TEXT"], or leave it out.')
}

const LEVELS: Readonly<Record<string, Effort>> = {
  MINIMAL: 'minimal',
  LOW: 'low',
  MEDIUM: 'medium',
  HIGH: 'high',
}

/** A budget of 0 turns thinking off, and of -1 leaves it to the model. */
function decodeThinking(config: JsonObject): Thinking | undefined {
  const path = `${CONFIG}.thinkingConfig`
  const budget_tokens = maybe(wantNumber, config.thinkingBudget, `${path}.thinkingBudget`)
  if (budget_tokens !== undefined) {
    if (!Number.isInteger(budget_tokens) || budget_tokens < -1)
      throw refusal(`${path}.thinkingBudget`, 'must be a whole number, -1 or more.')
    if (budget_tokens === 0) return { mode: 'off' }
    return budget_tokens < 0 ? { mode: 'auto' } : { mode: 'budget', budget_tokens }
  }
  const level = maybe(wantString, config.thinkingLevel, `${path}.thinkingLevel`)
  if (level === undefined || level === 'THINKING_LEVEL_UNSPECIFIED') return undefined
  return { mode: 'effort', effort: oneOf(LEVELS, level.toUpperCase(), `${path}.thinkingLevel`) }
}

const MIME_TYPES: Readonly<Record<string, 'text' | 'json'>> = {
  'text/plain': 'text',
  'application/json': 'json',
}

function decodeOutput(config: JsonObject): OutputFormat | undefined {
  const mime = maybe(
    (value, path) => oneOf(MIME_TYPES, value, path),
    config.responseMimeType,
    `${CONFIG}.responseMimeType`,
  )
  const own = maybe(wantObject, config.responseSchema, `${CONFIG}.responseSchema`)
  const schema =
    own === undefined
      ? maybe(wantObject, config.responseJsonSchema, `${CONFIG}.responseJsonSchema`)
      : fromGeminiSchema(own)
  if (schema) return { kind: 'json_schema', name: '', schema, strict: undefined }
  return mime === 'json' ? { kind: 'json' } : undefined
}
