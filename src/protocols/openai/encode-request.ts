// Owns the writing of a canonical request as a chat completion request.
// https://platform.openai.com/docs/api-reference/chat/create
import type {
  ConversationRequest,
  OutputFormat,
  TargetModel,
  ToolChoice,
  ToolDefinition,
} from '../canonical.ts'
import { refuseUnsayable } from '../carried.ts'
import { compact, refusal } from '../json.ts'
import type { Json, JsonObject } from '../protocol.ts'
import { effortOf } from '../thinking.ts'
import { encodeMessages } from './encode-messages.ts'
import { limitField } from './model.ts'

const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/
const SCHEMA_NAME = 'answer'

/**
 * A canonical request for a provider that speaks chat completions. Its usage is always asked for.
 * @throws GatewayError invalid_request for what chat completions cannot say
 */
export function encodeRequest(request: ConversationRequest, target: TargetModel): JsonObject {
  refuseUnsayable(request, 'openai')
  return compact({
    model: target.model,
    messages: encodeMessages(request),
    ...(request.streams ? { stream: true, stream_options: { include_usage: true } } : {}),
    [limitField(target.model)]: request.max_output_tokens,
    temperature: request.temperature,
    top_p: request.top_p,
    stop: request.stop.length > 0 ? [...request.stop] : undefined,
    seed: request.seed,
    n: request.answers,
    reasoning_effort: encodeEffort(request),
    response_format: request.output && encodeOutput(request.output),
    ...encodeTools(request),
    ...(request.logprobs === undefined ? {} : { logprobs: true, top_logprobs: request.logprobs }),
    frequency_penalty: request.frequency_penalty,
    presence_penalty: request.presence_penalty,
    safety_identifier: request.user,
  })
}

/** Thinking that the model may decide on is not said: servers without reasoning refuse the field. */
function encodeEffort({ thinking }: ConversationRequest): string | undefined {
  if (thinking === undefined) return undefined
  return thinking.mode === 'off' ? 'none' : effortOf(thinking)
}

function encodeOutput(output: OutputFormat): JsonObject {
  if (output.kind === 'json') return { type: 'json_object' }
  const { schema, strict } = output
  return {
    type: 'json_schema',
    json_schema: compact({ name: output.name || SCHEMA_NAME, schema, strict }),
  }
}

/** The fields that tools need; a choice among no tools is refused by the vendor, so it is left out. */
function encodeTools(request: ConversationRequest): Record<string, Json | undefined> {
  if (request.tools.length === 0) return {}
  return {
    tools: request.tools.map(encodeTool),
    tool_choice: request.tool_choice && encodeChoice(request.tool_choice),
    parallel_tool_calls: request.parallel_tool_calls,
  }
}

function encodeTool(tool: ToolDefinition): JsonObject {
  const { name, description, parameters, strict } = tool
  if (!TOOL_NAME.test(name))
    throw refusal(`${tool.at}.name`, 'must be 1 to 64 letters, digits, _ and - for this model.')
  return { type: 'function', function: compact({ name, description, parameters, strict }) }
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
