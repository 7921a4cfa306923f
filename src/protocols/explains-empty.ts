// Fields of a request, in any protocol, that may make a model end its answer without a word.

import { isObject, type Json, type JsonObject, objectIn } from './wire/json.ts'
import { reduce } from './wire/json-names.ts'

/**
 * Fields by which a caller says where an answer ends, or of which tokens it is made: stop sequences by their names in each
 * protocol, OpenAI's `logit_bias`, by which a model can be made to write its end first, and those of vLLM
 * (https://docs.vllm.ai/en/v0.8.3/api/inference_params.html), SGLang (https://docs.sglang.ai/basic_usage/sampling_params.html)
 * and llama.cpp (https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md).
 */
const ENDINGS = [
  'stop',
  'stop_sequences',
  'stop_token_ids',
  'stop_regex',
  'logit_bias',
  'allowed_token_ids',
  'bad_words',
  'structured_outputs',
  'guided_regex',
  'guided_choice',
  'guided_grammar',
  'regex',
  'ebnf',
  'grammar',
].map(reduce)

/** The longest answer, where it may be none: Claude's and vLLM's way to read a prompt only. */
const LIMITS = ['max_tokens', 'max_completion_tokens', 'n_predict'] as const

/** Whether a request may have been answered by silence: it says where answers end, has results of tools, or an answer to go on with. */
export const explainsEmpty = (body: JsonObject): boolean =>
  LIMITS.some((name) => body[name] === 0) ||
  setsEnding(body) ||
  setsEnding(objectIn(body.generationConfig ?? body.generation_config)) ||
  endsWithAnswer(body) ||
  hasToolResult(body)

const setsEnding = (fields: JsonObject): boolean =>
  Object.entries(fields).some(([name, value]) => ENDINGS.includes(reduce(name)) && saysSomething(value))

const saysSomething = (value: Json): boolean => {
  if (value === null || value === '') return false
  return typeof value !== 'object' || Object.keys(value).length > 0
}

/**
 * The model goes on with an answer, which it may find complete:
 * https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons, "Empty responses with end_turn".
 */
const endsWithAnswer = ({ messages, contents, input }: JsonObject): boolean =>
  [messages, contents, input].some((conversation) => {
    const { role } = objectIn(Array.isArray(conversation) ? conversation.at(-1) : undefined)
    return role === 'assistant' || role === 'model'
  })

/** Types of blocks and items that hold what a tool has found: Claude's end all alike, those of responses nearly so. */
const TOOL_RESULT =
  /^(?:\w+_)?(?:tool_result|call_output|search_output)$|^(?:mcp|web_search|file_search|code_interpreter|image_generation)_call$|^mcp_approval_response$/
/** The same of native parts, in both spellings. */
const RESULT_KEYS = new Set([
  'functionResponse',
  'function_response',
  'codeExecutionResult',
  'code_execution_result',
  'toolResponse',
  'tool_response',
])

/** The body was parsed, so that its depth is bounded. */
function hasToolResult(value: Json): boolean {
  if (Array.isArray(value)) return value.some(hasToolResult)
  if (!isObject(value)) return false
  const { role, type } = value
  return (
    role === 'tool' ||
    role === 'function' ||
    (typeof type === 'string' && TOOL_RESULT.test(type)) ||
    Object.entries(value).some(([name, held]) => RESULT_KEYS.has(name) || hasToolResult(held))
  )
}
