// Owns the reading of a native request's contents: parts as canonical parts, tool calls and results matched by made ids.
// https://ai.google.dev/api/caching#Content
import {
  type MediaPart,
  madeCallId,
  type Part,
  type TextPart,
  type ToolCallPart,
  type ToolResultPart,
  type Turn,
} from '../canonical.ts'
import { unpackSignature } from '../signature.ts'
import {
  eachOf,
  type Json,
  type JsonObject,
  maybe,
  oneOf,
  refusal,
  wantBoolean,
  wantObject,
  wantString,
} from '../wire/json.ts'
import { camelCased } from './spelling.ts'

const ROLES = { user: 'user', model: 'assistant', function: 'user', tool: 'user' } as const

/** The tool calls so far, and which of them await a result. */
interface Calls {
  made: number
  waiting: { id: string; name: string }[]
}

/** All contents as turns. @throws GatewayError invalid_request that names what is malformed */
export function decodeContents(value: Json | undefined): Turn[] {
  const calls: Calls = { made: 0, waiting: [] }
  return eachOf(value, 'contents', (item, at) => {
    const content = camelCased(wantObject(item, at), at)
    const role = maybe((name, path) => oneOf(ROLES, name, path), content.role, `${at}.role`) ?? 'user'
    return { role, parts: readParts(content.parts, `${at}.parts`, calls) }
  })
}

/** systemInstruction: a content with parts of text, or the text alone. */
export function decodeSystem(value: Json | undefined, path: string): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value]
  const { parts } = wantObject(value, path)
  return eachOf(listOf(parts), `${path}.parts`, (part, at) =>
    wantString(wantObject(part, at).text, `${at}.text`),
  )
}

/** One part where an array is due is taken, as the vendor takes it. */
const listOf = (parts: Json | undefined): Json | undefined =>
  parts === undefined || Array.isArray(parts) ? parts : [parts]

const readParts = (value: Json | undefined, path: string, calls: Calls): Part[] =>
  eachOf(listOf(value), path, (item, at) => readPart(camelCased(wantObject(item, at), at), at, calls))

type PartReader = (part: JsonObject, at: string, calls: Calls) => Part

/** By the field that a part has; the first that it has decides. */
const PART_READERS: readonly (readonly [string, PartReader])[] = [
  ['text', readText],
  ['inlineData', readInline],
  ['fileData', readFile],
  ['functionCall', readCall],
  ['functionResponse', readResult],
  ['thoughtSignature', readText],
]

function readPart(part: JsonObject, at: string, calls: Calls): Part {
  const found = PART_READERS.find(([field]) => part[field] !== undefined && part[field] !== null)
  if (found) return found[1](part, at, calls)
  const [field = 'text'] = Object.keys(part)
  throw refusal(`${at}.${field}`, 'is no kind of part that can be carried to a model of another vendor.')
}

function readText(part: JsonObject, at: string): Part {
  const text = maybe(wantString, part.text, `${at}.text`) ?? ''
  const sealed = maybe(wantString, part.thoughtSignature, `${at}.thoughtSignature`)
  const unpacked = sealed ? unpackSignature(sealed, 'gemini') : undefined
  if (unpacked?.sealed === 'redacted_thinking')
    return { kind: 'redacted_thinking', signature: unpacked.signature }
  const thought = maybe(wantBoolean, part.thought, `${at}.thought`) ?? false
  return { kind: thought ? 'thinking' : 'text', text, signature: unpacked?.signature }
}

const MEDIA_KINDS: Readonly<Record<string, MediaPart['kind']>> = {
  image: 'image',
  audio: 'audio',
  application: 'document',
}

function kindOf(mime_type: string, at: string): MediaPart['kind'] {
  const kind = MEDIA_KINDS[mime_type.slice(0, mime_type.indexOf('/'))]
  if (!kind) throw refusal(`${at}.mimeType`, `${mime_type} cannot be carried to a model of another vendor.`)
  return kind
}

function readInline(part: JsonObject, path: string): TextPart | MediaPart {
  const at = `${path}.inlineData`
  const blob = camelCased(wantObject(part.inlineData, at), at)
  const mime_type = wantString(blob.mimeType, `${at}.mimeType`)
  const data = wantString(blob.data, `${at}.data`)
  if (mime_type.startsWith('text/')) return { kind: 'text', text: Buffer.from(data, 'base64').toString() }
  return { kind: kindOf(mime_type, at), source: { by: 'data', mime_type, data }, at }
}

/** Files of the vendor's own store are opened by nobody else. */
const OWN_FILE = /^https:\/\/(generativelanguage\.googleapis\.com|www\.youtube\.com|youtu\.be)\//

function readFile(part: JsonObject, path: string): MediaPart {
  const at = `${path}.fileData`
  const file = camelCased(wantObject(part.fileData, at), at)
  const url = wantString(file.fileUri, `${at}.fileUri`)
  const kind = kindOf(wantString(file.mimeType, `${at}.mimeType`), at)
  if (!url.startsWith('https://') || OWN_FILE.test(url))
    throw refusal(`${at}.fileUri`, 'only a public https:// address can be carried; or send the data inline.')
  return { kind, source: { by: 'url', url }, at }
}

function readCall(part: JsonObject, path: string, calls: Calls): ToolCallPart {
  const at = `${path}.functionCall`
  const called = camelCased(wantObject(part.functionCall, at), at)
  const name = wantString(called.name, `${at}.name`)
  const id = maybe(wantString, called.id, `${at}.id`) || madeCallId('gemini', 0, calls.made)
  calls.made++
  calls.waiting.push({ id, name })
  const sealed = maybe(wantString, part.thoughtSignature, `${path}.thoughtSignature`)
  return {
    kind: 'tool_call',
    id,
    name,
    arguments: maybe(wantObject, called.args, `${at}.args`) ?? {},
    signature: sealed ? unpackSignature(sealed, 'gemini').signature : undefined,
  }
}

/** A result without an id answers the first call of its name that has no result yet. */
function readResult(part: JsonObject, path: string, calls: Calls): ToolResultPart {
  const at = `${path}.functionResponse`
  const result = camelCased(wantObject(part.functionResponse, at), at)
  const name = wantString(result.name, `${at}.name`)
  const id = maybe(wantString, result.id, `${at}.id`) || undefined
  const index = calls.waiting.findIndex((call) => (id === undefined ? call.name === name : call.id === id))
  const [call] = index < 0 ? [] : calls.waiting.splice(index, 1)
  if (!call) throw refusal(at, 'answers no functionCall of an earlier content that still awaits a response.')
  const { text, failed } = readResponse(wantObject(result.response, `${at}.response`))
  const media = maybe((parts, where) => eachOf(parts, where, readMedia), result.parts, `${at}.parts`)
  const said: TextPart[] = text === '' ? [] : [{ kind: 'text', text }]
  return { kind: 'tool_result', call_id: call.id, name, content: [...said, ...(media ?? [])], failed }
}

/** `output` alone is what a tool gave and `error` alone why it failed, as text; anything else is JSON of the tool's own. */
function readResponse(response: JsonObject): { text: string; failed: boolean } {
  const [[key, value] = [], ...others] = Object.entries(response)
  if (others.length === 0 && typeof value === 'string' && (key === 'output' || key === 'error'))
    return { text: value, failed: key === 'error' }
  return { text: key === undefined ? '' : JSON.stringify(response), failed: false }
}

function readMedia(value: Json | undefined, at: string): TextPart | MediaPart {
  const part = camelCased(wantObject(value, at), at)
  return part.fileData === undefined ? readInline(part, at) : readFile(part, at)
}
