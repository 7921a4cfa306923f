// Decoding of the items of a responses request into turns.
// https://platform.openai.com/docs/api-reference/responses/create#responses-create-input

import { lastMark } from '../../caching.ts'
import {
  type MediaPart,
  type Part,
  readCallerArguments,
  type Signature,
  type TextPart,
  type ToolCallPart,
  type Turn,
  TurnCount,
  textOf,
} from '../../canonical/parts.ts'
import { type ContentReaders, readContent } from '../../content.ts'
import { Anything, Choice, Fields, List, optional, readObject, readPresent, Text } from '../../forms.ts'
import { isObject, type JsonObject, oneOf, refusal, stringIn, wantObject } from '../../wire/json.ts'
import { imageAt, inlineDocument, RefusalContent, readAudio, TextContent } from '../decode-messages.ts'
import { CLIENT_TOOLS, clientOutput, clientToolOfItem } from './client-tools.ts'
import { gatewaySummary } from './compaction.ts'
import { readEncrypted } from './encrypted.ts'
import { describeImage, IMAGE_ITEM, readImageItem } from './image-items.ts'
import type { PlacedItem } from './recalled.ts'
import { flatName } from './tools.ts'

const ROLES = { user: true, assistant: true, system: true, developer: true } as const
const MessageItem = Fields({ role: Choice(ROLES), content: Anything })
const FunctionCallItem = Fields({
  call_id: Text,
  name: Text,
  namespace: optional(Text),
  arguments: Text,
})
const CustomCallItem = Fields({ call_id: Text, name: Text, namespace: optional(Text), input: Text })
const CallOutputItem = Fields({ call_id: Text, output: Anything })
const ClientItem = Fields({ call_id: optional(Text), id: optional(Text) })
const ReasoningSummary = Fields({ text: Text })
const ReasoningItem = Fields({
  summary: optional(List(ReasoningSummary)),
  content: optional(List(ReasoningSummary)),
  encrypted_content: optional(Text),
})
const ImageContent = Fields({ image_url: Text })
const FileContent = Fields({
  file_data: optional(Text),
  file_url: optional(Text),
  filename: optional(Text),
})

interface Conversation {
  /** System and developer messages, wherever they stood: other protocols have a single place for them. */
  system: string[]
  /** The number of turns before each of them. */
  system_after: number[]
  turns: Turn[]
}

interface State extends Conversation {
  readonly turn_count: TurnCount
  /** The tool names of all calls so far, by call id. */
  readonly names: Map<string, string>
  /** Calls of built-in tools that the caller runs: the canonical id by each id of a call, undefined if the call is left out. */
  readonly client_calls: Map<string, string | undefined>
  /** The signature of the next tool call. */
  signature: Signature | undefined
}

type Reader = (state: State, item: JsonObject, at: string) => void

const READERS: Readonly<Record<string, Reader>> = {
  message: readMessage,
  function_call: readFunctionCall,
  function_call_output: readOutput,
  custom_tool_call: readCustomCall,
  custom_tool_call_output: readOutput,
  local_shell_call: readClientCall,
  local_shell_call_output: readClientOutput,
  shell_call: readClientCall,
  shell_call_output: readClientOutput,
  apply_patch_call: readClientCall,
  apply_patch_call_output: readClientOutput,
  reasoning: readReasoning,
  compaction: readCompaction,
  [IMAGE_ITEM]: readGeneratedImage,
  item_reference: rejectReference,
}

/** Items of tools that translation does not carry, and items that only trigger something. */
const LEFT_OUT: ReadonlySet<unknown> = new Set([
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'computer_call',
  'computer_call_output',
  'mcp_list_tools',
  'mcp_approval_request',
  'mcp_approval_response',
  'mcp_call',
  'tool_search_call',
  'tool_search_output',
  'additional_tools',
  'compaction_trigger',
])

/** Decodes all items of a request. @throws GatewayError invalid_request that names the malformed field */
export function decodeItems(items: readonly PlacedItem[]): Conversation {
  const state: State = {
    system: [],
    system_after: [],
    turns: [],
    turn_count: new TurnCount(),
    names: new Map(),
    client_calls: new Map(),
    signature: undefined,
  }
  for (const { item: raw, at } of items) {
    const item = wantObject(raw, at)
    const type = item.type ?? 'message'
    if (!LEFT_OUT.has(type)) oneOf(READERS, type, `${at}.type`)(state, item, at)
  }
  return state
}

function add({ turns, turn_count }: State, role: Turn['role'], ...parts: Part[]): void {
  turns.push({ role, parts })
  turn_count.add({ role, parts })
}

function readMessage(state: State, item: JsonObject, at: string): void {
  const { role, content } = readObject(MessageItem, item, at)
  const parts = readContent(content, `${at}.content`, CONTENT_READERS)
  if (role === 'system' || role === 'developer') {
    state.system.push(textOf(parts))
    state.system_after.push(state.turn_count.count)
  } else add(state, role, ...parts)
}

function readFunctionCall(state: State, item: JsonObject, at: string): void {
  const { call_id, name, namespace, arguments: text } = readPresent(FunctionCallItem, item, at)
  call(state, call_id, flatName(name, namespace), readCallerArguments(text))
}

/** Other protocols' models know a custom tool as a function with one text argument. */
function readCustomCall(state: State, item: JsonObject, at: string): void {
  const { call_id, name, namespace, input } = readPresent(CustomCallItem, item, at)
  call(state, call_id, flatName(name, namespace), { arguments: { input } })
}

function call(state: State, id: string, name: string, read: Pick<ToolCallPart, 'arguments' | 'cut'>): void {
  const { signature } = state
  state.signature = undefined
  state.names.set(id, name)
  add(state, 'assistant', { kind: 'tool_call', id, name, ...read, signature })
}

function readOutput(state: State, item: JsonObject, at: string): void {
  const { call_id, output } = readObject(CallOutputItem, item, at)
  const name = state.names.get(call_id)
  if (name === undefined) throw refusal(`${at}.call_id`, 'matches no call of an earlier item.')
  const content = readContent(output, `${at}.output`, CONTENT_READERS)
  const cache = lastMark(content)
  add(state, 'user', { kind: 'tool_result', call_id, name, content, failed: false, ...(cache && { cache }) })
}

/** Reads a call of a built-in tool. Calls that the provider ran itself are left out. */
function readClientCall(state: State, item: JsonObject, at: string): void {
  const type = clientToolOfItem(item.type)
  const args = type && CLIENT_TOOLS[type].argumentsOf(item)
  const ids = idsOf(item, at)
  const [canonical_id] = ids
  if (canonical_id === undefined) throw refusal(`${at}.call_id`, 'is missing. Send the id of the call.')
  for (const id of ids) state.client_calls.set(id, args ? canonical_id : undefined)
  if (type && args) call(state, canonical_id, type, { arguments: args })
}

function readClientOutput(state: State, item: JsonObject, at: string): void {
  const found = idsOf(item, at).find((id) => state.client_calls.has(id))
  if (found === undefined) throw refusal(`${at}.call_id`, 'matches no call of an earlier item.')
  const call_id = state.client_calls.get(found)
  if (call_id === undefined) return
  const { text, failed } = clientOutput(item)
  const content = text === '' ? [] : [{ kind: 'text', text } as const]
  add(state, 'user', { kind: 'tool_result', call_id, name: state.names.get(call_id) ?? '', content, failed })
}

/** The output of a local shell may refer to its call by either id. */
function idsOf(item: JsonObject, at: string): string[] {
  const { call_id, id } = readPresent(ClientItem, item, at)
  return [call_id, id].flatMap((each) => each ?? [])
}

function readReasoning(state: State, item: JsonObject, at: string): void {
  const { summary = [], content = [], encrypted_content } = readPresent(ReasoningItem, item, at)
  const text = (summary.length > 0 ? summary : content).map((part) => part.text).join('\n\n')
  if (!encrypted_content) {
    if (text !== '') add(state, 'assistant', { kind: 'thinking', text })
    return
  }
  const { signature, signed } = readEncrypted(encrypted_content)
  if (signed === 'tool_call') {
    state.signature = signature
    if (text !== '') add(state, 'assistant', { kind: 'thinking', text })
  } else if (signed === 'redacted_thinking') add(state, 'assistant', { kind: 'redacted_thinking', signature })
  else add(state, 'assistant', { kind: 'thinking', text, signature })
}

/** Reads the summary of the gateway's own compaction. Compactions of a provider are left out, since only that provider can read them. */
function readCompaction(state: State, item: JsonObject): void {
  const text = gatewaySummary(item)
  if (text !== undefined) add(state, 'user', { kind: 'text', text })
}

/** Images of the gateway's image models are described in words. Images that a text model generated are sent back to it. */
function readGeneratedImage(state: State, item: JsonObject, at: string): void {
  const image = readImageItem(item, `${at}.result`)
  if (image) {
    const { signature } = state
    state.signature = undefined
    add(state, 'assistant', { ...image, signature })
    return
  }
  const text = describeImage(item)
  if (text !== undefined) add(state, 'assistant', { kind: 'text', text })
}

function rejectReference(_: State, item: JsonObject, at: string): never {
  throw refusal(`${at}.id`, `no item "${stringIn(item.id) ?? ''}" is kept. Send the item itself.`)
}

const CONTENT_READERS: ContentReaders = {
  input_text: readText,
  output_text: readText,
  text: readText,
  summary_text: readText,
  refusal: (part, at) => ({ kind: 'text', text: readObject(RefusalContent, part, at).refusal }),
  input_image: readImage,
  input_file: readFile,
  input_audio: readAudio,
}

function readText(part: JsonObject, at: string): TextPart {
  return { kind: 'text', text: readObject(TextContent, part, at).text }
}

function readImage(part: JsonObject, path: string): MediaPart {
  rejectFileId(part, path)
  // Some older agents send an object here, as in chat completions.
  const url = isObject(part.image_url) ? part.image_url.url : part.image_url
  const { image_url } = readObject(ImageContent, { image_url: url ?? null }, path)
  return imageAt(image_url, `${path}.image_url`)
}

function readFile(part: JsonObject, path: string): MediaPart {
  rejectFileId(part, path)
  const { file_data, file_url, filename: name } = readPresent(FileContent, part, path)
  if (file_data === undefined) {
    const at = `${path}.file_url`
    if (file_url === undefined) throw refusal(`${path}.file_data`, 'is missing; send it, or file_url.')
    if (!file_url.startsWith('https://')) throw refusal(at, 'must be an https:// address.')
    return { kind: 'document', source: { by: 'url', url: file_url }, name, at }
  }
  return inlineDocument(file_data, name, `${path}.file_data`)
}

function rejectFileId(part: JsonObject, path: string): void {
  if ((part.file_id ?? null) !== null)
    throw refusal(
      `${path}.file_id`,
      'refers to a file stored at a provider, which is not available here. Send it inline.',
    )
}
