// What in a request may make a model end its answer without a word, whichever protocol the request is in.
import { isObject, type Json, type JsonObject, objectIn } from './wire/json.ts'

const TOOL_RESULTS = new Set([
  'tool_result',
  'function_call_output',
  'custom_tool_call_output',
  'local_shell_call_output',
  'shell_call_output',
  'apply_patch_call_output',
  'computer_call_output',
  'mcp_tool_result',
])

/**
 * Whether a request has stop sequences, which may be the first that a model writes, or results of tools, to which it need not
 * answer; or asks for no output, as Claude takes it.
 */
export const explainsSilence = (body: JsonObject): boolean =>
  body.max_tokens === 0 || hasStop(body) || hasToolResult(body)

function hasStop(body: JsonObject): boolean {
  const { stopSequences, stop_sequences } = objectIn(body.generationConfig ?? body.generation_config)
  return [body.stop, body.stop_sequences, stopSequences, stop_sequences].some(
    (stop) => stop !== undefined && stop !== null && (!Array.isArray(stop) || stop.length > 0),
  )
}

/** The body was parsed, so that its depth is bounded. */
function hasToolResult(value: Json): boolean {
  if (Array.isArray(value)) return value.some(hasToolResult)
  if (!isObject(value)) return false
  const { role, type } = value
  return (
    role === 'tool' ||
    role === 'function' ||
    (typeof type === 'string' && TOOL_RESULTS.has(type)) ||
    Object.hasOwn(value, 'functionResponse') ||
    Object.hasOwn(value, 'function_response') ||
    Object.values(value).some(hasToolResult)
  )
}
