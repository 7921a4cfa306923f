// Encoding of a canonical request as a chat completion request.
// https://platform.openai.com/docs/api-reference/chat/create
import { withClaudeMarks } from '../caching.ts'
import type { OutputFormat, ToolChoice, ToolDefinition } from '../canonical/fields.ts'
import { type ConversationRequest, generationName, type TargetModel } from '../canonical/request.ts'
import { rejectUnsupported } from '../carries.ts'
import { effortOf } from '../thinking.ts'
import { hashedUserId } from '../tool-names.ts'
import { compact, type Json, type JsonObject, objectIn } from '../wire/json.ts'
import { type CacheStyle, cacheStyleOf, cachingFields, markFor } from './caching.ts'
import { carries } from './carries.ts'
import { encodeMessages } from './encode-messages.ts'
import { type Generation, generationFor, nearestEffort } from './model.ts'

/** For a schema without a name of its own. */
export const SCHEMA_NAME = 'answer'

/**
 * Encodes a request for a provider of chat completions. Streams always request their usage.
 * @throws GatewayError invalid_request for content that chat completions cannot express
 */
export function encodeRequest(canonical: ConversationRequest, target: TargetModel): JsonObject {
  rejectUnsupported(canonical, carries)
  const generation = generationFor(target)
  const caching = cacheStyleOf(generationName(target))
  const request =
    caching === 'marks' ? withClaudeMarks(canonical, target.automatic_caching ?? false) : canonical
  return compact({
    model: target.model,
    messages: encodeMessages(request, generation.takes_signatures, caching),
    stream: request.streams || undefined,
    stream_options: request.streams ? { include_usage: true } : undefined,
    [generation.limit_field]: request.max_output_tokens,
    temperature: request.temperature,
    top_p: request.top_p,
    frequency_penalty: request.frequency_penalty,
    presence_penalty: request.presence_penalty,
    stop: request.stop.length > 0 ? [...request.stop] : undefined,
    seed: request.seed,
    n: request.candidates,
    reasoning_effort: encodeEffort(request, generation),
    response_format: request.output && encodeOutput(request.output),
    ...encodeImages(request),
    ...encodeTools(request, caching),
    logprobs: request.logprobs !== undefined || undefined,
    top_logprobs: request.logprobs,
    safety_identifier: request.user === undefined ? undefined : hashedUserId(request.user),
    ...cachingFields(request, caching),
  })
}

/** Undefined if the model may decide: servers without reasoning refuse the field. */
export function encodeEffort({ thinking }: ConversationRequest, generation: Generation): string | undefined {
  const effort = thinking?.mode === 'off' ? 'none' : thinking && effortOf(thinking)
  return effort && nearestEffort(generation, effort)
}

function encodeOutput(output: OutputFormat): JsonObject {
  if (output.kind === 'json') return { type: 'json_object' }
  const { schema } = output
  const strict = strictIfAccepted(output.strict, schema)
  return {
    type: 'json_schema',
    json_schema: compact({ name: output.name || SCHEMA_NAME, schema, strict }),
  }
}

function encodeImages({ images }: ConversationRequest): JsonObject {
  if (!images) return {}
  const image_config = compact({ aspect_ratio: images.aspect_ratio, image_size: images.size })
  return compact({
    modalities: images.with_text ? ['image', 'text'] : ['image'],
    image_config: Object.keys(image_config).length > 0 ? image_config : undefined,
  })
}

/** The fields for tools. The provider refuses a choice among no tools, so it is left out. */
function encodeTools(request: ConversationRequest, caching: CacheStyle): Record<string, Json | undefined> {
  if (request.tools.length === 0) return {}
  return {
    tools: request.tools.map((tool) => encodeTool(tool, caching)),
    tool_choice: request.tool_choice && encodeChoice(request.tool_choice),
    parallel_tool_calls: request.parallel_tool_calls,
  }
}

function encodeTool(tool: ToolDefinition, caching: CacheStyle): JsonObject {
  const { name, description, parameters } = tool
  const strict = strictIfAccepted(tool.strict, parameters)
  // OpenAI accepts no marks on tools; a mark on the system prompt covers them, because they precede it.
  const mark = caching === 'marks' ? markFor(caching, tool.cache) : {}
  return { type: 'function', function: compact({ name, description, parameters, strict }), ...mark }
}

function encodeChoice(choice: ToolChoice): Json {
  if (choice.mode !== 'named') return choice.mode === 'any' ? 'required' : choice.mode
  const [only, ...others] = choice.names.map((name): JsonObject => ({ type: 'function', function: { name } }))
  if (only && others.length === 0 && choice.required) return only
  return {
    type: 'allowed_tools',
    allowed_tools: { mode: choice.required ? 'required' : 'auto', tools: only ? [only, ...others] : [] },
  }
}

/** `strict` as requested, unless the provider would refuse it: every object must be closed, and every property required. */
export const strictIfAccepted = (
  strict: boolean | undefined,
  schema: JsonObject | undefined,
): boolean | undefined => (strict && schema && !isStrictSchema(schema) ? undefined : strict)

function isStrictSchema(schema: Json): boolean {
  if (typeof schema !== 'object' || schema === null) return true
  if (Array.isArray(schema)) return schema.every(isStrictSchema)
  if (schema.type === 'object' && !isClosed(schema)) return false
  const { enum: _enum, const: _const, default: _default, ...schemas } = schema
  return Object.values(schemas).every(isStrictSchema)
}

function isClosed({ additionalProperties, properties, required }: JsonObject): boolean {
  const needed = Array.isArray(required) ? required : []
  return (
    additionalProperties === false && Object.keys(objectIn(properties)).every((name) => needed.includes(name))
  )
}
