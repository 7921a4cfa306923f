// Reader of requests of OpenAI's Responses API: it turns the conversation into messages of the older API.
import type { Ask } from '../ask.ts'
import { type Refusal, refusal } from '../dialect.ts'
import { type JsonObject, listOf, objectOf, textOf } from '../json.ts'
import { OPENAI_STILLS, OPENAI_TYPES } from '../openai/images.ts'
import { readAsk as readChat } from '../openai/read.ts'
import { STRUCTURE_RULES } from '../openai/structure.ts'
import { refusalBy } from '../rule.ts'
import { JAVASCRIPT } from '../schema.ts'
import { offeredTools } from './tools.ts'

const CHAT_RULES = [...STRUCTURE_RULES, OPENAI_TYPES, OPENAI_STILLS]

/** @returns a Refusal for a request that the API refuses; unknown fields are ignored */
export function readAsk(body: JsonObject): Ask | Refusal {
  const fault = findFault(body)
  if (fault) return fault
  const { max_output_tokens, reasoning, text, tool_choice } = body
  const declared = offeredTools(body).map(({ tool }) => functionOf(tool))
  const chat = {
    messages: [...instructionsOf(body), ...inputOf(body).flatMap(messageOf)],
    ...(declared.length > 0 ? { tools: declared, tool_choice: choiceOf(tool_choice) } : {}),
    parallel_tool_calls: body.parallel_tool_calls,
    max_completion_tokens: max_output_tokens ?? undefined,
    reasoning_effort: objectOf(reasoning).effort,
    response_format: formatOf(objectOf(objectOf(text).format)),
    model: body.model,
  }
  const headers = new Headers()
  return refusalBy(CHAT_RULES, { model: textOf(body.model), body: chat, headers }) ?? readChat(chat)
}

const instructionsOf = ({ instructions }: JsonObject): JsonObject[] =>
  textOf(instructions) === '' ? [] : [{ role: 'system', content: instructions }]

const inputOf = ({ input }: JsonObject): JsonObject[] =>
  typeof input === 'string' ? [{ role: 'user', content: input }] : listOf(input).map(objectOf)

function findFault(body: JsonObject): Refusal | undefined {
  if (inputOf(body).length === 0 && textOf(body.instructions) === '')
    return refusal('input', "Missing required parameter: 'input'.")
  if (body.previous_response_id !== undefined && body.previous_response_id !== null)
    return refusal(
      'previous_response_id',
      `Previous response with id '${textOf(body.previous_response_id)}' not found.`,
    )
  const referred = inputOf(body).findIndex(({ type }) => type === 'item_reference')
  if (referred >= 0)
    return {
      status: 404,
      field: 'input',
      message: `Item with id '${textOf(inputOf(body)[referred]?.id)}' not found.`,
    }
  return undefined
}

/** Only the model reads reasoning, and results of server-side tools are not simulated. */
function messageOf(item: JsonObject): JsonObject[] {
  const { type, role, content, call_id, name, output } = item
  if (type === 'function_call' || type === 'custom_tool_call') {
    const call = { name, arguments: item.arguments ?? JSON.stringify({ input: item.input }) }
    return [
      { role: 'assistant', content: null, tool_calls: [{ id: call_id, type: 'function', function: call }] },
    ]
  }
  if (type === 'function_call_output' || type === 'custom_tool_call_output')
    return [{ role: 'tool', tool_call_id: call_id, content: contentOf(output) }]
  return type === undefined || type === 'message' ? [{ role, content: contentOf(content) }] : []
}

const contentOf = (content: unknown): unknown =>
  typeof content === 'string' ? content : listOf(content).map(objectOf).map(partOf)

function partOf(part: JsonObject): JsonObject {
  const { type, text, image_url, file_data, filename } = part
  if (type === 'input_image') return { type: 'image_url', image_url: { url: image_url } }
  if (type === 'input_file') return { type: 'file', file: { file_data, filename } }
  return type === 'input_text' || type === 'output_text' ? { type: 'text', text } : part
}

/** A custom tool is a function of one text, which is a program if its description says so. */
function functionOf({ type, name, description, parameters }: JsonObject): JsonObject {
  if (type === 'function') return { type, function: { name, description, parameters } }
  const is_program = /\bJavaScript code\b/.test(textOf(description))
  const input = { type: 'string', ...(is_program ? { contentMediaType: JAVASCRIPT } : {}) }
  const only = { type: 'object', properties: { input }, required: ['input'] }
  return { type: 'function', function: { name, description, parameters: only } }
}

const choiceOf = (choice: unknown): unknown =>
  typeof choice === 'string' || textOf(objectOf(choice).name) === ''
    ? (choice ?? 'auto')
    : { type: 'function', function: { name: objectOf(choice).name } }

function formatOf({ type, name, schema }: JsonObject): JsonObject | undefined {
  if (type === 'json_object') return { type }
  return type === 'json_schema' ? { type, json_schema: { name, schema } } : undefined
}
