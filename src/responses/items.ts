// The items that one line of a kept response has, in their full form, as the list of input items shows them.
import { isObject, type JsonObject, objectsIn } from '../protocols/wire/json.ts'

export interface ListedItem {
  readonly id: string
  readonly json: Uint8Array
}

/** A line of a kept response, and what it is: the response itself, or which of its input items. */
export interface LineOf {
  readonly response_id: string
  readonly input_index: number | undefined
}

/** How an id begins where the caller gave an item none. */
const PREFIXES: Readonly<Record<string, string>> = {
  message: 'msg',
  function_call: 'fc',
  function_call_output: 'fco',
  reasoning: 'rs',
}

/** The output items of a response, or the one input item. @throws SyntaxError where the line was cut or changed */
export function itemsOfLine(line: Uint8Array, { response_id, input_index }: LineOf): ListedItem[] {
  const value: JsonObject = JSON.parse(new TextDecoder().decode(line))
  const encoder = new TextEncoder()
  const listed = (item: JsonObject, index: number): ListedItem => {
    const id = idOf(item, response_id, index)
    return { id, json: encoder.encode(JSON.stringify(itemView(item, id))) }
  }
  return input_index === undefined ? objectsIn(value.output).map(listed) : [listed(value, input_index)]
}

const typeOf = ({ type }: JsonObject): string => (typeof type === 'string' ? type : 'message')

const idOf = (item: JsonObject, response_id: string, index: number): string =>
  typeof item.id === 'string' && item.id !== ''
    ? item.id
    : `${PREFIXES[typeOf(item)] ?? 'item'}_${response_id.replace(/^resp_/, '')}_${index}`

/** Callers may leave out an item's type and its id, and write content as a text. */
function itemView(item: JsonObject, id: string): JsonObject {
  const type = typeOf(item)
  if (type !== 'message') return { ...item, id, type }
  return { status: 'completed', ...item, id, type, content: contentOf(item) }
}

function contentOf({ role, content }: JsonObject): JsonObject[] {
  if (Array.isArray(content)) return content.filter(isObject)
  if (typeof content !== 'string') return []
  return role === 'assistant'
    ? [{ type: 'output_text', text: content, annotations: [] }]
    : [{ type: 'input_text', text: content }]
}
