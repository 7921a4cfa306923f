// Decoding of the messages of a chat completion request into turns.

import type { Static } from '@sinclair/typebox'
import { cacheOf, lastMark, type SystemText, withCacheMark } from '../caching.ts'
import {
  type CacheTtl,
  type MediaPart,
  newCallId,
  type Part,
  readCallerArguments,
  type Signature,
  type TextPart,
  type ToolCallPart,
  type ToolResultPart,
  type Turn,
  TurnCount,
  textOf,
} from '../canonical/parts.ts'
import { type ContentReaders, readContent } from '../content.ts'
import {
  Anything,
  Choice,
  Fields,
  List,
  OpenObject,
  optional,
  readObject,
  readPresent,
  Text,
} from '../forms.ts'
import {
  eachOf,
  isObject,
  type Json,
  type JsonObject,
  oneOf,
  refusal,
  stringIn,
  wantArray,
  wantObject,
  wantString,
} from '../wire/json.ts'
import { readCallSignature, readGoogleSignature, readImages, readReasoning, THINKING } from './reasoning.ts'

const CalledFunction = Fields({ name: Text, arguments: Anything })
const ToolCall = Fields({ id: Text, function: CalledFunction, extra_content: Anything })
/** `content` is one text, or a list of parts. */
const ContentMessage = Fields({ content: Anything })
/** Reasoning and signatures are read as leniently as an upstream's: clients send back what they received. */
const AssistantMessage = Fields({
  content: Anything,
  refusal: optional(Text),
  tool_calls: optional(List(ToolCall)),
  /** The deprecated form of tool_calls. */
  function_call: optional(CalledFunction),
})
const ToolMessage = Fields({ tool_call_id: Text, content: Anything })
/** The deprecated form of a tool message. */
const FunctionMessage = Fields({ name: Text, content: Anything })

const AUDIO_TYPES = { wav: 'audio/wav', mp3: 'audio/mp3' } as const
export const TextContent = Fields({ text: Text })
export const RefusalContent = Fields({ refusal: Text })
const ImageContent = Fields({ image_url: Fields({ url: Text }) })
const AudioContent = Fields({ input_audio: Fields({ format: Choice(AUDIO_TYPES), data: Text }) })
const FileContent = Fields({ file: OpenObject })
const InlineFile = Fields({ file_data: Text, filename: Anything })

interface Conversation {
  /** System and developer messages, wherever they stood: other protocols have a single place for them. */
  system: (SystemText & { after: number })[]
  turns: Turn[]
}

/** Reads a message as a turn, or as a system text. @param names the tool names of all calls so far, by call id */
type Reader = (message: JsonObject, path: string, names: Map<string, string>) => Turn | SystemText

const READERS: Readonly<Record<string, Reader>> = {
  system: readSystem,
  developer: readSystem,
  user: (message, path) => ({ role: 'user', parts: readContentOf(message, path) }),
  assistant: readAssistant,
  tool: readToolMessage,
  function: readFunctionMessage,
}

/** Decodes all messages of a request. @throws GatewayError invalid_request that names the malformed field */
export function decodeMessages(value: Json | undefined): Conversation {
  const names = new Map<string, string>()
  const conversation: Conversation = { system: [], turns: [] }
  const read = eachOf(value, 'messages', (item, path) => {
    const message = wantObject(item, path)
    return oneOf(READERS, message.role, `${path}.role`)(message, path, names)
  })
  const turns = new TurnCount()
  for (const decoded of read) {
    if ('text' in decoded) conversation.system.push({ ...decoded, after: turns.count })
    else {
      conversation.turns.push(decoded)
      turns.add(decoded)
    }
  }
  return conversation
}

function readSystem(message: JsonObject, path: string): SystemText {
  const parts = readContentOf(message, path)
  return { text: textOf(parts), cache: lastMark(parts) }
}

/** Reads content. If it is one text, its cache mark may be on the message. */
function readContentOf(message: JsonObject, path: string): (TextPart | MediaPart)[] {
  const { content } = readObject(ContentMessage, message, path)
  const at = `${path}.content`
  const parts = readContent(content ?? wantArray(content, at), at, CONTENT_READERS)
  const last = parts.at(-1)
  return last && cacheOf(message) ? [...parts.slice(0, -1), withCacheMark(last, message)] : parts
}

function readAssistant(raw: JsonObject, path: string, names: Map<string, string>): Turn {
  const message = readPresent(AssistantMessage, raw, path)
  const { content, refusal: refused, tool_calls = [], function_call } = message
  const thinking = readReasoning(raw)
  const calls = tool_calls.flatMap((call, index): Part[] => {
    const called = readFunction(call.function, `${path}.tool_calls[${index}].function`, call.id)
    const { signature, thought } = readCallSignature(call)
    const is_known = thinking.some((part) => part.signature?.value === thought?.signature.value)
    return [...(thought && !is_known ? [thought] : []), { ...called, signature }]
  })
  if (function_call)
    calls.push(readFunction(function_call, `${path}.function_call`, newCallId('function', 0, names.size)))
  for (const call of calls) if (call.kind === 'tool_call') names.set(call.id, call.name)
  const visible = withoutThinking(content)
  const parts: Part[] = [...thinking, ...readContent(visible, `${path}.content`, CONTENT_READERS)]
  if (refused) parts.push({ kind: 'text', text: refused })
  const signed = signLastText(parts, readGoogleSignature(raw))
  return { role: 'assistant', parts: [...signed, ...readImages(raw, path), ...calls] }
}

/** Content without its parts of thinking, which Mistral sends there and which are read separately. */
const withoutThinking = (content: Json | undefined): Json | undefined =>
  Array.isArray(content) ? content.filter((part) => !(isObject(part) && part.type === THINKING)) : content

/** Attaches the signature of a message to its last text. */
function signLastText(parts: Part[], signature: Signature | undefined): Part[] {
  const last = parts.at(-1)
  if (!signature || last?.kind !== 'text') return parts
  return [...parts.slice(0, -1), { ...last, signature }]
}

function readFunction(called: Static<typeof CalledFunction>, path: string, id: string): ToolCallPart {
  const raw = called.arguments
  const read = isObject(raw) ? { arguments: raw } : readCallerArguments(wantString(raw, `${path}.arguments`))
  return { kind: 'tool_call', id, name: called.name, ...read }
}

function readToolMessage(message: JsonObject, path: string, names: Map<string, string>): Turn {
  const { tool_call_id, content } = readObject(ToolMessage, message, path)
  const name = names.get(tool_call_id)
  if (name === undefined)
    throw refusal(`${path}.tool_call_id`, 'matches no tool call of an earlier assistant message.')
  const parts = readContent(content, `${path}.content`, CONTENT_READERS)
  const cache = cacheOf(message) ?? lastMark(parts)
  return resultTurn(tool_call_id, name, parts, cache)
}

/** A message in the deprecated form answers the last call of its function. */
function readFunctionMessage(message: JsonObject, path: string, names: Map<string, string>): Turn {
  const { name, content } = readObject(FunctionMessage, message, path)
  const [id] = [...names].findLast(([, called]) => called === name) ?? []
  if (id === undefined)
    throw refusal(`${path}.name`, 'matches no function_call of an earlier assistant message.')
  return resultTurn(id, name, readContent(content, `${path}.content`, CONTENT_READERS))
}

const resultTurn = (
  call_id: string,
  name: string,
  content: ToolResultPart['content'],
  cache?: CacheTtl,
): Turn => ({
  role: 'user',
  parts: [{ kind: 'tool_result', call_id, name, content, failed: false, ...(cache && { cache }) }],
})

const CONTENT_READERS: ContentReaders = {
  text: (part, path) => ({ kind: 'text', text: readObject(TextContent, part, path).text }),
  refusal: (part, path) => ({ kind: 'text', text: readObject(RefusalContent, part, path).refusal }),
  image_url: readImage,
  input_audio: readAudio,
  file: readFile,
}

const DATA_URI = /^data:([\w.+-]+\/[\w.+-]+);base64,(.+)$/s

function readImage(part: JsonObject, path: string): MediaPart {
  return imageAt(readObject(ImageContent, part, path).image_url.url, `${path}.image_url.url`)
}

/** An image, from an address or a data URI. */
export function imageAt(url: string, at: string): MediaPart {
  const [, mime_type, data] = DATA_URI.exec(url) ?? []
  if (mime_type && data) return { kind: 'image', source: { by: 'data', mime_type, data }, at }
  if (!url.startsWith('https://')) throw refusal(at, 'must be an https:// or data:image/…;base64, address.')
  return { kind: 'image', source: { by: 'url', url }, at }
}

export function readAudio(part: JsonObject, path: string): MediaPart {
  const { format, data } = readObject(AudioContent, part, path).input_audio
  return { kind: 'audio', source: { by: 'data', mime_type: AUDIO_TYPES[format], data }, at: path }
}

function readFile(part: JsonObject, path: string): MediaPart {
  const { file } = readObject(FileContent, part, path)
  if (file.file_id !== undefined)
    throw refusal(
      `${path}.file.file_id`,
      'file IDs work only at the provider that stores the file. Send file_data.',
    )
  const { file_data, filename } = readObject(InlineFile, file, `${path}.file`)
  return inlineDocument(file_data, stringIn(filename), `${path}.file.file_data`)
}

/** A document from a data URI. */
export function inlineDocument(file_data: string, name: string | undefined, at: string): MediaPart {
  const [, mime_type, data] = DATA_URI.exec(file_data) ?? []
  if (!mime_type || !data) throw refusal(at, 'must be a data:…;base64, address.')
  return { kind: 'document', source: { by: 'data', mime_type, data }, name, at }
}
