// Decoding of the contents of a native request: parts become canonical parts, and tool results are matched with their calls.
// https://ai.google.dev/api/caching#Content
import type { Static } from '@sinclair/typebox'
import {
  type MediaPart,
  newCallId,
  type Part,
  type TextPart,
  type ToolCallPart,
  type ToolResultPart,
  type Turn,
} from '../canonical/parts.ts'
import {
  Anything,
  Choice,
  Fields,
  Flag,
  List,
  OpenObject,
  optional,
  type Present,
  readObject,
  readPresent,
  Text,
} from '../forms.ts'
import { eachOf, type Json, type JsonObject, objectsIn, refusal, wantObject } from '../wire/json.ts'
import { readSignature, unsignedText } from './signature.ts'
import { camelCased, readCamelCased } from './spellings.ts'

const ROLES = { user: 'user', model: 'assistant', function: 'user', tool: 'user' } as const

// Nested objects have their own forms, because each may use either spelling.
const InlineData = Fields({ mimeType: Text, data: Text })
const FileData = Fields({ fileUri: Text, mimeType: Text })
const ResponseMedia = Fields({ inlineData: optional(OpenObject), fileData: optional(OpenObject) })
const FunctionCall = Fields({ id: optional(Text), name: Text, args: optional(OpenObject) })
const FunctionResponse = Fields({
  id: optional(Text),
  name: Text,
  response: OpenObject,
  parts: optional(List(OpenObject)),
})
const RequestPart = Fields({
  text: optional(Text),
  thought: optional(Flag),
  thoughtSignature: optional(Text),
  inlineData: optional(OpenObject),
  fileData: optional(OpenObject),
  functionCall: optional(OpenObject),
  functionResponse: optional(OpenObject),
})
type RequestPart = Present<Static<typeof RequestPart>>
/** `parts` is a list, or a single part. */
const RequestContent = Fields({ role: optional(Choice(ROLES)), parts: Anything })
const SystemContent = Fields({ parts: Anything })
const SystemPart = Fields({ text: Text })

/** The tool calls so far, and those without a result. */
interface Calls {
  made: number
  waiting: { id: string; name: string }[]
  /** Whether the current content includes the thinking itself. */
  has_thinking: boolean
}

/** Decodes all contents into turns. @throws GatewayError invalid_request that names the malformed field */
export function decodeContents(value: Json | undefined): Turn[] {
  const calls: Calls = { made: 0, waiting: [], has_thinking: false }
  return eachOf(value, 'contents', (item, at) => {
    const { role = 'user', parts } = readCamelCased(RequestContent, item, at)
    calls.has_thinking = objectsIn(listOf(parts)).some(({ thought, text }) => thought === true && text)
    const read = eachOf(listOf(parts), `${at}.parts`, (part, path) => readPart(part, path, calls))
    return { role: ROLES[role], parts: read.flat() }
  })
}

/** Decodes systemInstruction: one text, or a content with text parts. */
export function decodeSystem(value: Json, path: string): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value]
  const { parts } = readObject(SystemContent, value, path)
  return eachOf(listOf(parts), `${path}.parts`, (part, at) => readObject(SystemPart, part, at).text)
}

/** Accepts a single part in place of the array, as the provider does. */
const listOf = (parts: Json | undefined): Json | undefined =>
  parts === undefined || Array.isArray(parts) ? parts : [parts]

type PartReader = (part: RequestPart, at: string, calls: Calls) => Part | Part[]

/** Readers by field, in order of precedence: a part's first field decides. */
const PART_READERS: readonly (readonly [keyof RequestPart, PartReader])[] = [
  ['text', readText],
  ['inlineData', readSignedInline],
  ['fileData', ({ fileData }, at) => readFile(fileData, `${at}.fileData`)],
  ['functionCall', readCall],
  ['functionResponse', readResult],
  ['thoughtSignature', readText],
]

function readPart(value: Json | undefined, at: string, calls: Calls): Part | Part[] {
  const fields = camelCased(wantObject(value, at), at)
  const part = readPresent(RequestPart, fields, at)
  const found = PART_READERS.find(([field]) => part[field] !== undefined)
  if (found) return found[1](part, at, calls)
  const [field = 'text'] = Object.keys(fields)
  throw refusal(`${at}.${field}`, 'this kind of part is not supported by models of other providers.')
}

function readText({ text = '', thought = false, thoughtSignature }: RequestPart): Part {
  const { signature, signed } = thoughtSignature ? readSignature(thoughtSignature) : {}
  if (signature && signed === 'redacted_thinking') return { kind: 'redacted_thinking', signature }
  return { kind: thought ? 'thinking' : 'text', text, signature }
}

const MEDIA_KINDS: Readonly<Record<string, MediaPart['kind']>> = {
  image: 'image',
  audio: 'audio',
  application: 'document',
}

function kindOf(mime_type: string, at: string): MediaPart['kind'] {
  const kind = MEDIA_KINDS[mime_type.slice(0, mime_type.indexOf('/'))]
  if (!kind) throw refusal(`${at}.mimeType`, `${mime_type} is not supported by models of other providers.`)
  return kind
}

/** An image that the model generated may have a signature. */
function readSignedInline({ inlineData, thoughtSignature }: RequestPart, at: string): TextPart | MediaPart {
  const read = readInline(inlineData, `${at}.inlineData`)
  return thoughtSignature ? { ...read, signature: readSignature(thoughtSignature).signature } : read
}

function readInline(value: Json | undefined, at: string): TextPart | MediaPart {
  const { mimeType: mime_type, data } = readCamelCased(InlineData, value, at)
  if (mime_type.startsWith('text/')) return { kind: 'text', text: Buffer.from(data, 'base64').toString() }
  return { kind: kindOf(mime_type, at), source: { by: 'data', mime_type, data }, at }
}

/** Addresses that only Gemini models can open: files in Google's own store, and YouTube videos. */
const OWN_FILE = /^https:\/\/(generativelanguage\.googleapis\.com|www\.youtube\.com|youtu\.be)\//

function readFile(value: Json | undefined, at: string): MediaPart {
  const { fileUri: url, mimeType } = readCamelCased(FileData, value, at)
  const kind = kindOf(mimeType, at)
  if (!url.startsWith('https://') || OWN_FILE.test(url))
    throw refusal(
      `${at}.fileUri`,
      "must be a public https:// address for another provider's model; or send the data inline.",
    )
  return { kind, source: { by: 'url', url }, at }
}

/** A call may carry the thinking that led to it, encrypted or unsigned. */
function readCall({ functionCall, thoughtSignature }: RequestPart, at: string, calls: Calls): Part[] {
  const called = readCamelCased(FunctionCall, functionCall, `${at}.functionCall`)
  const { name, args = {} } = called
  const id = called.id || newCallId('gemini', 0, calls.made)
  calls.made++
  calls.waiting.push({ id, name })
  const { signature, signed } = thoughtSignature ? readSignature(thoughtSignature) : {}
  const call: ToolCallPart = { kind: 'tool_call', id, name, arguments: args }
  if (signature && signed === 'redacted_thinking') return [{ kind: 'redacted_thinking', signature }, call]
  const text = signature && unsignedText(signature)
  if (text === undefined) return [{ ...call, signature }]
  return calls.has_thinking ? [call] : [{ kind: 'thinking', text }, call]
}

/** A result without an id belongs to the first call of its name that has no result yet. */
function readResult({ functionResponse }: RequestPart, path: string, calls: Calls): ToolResultPart {
  const at = `${path}.functionResponse`
  const { id, name, response, parts = [] } = readCamelCased(FunctionResponse, functionResponse, at)
  const index = calls.waiting.findIndex((call) => (id ? call.id === id : call.name === name))
  const [call] = index < 0 ? [] : calls.waiting.splice(index, 1)
  if (!call) throw refusal(at, 'matches no functionCall of an earlier content that has no response yet.')
  const { text, failed } = readResponse(response)
  const texts: TextPart[] = text === '' ? [] : [{ kind: 'text', text }]
  const media = parts.map((part, number) => readMedia(part, `${at}.parts[${number}]`))
  return { kind: 'tool_result', call_id: call.id, name, content: [...texts, ...media], failed }
}

/** A single `output` is the tool's text, and a single `error` the text of its failure; anything else is the tool's own JSON. */
function readResponse(response: JsonObject): { text: string; failed: boolean } {
  const [[key, value] = [], ...others] = Object.entries(response)
  if (others.length === 0 && typeof value === 'string' && (key === 'output' || key === 'error'))
    return { text: value, failed: key === 'error' }
  return { text: key === undefined ? '' : JSON.stringify(response), failed: false }
}

function readMedia(value: JsonObject, at: string): TextPart | MediaPart {
  const { inlineData, fileData } = readCamelCased(ResponseMedia, value, at)
  return fileData ? readFile(fileData, `${at}.fileData`) : readInline(inlineData, `${at}.inlineData`)
}
