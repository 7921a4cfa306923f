// The contents of a native request, read: parts become canonical parts, and tool results are matched with their calls.
// https://ai.google.dev/api/caching#Content
import {
  type MediaPart,
  madeCallId,
  type Part,
  type TextPart,
  type ToolCallPart,
  type ToolResultPart,
  type Turn,
} from '../canonical/parts.ts'
import {
  Anything,
  Choice,
  type FieldReader,
  Fields,
  Flag,
  List,
  OpenObject,
  optional,
  readObject,
  Text,
} from '../forms.ts'
import { eachOf, type Json, type JsonObject, refusal, wantObject } from '../wire/json.ts'
import { camelCased, readCamelCased } from './camel-case.ts'
import { readSignature } from './signature.ts'

const ROLES = { user: 'user', model: 'assistant', function: 'user', tool: 'user' } as const

export const InlineData = Fields({ mimeType: Text, data: Text })
export const FileData = Fields({ fileUri: Text, mimeType: Text })
export const ResponseMedia = Fields({ inlineData: optional(InlineData), fileData: optional(FileData) })
export const FunctionCall = Fields({ id: optional(Text), name: Text, args: optional(OpenObject) })
export const FunctionResponse = Fields({
  id: optional(Text),
  name: Text,
  response: OpenObject,
  parts: optional(List(ResponseMedia)),
})
export const RequestPart = Fields({
  text: optional(Text),
  thought: optional(Flag),
  thoughtSignature: optional(Text),
  inlineData: optional(InlineData),
  fileData: optional(FileData),
  functionCall: optional(FunctionCall),
  functionResponse: optional(FunctionResponse),
})
/** `parts` is a list, or a single part. */
export const RequestContent = Fields({ role: optional(Choice(ROLES)), parts: Anything })
export const SystemContent = Fields({ parts: Anything })
export const SystemPart = Fields({ text: Text })

/** The tool calls so far, and those of them that have no result yet. */
interface Calls {
  made: number
  waiting: { id: string; name: string }[]
}

/** All contents as turns. @throws GatewayError invalid_request that names what is malformed */
export function decodeContents(value: Json | undefined): Turn[] {
  const calls: Calls = { made: 0, waiting: [] }
  return eachOf(value, 'contents', (item, at) => {
    const content = readCamelCased(RequestContent, item, at)
    const role = ROLES[content.get('role') ?? 'user']
    const parts = eachOf(listOf(content.get('parts')), content.at('parts'), (part, path) =>
      readPart(part, path, calls),
    )
    return { role, parts }
  })
}

/** systemInstruction: one text, or a content with parts of text. */
export function decodeSystem(value: Json, path: string): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value]
  const content = readObject(SystemContent, value, path)
  return eachOf(listOf(content.get('parts')), content.at('parts'), (part, at) =>
    readObject(SystemPart, part, at).get('text'),
  )
}

/** A single part in place of the array is taken, as the provider takes it. */
const listOf = (parts: Json | undefined): Json | undefined =>
  parts === undefined || Array.isArray(parts) ? parts : [parts]

type PartFields = FieldReader<typeof RequestPart>
type PartReader = (part: PartFields, calls: Calls) => Part

/** By the field that a part has; the first one decides. */
const PART_READERS: readonly (readonly [string, PartReader])[] = [
  ['text', readText],
  ['inlineData', (part) => readInline(part.get('inlineData'), part.at('inlineData'))],
  ['fileData', (part) => readFile(part.get('fileData'), part.at('fileData'))],
  ['functionCall', readCall],
  ['functionResponse', readResult],
  ['thoughtSignature', readText],
]

function readPart(value: Json | undefined, at: string, calls: Calls): Part {
  const part = camelCased(wantObject(value, at), at)
  const found = PART_READERS.find(([field]) => part[field] !== undefined && part[field] !== null)
  if (found) return found[1](readObject(RequestPart, part, at), calls)
  const [field = 'text'] = Object.keys(part)
  throw refusal(`${at}.${field}`, "is a kind of part that cannot be carried to another provider's model.")
}

function readText(part: PartFields): Part {
  const text = part.get('text') ?? ''
  const packed = part.get('thoughtSignature')
  const { signature, signed } = packed ? readSignature(packed) : {}
  if (signature && signed === 'redacted_thinking') return { kind: 'redacted_thinking', signature }
  return { kind: part.get('thought') ? 'thinking' : 'text', text, signature }
}

const MEDIA_KINDS: Readonly<Record<string, MediaPart['kind']>> = {
  image: 'image',
  audio: 'audio',
  application: 'document',
}

function kindOf(mime_type: string, at: string): MediaPart['kind'] {
  const kind = MEDIA_KINDS[mime_type.slice(0, mime_type.indexOf('/'))]
  if (!kind) throw refusal(`${at}.mimeType`, `${mime_type} cannot be carried to another provider's model.`)
  return kind
}

function readInline(value: Json | undefined, at: string): TextPart | MediaPart {
  const blob = readCamelCased(InlineData, value, at)
  const mime_type = blob.get('mimeType')
  const data = blob.get('data')
  if (mime_type.startsWith('text/')) return { kind: 'text', text: Buffer.from(data, 'base64').toString() }
  return { kind: kindOf(mime_type, at), source: { by: 'data', mime_type, data }, at }
}

/** Files in the provider's own store, which nobody else can open. */
const OWN_FILE = /^https:\/\/(generativelanguage\.googleapis\.com|www\.youtube\.com|youtu\.be)\//

function readFile(value: Json | undefined, at: string): MediaPart {
  const file = readCamelCased(FileData, value, at)
  const url = file.get('fileUri')
  const kind = kindOf(file.get('mimeType'), at)
  if (!url.startsWith('https://') || OWN_FILE.test(url))
    throw refusal(
      file.at('fileUri'),
      "must be a public https:// address for another provider's model; or send the data inline.",
    )
  return { kind, source: { by: 'url', url }, at }
}

function readCall(part: PartFields, calls: Calls): ToolCallPart {
  const called = readCamelCased(FunctionCall, part.get('functionCall'), part.at('functionCall'))
  const name = called.get('name')
  const id = called.get('id') || madeCallId('gemini', 0, calls.made)
  calls.made++
  calls.waiting.push({ id, name })
  const packed = part.get('thoughtSignature')
  return {
    kind: 'tool_call',
    id,
    name,
    arguments: called.get('args') ?? {},
    signature: packed ? readSignature(packed).signature : undefined,
  }
}

/** A result without an id belongs to the first call of its name that has no result yet. */
function readResult(part: PartFields, calls: Calls): ToolResultPart {
  const at = part.at('functionResponse')
  const result = readCamelCased(FunctionResponse, part.get('functionResponse'), at)
  const name = result.get('name')
  const id = result.get('id') || undefined
  const index = calls.waiting.findIndex((call) => (id === undefined ? call.name === name : call.id === id))
  const [call] = index < 0 ? [] : calls.waiting.splice(index, 1)
  if (!call) throw refusal(at, 'matches no functionCall of an earlier content that has no response yet.')
  const { text, failed } = readResponse(result.get('response'))
  const said: TextPart[] = text === '' ? [] : [{ kind: 'text', text }]
  const content = [...said, ...result.each('parts', readMedia)]
  return { kind: 'tool_result', call_id: call.id, name, content, failed }
}

/**
 * `output` alone is the tool's text, and `error` alone the text of its failure; anything else is JSON of the tool's
 * own.
 */
function readResponse(response: JsonObject): { text: string; failed: boolean } {
  const [[key, value] = [], ...others] = Object.entries(response)
  if (others.length === 0 && typeof value === 'string' && (key === 'output' || key === 'error'))
    return { text: value, failed: key === 'error' }
  return { text: key === undefined ? '' : JSON.stringify(response), failed: false }
}

function readMedia(value: Json | undefined, path: string): TextPart | MediaPart {
  const media = readCamelCased(ResponseMedia, value, path)
  const file = media.get('fileData')
  return file
    ? readFile(file, media.at('fileData'))
    : readInline(media.get('inlineData'), media.at('inlineData'))
}
