// Request fields, in any protocol, that may make a model answer with no output.

import { isObject, type Json, type JsonObject, objectIn } from './wire/json.ts'
import { reduce } from './wire/json-names.ts'

/**
 * Fields that determine where an answer ends, or which tokens it may contain: stop sequences by their names in each protocol,
 * OpenAI's `logit_bias`, which can make a model generate its end token first, and those of vLLM
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

/** Output limits. Claude and vLLM accept 0, which only processes the prompt. */
const LIMITS = ['max_tokens', 'max_completion_tokens', 'n_predict'] as const

/** Whether the request itself may explain an empty answer: it sets endings, has tool results, or ends with an answer to continue. */
export const explainsEmpty = (body: JsonObject): boolean =>
  LIMITS.some((name) => body[name] === 0) ||
  setsEnding(body) ||
  setsEnding(objectIn(body.generationConfig ?? body.generation_config)) ||
  endsWithAnswer(body) ||
  hasToolResult(body)

const setsEnding = (fields: JsonObject): boolean =>
  Object.entries(fields).some(([name, value]) => ENDINGS.includes(reduce(name)) && hasContent(value))

const hasContent = (value: Json): boolean => {
  if (value === null || value === '') return false
  return typeof value !== 'object' || Object.keys(value).length > 0
}

/**
 * The model continues an answer, which it may find complete:
 * https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons, "Empty responses with end_turn".
 */
const endsWithAnswer = ({ messages, contents, input }: JsonObject): boolean =>
  [messages, contents, input].some((conversation) => {
    const { role } = objectIn(Array.isArray(conversation) ? conversation.at(-1) : undefined)
    return role === 'assistant' || role === 'model'
  })

/** Types of blocks and items that hold a tool's result, in the messages and the responses protocol. */
const TOOL_RESULT =
  /^(?:\w+_)?(?:tool_result|call_output|search_output)$|^(?:mcp|web_search|file_search|code_interpreter|image_generation)_call$|^mcp_approval_response$/
/** Fields of native parts that hold a tool's result, in both spellings. */
const RESULT_KEYS = new Set([
  'functionResponse',
  'function_response',
  'codeExecutionResult',
  'code_execution_result',
  'toolResponse',
  'tool_response',
])

/** Recursion is safe: the body was parsed, which bounds its depth. */
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
