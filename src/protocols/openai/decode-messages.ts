// The messages of a chat completion request, read: who said what, in turns.
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
  textOf,
} from '../canonical/parts.ts'
import { Anything, Choice, Fields, List, optional, readObject, Text } from '../forms.ts'
import { eachOf, type Json, type JsonObject, oneOf, refusal, wantObject } from '../wire/json.ts'
import { Reasoning, readGoogleSignature, readReasoning, SignedByGoogle } from './reasoning.ts'

export const CalledFunction = Fields({ name: Text, arguments: Text })
export const ToolCall = Fields({ ...SignedByGoogle.properties, id: Text, function: CalledFunction })
/** `content` is one text, or a list of parts. */
export const SaidMessage = Fields({ content: Anything })
export const AssistantMessage = Fields({
  ...SignedByGoogle.properties,
  ...Reasoning.properties,
  content: optional(Anything),
  refusal: optional(Text),
  tool_calls: optional(List(ToolCall)),
  /** The deprecated form of tool_calls. */
  function_call: optional(CalledFunction),
})
export const ToolMessage = Fields({ tool_call_id: Text, content: optional(Anything) })
/** The deprecated form of a tool message. */
export const FunctionMessage = Fields({ name: Text, content: optional(Anything) })

export const TextContent = Fields({ text: Text })
export const RefusalContent = Fields({ refusal: Text })
export const ImageContent = Fields({ image_url: Fields({ url: Text }) })
const AUDIO_TYPES = { wav: 'audio/wav', mp3: 'audio/mp3' } as const
export const AudioContent = Fields({ input_audio: Fields({ format: Choice(AUDIO_TYPES), data: Text }) })
export const FileContent = Fields({
  file: Fields({ file_id: optional(Anything), file_data: Text, filename: optional(Anything) }),
})

interface Conversation {
  /** System and developer messages, wherever they stood: other protocols have one place for them. */
  system: string[]
  turns: Turn[]
}

/** Gives a turn, or the text of a system message. @param names the tool of each tool call so far, by the call's id */
type Reader = (message: JsonObject, path: string, names: Map<string, string>) => Turn | string

const READERS: Readonly<Record<string, Reader>> = {
  system: (message, path) => textOf(readSaid(message, path)),
  developer: (message, path) => textOf(readSaid(message, path)),
  user: (message, path) => ({ role: 'user', parts: readSaid(message, path) }),
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

function readSaid(value: JsonObject, path: string): (TextPart | MediaPart)[] {
  const message = readObject(SaidMessage, value, path)
  return readContent(message.get('content'), message.at('content'))
}

function readAssistant(value: JsonObject, path: string, names: Map<string, string>): Turn {
  const message = readObject(AssistantMessage, value, path)
  const text = readOptional(message.get('content'), message.at('content'))
  const refused = message.get('refusal')
  const calls = message.each('tool_calls', readToolCall)
  const legacy = message.get('function_call')
  if (legacy)
    calls.push(readFunction(legacy, message.at('function_call'), madeCallId('function', 0, names.size)))
  for (const call of calls) names.set(call.id, call.name)
  const parts: Part[] = [...readReasoning(value), ...text]
  if (refused) parts.push({ kind: 'text', text: refused })
  return { role: 'assistant', parts: [...signLastText(parts, readGoogleSignature(value)), ...calls] }
}

/** A signature on the message itself belongs to its last text. */
function signLastText(parts: Part[], signature: Signature | undefined): Part[] {
  const last = parts.at(-1)
  if (!signature || last?.kind !== 'text') return parts
  return [...parts.slice(0, -1), { ...last, signature }]
}

function readToolCall(value: Json | undefined, path: string): ToolCallPart {
  const call = readObject(ToolCall, value, path)
  const called = readFunction(call.get('function'), call.at('function'), call.get('id'))
  return { ...called, signature: readGoogleSignature(wantObject(value, path)) }
}

function readFunction(value: JsonObject, path: string, id: string): ToolCallPart {
  const called = readObject(CalledFunction, value, path)
  const name = called.get('name')
  const parsed = parseArguments(called.get('arguments'))
  if (!parsed) throw refusal(called.at('arguments'), 'must be a JSON object, as text.')
  return { kind: 'tool_call', id, name, arguments: parsed }
}

function readToolMessage(value: JsonObject, path: string, names: Map<string, string>): Turn {
  const message = readObject(ToolMessage, value, path)
  const id = message.get('tool_call_id')
  const name = names.get(id)
  if (name === undefined)
    throw refusal(message.at('tool_call_id'), 'matches no tool call of an earlier assistant message.')
  return resultTurn(id, name, readOptional(message.get('content'), message.at('content')))
}

/** The deprecated form belongs to the last call of its function. */
function readFunctionMessage(value: JsonObject, path: string, names: Map<string, string>): Turn {
  const message = readObject(FunctionMessage, value, path)
  const name = message.get('name')
  const [id] = [...names].findLast(([, called]) => called === name) ?? []
  if (id === undefined)
    throw refusal(message.at('name'), 'matches no function_call of an earlier assistant message.')
  return resultTurn(id, name, readOptional(message.get('content'), message.at('content')))
}

const resultTurn = (call_id: string, name: string, content: ToolResultPart['content']): Turn => ({
  role: 'user',
  parts: [{ kind: 'tool_result', call_id, name, content, failed: false }],
})

type ContentReader = (part: JsonObject, path: string) => TextPart | MediaPart

const CONTENT_READERS: Readonly<Record<string, ContentReader>> = {
  text: (part, path) => ({ kind: 'text', text: readObject(TextContent, part, path).get('text') }),
  refusal: (part, path) => ({ kind: 'text', text: readObject(RefusalContent, part, path).get('refusal') }),
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

const readOptional = (value: Json | undefined, path: string): (TextPart | MediaPart)[] =>
  value === undefined ? [] : readContent(value, path)

const DATA_URI = /^data:([\w.+-]+\/[\w.+-]+);base64,(.+)$/s

function readImage(part: JsonObject, path: string): MediaPart {
  const image = readObject(ImageContent, part, path).within('image_url')
  const url = image.get('url')
  const at = image.at('url')
  const [, mime_type, data] = DATA_URI.exec(url) ?? []
  if (mime_type && data) return { kind: 'image', source: { by: 'data', mime_type, data }, at }
  if (!url.startsWith('https://')) throw refusal(at, 'must be an https:// or data:image/…;base64, address.')
  return { kind: 'image', source: { by: 'url', url }, at }
}

function readAudio(part: JsonObject, path: string): MediaPart {
  const audio = readObject(AudioContent, part, path).within('input_audio')
  const mime_type = AUDIO_TYPES[audio.get('format')]
  return { kind: 'audio', source: { by: 'data', mime_type, data: audio.get('data') }, at: path }
}

function readFile(part: JsonObject, path: string): MediaPart {
  const file = readObject(FileContent, part, path).within('file')
  if (file.get('file_id') !== undefined)
    throw refusal(
      file.at('file_id'),
      'a file stored at one provider cannot be carried to another; send file_data.',
    )
  const at = file.at('file_data')
  const [, mime_type, data] = DATA_URI.exec(file.get('file_data')) ?? []
  if (!mime_type || !data) throw refusal(at, 'must be a data:…;base64, address.')
  const filename = file.get('filename')
  const name = typeof filename === 'string' ? filename : undefined
  return { kind: 'document', source: { by: 'data', mime_type, data }, name, at }
}
