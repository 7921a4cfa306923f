// The ids of responses and of their items. An item's id contains its response and its position there.

/** The prefix of an item's id, by the type of the item. */
const PREFIXES: Readonly<Record<string, string>> = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  custom_tool_call: 'ctc',
  local_shell_call: 'lsh',
  shell_call: 'sh',
  apply_patch_call: 'apc',
  web_search_call: 'ws',
  image_generation_call: 'ig',
  compaction: 'cmp',
}

const tailOf = (call_id: string): string => call_id.replace(/^req_/, '')

/** @param call_id the gateway's id of the call */
export const responseId = (call_id: string): string => `resp_${tailOf(call_id)}`

/** @param index the item's position in the output of the response */
export const itemId = (type: string, call_id: string, index: number): string =>
  `${PREFIXES[type] ?? 'item'}_${tailOf(call_id)}_${index}`

const ITEM_ID = /^[a-z]+_(.+)_(\d{1,6})$/

/** The response and position of a kept item; undefined for an id that the gateway did not issue. */
export function placeOfItem(id: string): { response_id: string; index: number } | undefined {
  const [, tail, index] = ITEM_ID.exec(id) ?? []
  return tail === undefined ? undefined : { response_id: `resp_${tail}`, index: Number(index) }
}
