// Encoding of a canonical request as a responses request.
// https://platform.openai.com/docs/api-reference/responses/create
import type { OutputFormat, ToolChoice, ToolDefinition } from '../../canonical/fields.ts'
import { type ConversationRequest, generationName, type TargetModel } from '../../canonical/request.ts'
import { rejectUnsupported } from '../../carries.ts'
import { hashedUserId } from '../../tool-names.ts'
import { compact, type Json, type JsonObject } from '../../wire/json.ts'
import { type CacheStyle, cacheStyleOf, cachingFields } from '../caching.ts'
import { encodeSystem } from '../encode-messages.ts'
import { encodeEffort, SCHEMA_NAME, strictIfAccepted } from '../encode-request.ts'
import { generationFor } from '../model.ts'
import { carries } from './carries.ts'
import { LOGPROBS } from './decode-request.ts'
import { encodeItems } from './encode-items.ts'

/**
 * Encodes a request for a provider of responses. `prepare` adds `store: false`, and requests encrypted reasoning.
 * @throws GatewayError invalid_request for content that responses cannot express
 */
export function encodeRequest(request: ConversationRequest, target: TargetModel): JsonObject {
  rejectUnsupported(request, carries)
  const generation = generationFor(target)
  const caching = cacheStyleOf(generationName(target))
  return compact({
    model: target.model,
    ...encodeConversation(request, caching),
    stream: request.streams || undefined,
    max_output_tokens: request.max_output_tokens,
    temperature: request.temperature,
    top_p: request.top_p,
    reasoning: encodeReasoning(request, encodeEffort(request, generation)),
    text: encodeText(request),
    ...encodeTools(request),
    include: request.logprobs === undefined ? undefined : [LOGPROBS],
    top_logprobs: request.logprobs,
    safety_identifier: request.user === undefined ? undefined : hashedUserId(request.user),
    prompt_cache_key: request.cache_key ?? request.caching?.session,
    ...cachingFields(request, caching),
  })
}

/** Instructions cannot carry cache marks, so marked ones become the first message (package openai 6.49, ResponseInputText). */
function encodeConversation(request: ConversationRequest, caching: CacheStyle): Record<string, Json> {
  const input = encodeItems(request.turns, caching)
  if (request.system.length === 0) return { input }
  const system = encodeSystem(request, caching, 'input_text')
  return typeof system === 'string'
    ? { instructions: system, input }
    : { input: [{ type: 'message', role: 'developer', content: system }, ...input] }
}

/** Requests a summary if the caller wants to see the thinking: OpenAI hides the reasoning itself. */
function encodeReasoning(
  { thinking, shows_thinking }: ConversationRequest,
  effort: string | undefined,
): JsonObject | undefined {
  const summary = shows_thinking && thinking?.mode !== 'off' ? 'auto' : undefined
  return effort === undefined && summary === undefined ? undefined : compact({ effort, summary })
}

function encodeText({ output, verbosity }: ConversationRequest): JsonObject | undefined {
  if (!output && verbosity === undefined) return undefined
  return compact({ format: output && encodeFormat(output), verbosity })
}

function encodeFormat(output: OutputFormat): JsonObject {
  if (output.kind === 'json') return { type: 'json_object' }
  const { schema } = output
  const strict = strictIfAccepted(output.strict, schema)
  return compact({ type: 'json_schema', name: output.name || SCHEMA_NAME, schema, strict })
}

/** The fields for tools. The provider refuses a choice among no tools, so it is left out. */
function encodeTools(request: ConversationRequest): Record<string, Json | undefined> {
  if (request.tools.length === 0) return {}
  return {
    tools: request.tools.map(encodeTool),
    tool_choice: request.tool_choice && encodeChoice(request.tool_choice),
    parallel_tool_calls: request.parallel_tool_calls,
  }
}

/**
 * Sets `strict` always: by default, responses treats a function as strict, and chat completions does not.
 * https://github.com/langchain-ai/langchain/pull/39309
 */
function encodeTool(tool: ToolDefinition): JsonObject {
  const { name, description, parameters = NO_PARAMETERS } = tool
  const strict = strictIfAccepted(tool.strict, parameters) ?? false
  return compact({ type: 'function', name, description, parameters, strict })
}

const NO_PARAMETERS: JsonObject = { type: 'object', properties: {} }

function encodeChoice(choice: ToolChoice): Json {
  if (choice.mode !== 'named') return choice.mode === 'any' ? 'required' : choice.mode
  const tools = choice.names.map((name): JsonObject => ({ type: 'function', name }))
  const [only] = tools
  if (only && tools.length === 1 && choice.required) return only
  return { type: 'allowed_tools', mode: choice.required ? 'required' : 'auto', tools }
}
