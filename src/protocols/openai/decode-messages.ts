// Owns the reading of a chat completion's messages: who said what, in turns.
import {
  type MediaPart,
  madeCallId,
  type Part,
  parseArguments,
  type Signature,
  type TextPart,
  type ToolCallPart,
  type ToolResultPart,
  type Turn,
} from '../canonical.ts'
import {
  eachOf,
  type Json,
  type JsonObject,
  maybe,
  objectIn,
  oneOf,
  refusal,
  stringIn,
  wantObject,
  wantString,
} from '../wire/json.ts'
import { readReasoning, readToolSignature } from './reasoning.ts'

interface Conversation {
  /** System and developer messages, wherever they stood: other vendors have one place for them. */
  system: string[]
  turns: Turn[]
}

type Reader = (message: JsonObject, path: string, names: Map<string, string>) => Turn | string

const READERS: Readonly<Record<string, Reader>> = {
  system: (message, path) => readText(message.content, `${path}.content`),
  developer: (message, path) => readText(message.content, `${path}.content`),
  user: (message, path) => ({ role: 'user', parts: readContent(message.content, `${path}.content`) }),
  assistant: readAssistant,
  tool: readToolMessage,
  function: readFunctionMessage,
}

/** All messages of a request. @throws GatewayError invalid_request that names what is malformed */
export function decodeMessages(value: Json | undefined): Conversation {
  const names = new Map<string, string>()
  const conversation: Conversation = { system: [], turns: [] }
  const read = eachOf(value, 'messages', (item, path) => {
    const message = wantObject(item, path)
    return oneOf(READERS, message.role, `${path}.role`)(message, path, names)
  })
  for (const said of read) {
    if (typeof said === 'string') conversation.system.push(said)
    else conversation.turns.push(said)
  }
  return conversation
}

function readAssistant(message: JsonObject, path: string, names: Map<string, string>): Turn {
  const text = maybe(readContent, message.content, `${path}.content`) ?? []
  const refused = maybe(wantString, message.refusal, `${path}.refusal`)
  const calls = maybe(
    (value, at) => eachOf(value, at, readToolCall),
    message.tool_calls,
    `${path}.tool_calls`,
  )
  const legacy = maybe(
    (value, at) => readFunctionCall(value, at, madeCallId('function', 0, names.size)),
    message.function_call,
    `${path}.function_call`,
  )
  const all = [...(calls ?? []), ...(legacy ? [legacy] : [])]
  for (const call of all) names.set(call.id, call.name)
  const parts: Part[] = [...readReasoning(message), ...text]
  if (refused) parts.push({ kind: 'text', text: refused })
  return { role: 'assistant', parts: [...sealText(parts, readToolSignature(message)), ...all] }
}

/** A signature on the message itself belongs to its last text. */
function sealText(parts: Part[], signature: Signature | undefined): Part[] {
  const last = parts.at(-1)
  if (!signature || last?.kind !== 'text') return parts
  return [...parts.slice(0, -1), { ...last, signature }]
}

function readToolCall(value: Json | undefined, path: string): ToolCallPart {
  const call = wantObject(value, path)
  const called = wantObject(call.function, `${path}.function`)
  return {
    kind: 'tool_call',
    id: wantString(call.id, `${path}.id`),
    name: wantString(called.name, `${path}.function.name`),
    arguments: readArguments(called.arguments, `${path}.function.arguments`),
    signature: readToolSignature(call),
  }
}

/** The deprecated form has no id. */
function readFunctionCall(value: Json | undefined, path: string, made_id: string): ToolCallPart {
  const called = wantObject(value, path)
  const name = wantString(called.name, `${path}.name`)
  return {
    kind: 'tool_call',
    id: made_id,
    name,
    arguments: readArguments(called.arguments, `${path}.arguments`),
  }
}

function readArguments(value: Json | undefined, path: string): JsonObject {
  const parsed = parseArguments(wantString(value, path))
  if (!parsed) throw refusal(path, 'must be a JSON object, as text.')
  return parsed
}

function readToolMessage(message: JsonObject, path: string, names: Map<string, string>): Turn {
  const id = wantString(message.tool_call_id, `${path}.tool_call_id`)
  const name = names.get(id)
  if (name === undefined)
    throw refusal(`${path}.tool_call_id`, 'answers no tool call of an earlier assistant message.')
  return { role: 'user', parts: [readResult(message, path, id, name)] }
}

/** The deprecated form answers the last call of its function. */
function readFunctionMessage(message: JsonObject, path: string, names: Map<string, string>): Turn {
  const name = wantString(message.name, `${path}.name`)
  const [id] = [...names].findLast(([, called]) => called === name) ?? []
  if (id === undefined)
    throw refusal(`${path}.name`, 'answers no function_call of an earlier assistant message.')
  return { role: 'user', parts: [readResult(message, path, id, name)] }
}

const readResult = (message: JsonObject, path: string, call_id: string, name: string): ToolResultPart => ({
  kind: 'tool_result',
  call_id,
  name,
  content: maybe(readContent, message.content, `${path}.content`) ?? [],
  failed: false,
})

const readText = (value: Json | undefined, path: string): string =>
  readContent(value, path)
    .map((part) => (part.kind === 'text' ? part.text : ''))
    .join('')

type ContentReader = (part: JsonObject, path: string) => TextPart | MediaPart

const CONTENT_READERS: Readonly<Record<string, ContentReader>> = {
  text: (part, path) => ({ kind: 'text', text: wantString(part.text, `${path}.text`) }),
  refusal: (part, path) => ({ kind: 'text', text: wantString(part.refusal, `${path}.refusal`) }),
  image_url: readImage,
  input_audio: readAudio,
  file: readFile,
}

function readContent(value: Json | undefined, path: string): (TextPart | MediaPart)[] {
  if (typeof value === 'string') return value === '' ? [] : [{ kind: 'text', text: value }]
  return eachOf(value, path, (item, at) => {
    const part = wantObject(item, at)
    return oneOf(CONTENT_READERS, part.type, `${at}.type`)(part, at)
  })
}

const DATA_URI = /^data:([\w.+-]+\/[\w.+-]+);base64,(.+)$/s

function readImage(part: JsonObject, path: string): MediaPart {
  const url = wantString(wantObject(part.image_url, `${path}.image_url`).url, `${path}.image_url.url`)
  const at = `${path}.image_url.url`
  const inline = DATA_URI.exec(url)
  const [, mime_type, data] = inline ?? []
  if (mime_type && data) return { kind: 'image', source: { by: 'data', mime_type, data }, at }
  if (!url.startsWith('https://')) throw refusal(at, 'must be an https:// or data:image/…;base64, address.')
  return { kind: 'image', source: { by: 'url', url }, at }
}

const AUDIO_TYPES = { wav: 'audio/wav', mp3: 'audio/mp3' }

function readAudio(part: JsonObject, path: string): MediaPart {
  const audio = wantObject(part.input_audio, `${path}.input_audio`)
  const mime_type = oneOf(AUDIO_TYPES, audio.format, `${path}.input_audio.format`)
  const data = wantString(audio.data, `${path}.input_audio.data`)
  return { kind: 'audio', source: { by: 'data', mime_type, data }, at: path }
}

function readFile(part: JsonObject, path: string): MediaPart {
  const file = wantObject(part.file, `${path}.file`)
  const at = `${path}.file.file_data`
  if (file.file_id !== undefined)
    throw refusal(`${path}.file.file_id`, 'files of a vendor cannot be carried to another; send file_data.')
  const [, mime_type, data] = DATA_URI.exec(wantString(file.file_data, at)) ?? []
  if (!mime_type || !data) throw refusal(at, 'must be a data:…;base64, address.')
  const name = stringIn(objectIn(file).filename)
  return { kind: 'document', source: { by: 'data', mime_type, data }, name, at }
}
