// A native request, read into the canonical form.
// https://ai.google.dev/api/generate-content#request-body
import type { Effort, OutputFormat, Thinking } from '../canonical/fields.ts'
import { mergeTurns } from '../canonical/parts.ts'
import type { ConversationRequest } from '../canonical/request.ts'
import { rejectUncarried } from '../carries.ts'
import {
  Anything,
  Choice,
  Count,
  FieldReader,
  Fields,
  Flag,
  List,
  namesOf,
  OpenObject,
  optional,
  Quantity,
  readObject,
  Text,
} from '../forms.ts'
import { type JsonObject, oneOf, refusal, wantString } from '../wire/json.ts'
import { camelCased, readCamelCased } from './camel-case.ts'
import { carries } from './carries.ts'
import { decodeContents, decodeSystem, RequestContent } from './decode-contents.ts'
import { decodeTool, decodeToolChoice, Tool, ToolConfig } from './decode-tools.ts'
import { fromGeminiSchema } from './schema.ts'

const MIME_TYPES = { 'text/plain': 'text', 'application/json': 'json' } as const

export const ThinkingConfig = Fields({
  thinkingBudget: optional(Quantity),
  thinkingLevel: optional(Text),
  includeThoughts: optional(Flag),
})
export const GenerationConfig = Fields({
  maxOutputTokens: optional(Count),
  temperature: optional(Quantity),
  topP: optional(Quantity),
  topK: optional(Count),
  stopSequences: optional(List(Text)),
  seed: optional(Quantity),
  candidateCount: optional(Count),
  thinkingConfig: optional(ThinkingConfig),
  responseMimeType: optional(Choice(MIME_TYPES)),
  /** In the provider's own form of schema. */
  responseSchema: optional(OpenObject),
  responseJsonSchema: optional(OpenObject),
  responseModalities: optional(List(Anything)),
  responseLogprobs: optional(Flag),
  logprobs: optional(Count),
  frequencyPenalty: optional(Quantity),
  presencePenalty: optional(Quantity),
})
/** Every name may also be written in snake_case. */
export const GenerateContentRequest = Fields({
  contents: List(RequestContent),
  /** A content, or one text. */
  systemInstruction: optional(Anything),
  tools: optional(List(Tool)),
  toolConfig: optional(ToolConfig),
  generationConfig: optional(GenerationConfig),
})

type Config = FieldReader<typeof GenerationConfig>

const CONFIG = 'generationConfig'
const KNOWN = namesOf(GenerateContentRequest)
const CONFIG_KNOWN = namesOf(GenerationConfig)

/**
 * A native request as a canonical one.
 * @param streams what the address asks for: the body does not say
 * @throws GatewayError invalid_request for what is malformed or cannot be carried
 */
export function decodeRequest(given: JsonObject, streams: boolean): ConversationRequest {
  const body = camelCased(given, '')
  rejectUncarried(carries, body, KNOWN)
  const asked = new FieldReader(GenerateContentRequest, body, '')
  const config = readConfig(asked.get('generationConfig') ?? {})
  rejectMedia(config)
  const thinking = readCamelCased(
    ThinkingConfig,
    config.get('thinkingConfig') ?? {},
    config.at('thinkingConfig'),
  )
  const system = asked.get('systemInstruction')
  const tool_config = asked.get('toolConfig')
  return {
    from: carries,
    streams,
    shows_usage: true,
    system: system === undefined ? [] : decodeSystem(system, asked.at('systemInstruction')),
    turns: mergeTurns(decodeContents(body.contents)),
    tools: asked.each('tools', decodeTool).flat(),
    tool_choice: tool_config && decodeToolChoice(tool_config, asked.at('toolConfig')),
    parallel_tool_calls: undefined,
    max_output_tokens: config.get('maxOutputTokens'),
    temperature: config.get('temperature'),
    top_p: config.get('topP'),
    top_k: config.get('topK'),
    stop: config.each('stopSequences', wantString),
    seed: config.get('seed'),
    candidates: config.get('candidateCount'),
    thinking: decodeThinking(thinking),
    shows_thinking: thinking.get('includeThoughts'),
    output: decodeOutput(config),
    logprobs: config.get('responseLogprobs') ? (config.get('logprobs') ?? 0) : undefined,
    frequency_penalty: config.get('frequencyPenalty'),
    presence_penalty: config.get('presencePenalty'),
    user: undefined,
  }
}

function readConfig(given: JsonObject): Config {
  const config = camelCased(given, CONFIG)
  rejectUncarried(carries, config, CONFIG_KNOWN, CONFIG)
  return readObject(GenerationConfig, config, CONFIG)
}

function rejectMedia(config: Config): void {
  if (config.get('responseModalities')?.some((modality) => modality !== 'TEXT'))
    throw refusal(
      config.at('responseModalities'),
      'this model answers with text only; ask for ["TEXT"], or leave it out.',
    )
}

const LEVELS: Readonly<Record<string, Effort>> = {
  MINIMAL: 'minimal',
  LOW: 'low',
  MEDIUM: 'medium',
  HIGH: 'high',
}

/** A budget of 0 turns thinking off, and of -1 leaves it to the model. */
function decodeThinking(config: FieldReader<typeof ThinkingConfig>): Thinking | undefined {
  const budget_tokens = config.get('thinkingBudget')
  if (budget_tokens !== undefined) {
    if (!Number.isInteger(budget_tokens) || budget_tokens < -1)
      throw refusal(config.at('thinkingBudget'), 'must be a whole number, -1 or more.')
    if (budget_tokens === 0) return { mode: 'off' }
    return budget_tokens < 0 ? { mode: 'auto' } : { mode: 'budget', budget_tokens }
  }
  const level = config.get('thinkingLevel')
  if (level === undefined || level === 'THINKING_LEVEL_UNSPECIFIED') return undefined
  return { mode: 'effort', effort: oneOf(LEVELS, level.toUpperCase(), config.at('thinkingLevel')) }
}

function decodeOutput(config: Config): OutputFormat | undefined {
  const mime = config.get('responseMimeType')
  const own = config.get('responseSchema')
  const schema = own ? fromGeminiSchema(own) : config.get('responseJsonSchema')
  if (schema) return { kind: 'json_schema', name: '', schema, strict: undefined }
  return mime && MIME_TYPES[mime] === 'json' ? { kind: 'json' } : undefined
}
