// Owns the reading of a messages request's conversation: blocks into parts, foreign seals back to what they seal.
import type { MediaPart, Part, Signature, Source, TextPart, ToolResultPart, Turn } from '../canonical.ts'
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

interface Conversation {
  /** What system messages in the midst of the conversation said: other vendors have one place for it. */
  system: string[]
  turns: Turn[]
}

const ROLES = { user: 'user', assistant: 'assistant', system: 'system' } as const

/** All messages of a request. @throws GatewayError invalid_request that names what is malformed */
export function decodeMessages(value: Json | undefined): Conversation {
  const names = new Map<string, string>()
  const conversation: Conversation = { system: [], turns: [] }
  eachOf(value, 'messages', (item, path) => {
    const message = wantObject(item, path)
    const role = oneOf(ROLES, message.role, `${path}.role`)
    if (role === 'system') conversation.system.push(...readSystem(message.content, `${path}.content`))
    else conversation.turns.push({ role, parts: readContent(message.content, `${path}.content`, names) })
  })
  return conversation
}

/** A system prompt: one text, or blocks of text. */
export function readSystem(value: Json | undefined, path: string): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value]
  return eachOf(value, path, (item, at) => wantString(wantObject(item, at).text, `${at}.text`))
}

type BlockReader = (block: JsonObject, path: string, names: Map<string, string>) => Part | SealOfNext

/** A thinking block that only carries the seal of the tool call after it. */
interface SealOfNext {
  readonly kind: 'seal_of_next'
  readonly text: string
  readonly signature: Signature
}

const BLOCK_READERS: Readonly<Record<string, BlockReader>> = {
  text: readText,
  image: (block, path) => ({ kind: 'image', source: readImageSource(block.source, path), at: path }),
  document: readDocument,
  search_result: readSearchResult,
  tool_use: readToolUse,
  tool_result: readToolResult,
  thinking: readThinking,
  redacted_thinking: readRedacted,
}

const RESULT_READERS: Readonly<Record<string, (block: JsonObject, path: string) => TextPart | MediaPart>> = {
  text: readText,
  image: (block, path) => ({ kind: 'image', source: readImageSource(block.source, path), at: path }),
  document: readDocument,
  search_result: readSearchResult,
}

function readContent(value: Json | undefined, path: string, names: Map<string, string>): Part[] {
  if (typeof value === 'string') return value === '' ? [] : [{ kind: 'text', text: value }]
  return sealNext(
    eachOf(value, path, (item, at) => {
      const block = wantObject(item, at)
      return oneOf(BLOCK_READERS, block.type, `${at}.type`)(block, at, names)
    }),
  )
}

/** Gives each tool call the seal that stood in front of it. */
function sealNext(read: readonly (Part | SealOfNext)[]): Part[] {
  const parts: Part[] = []
  let seal: Signature | undefined
  for (const part of read) {
    if (part.kind === 'seal_of_next') {
      seal = part.signature
      if (part.text !== '') parts.push({ kind: 'thinking', text: part.text })
    } else if (part.kind === 'tool_call') {
      parts.push({ ...part, signature: seal })
      seal = undefined
    } else {
      parts.push(part)
    }
  }
  return parts
}

function readText(block: JsonObject, path: string): TextPart {
  return { kind: 'text', text: wantString(block.text, `${path}.text`) }
}

function readSearchResult(block: JsonObject, path: string): TextPart {
  const texts = eachOf(block.content, `${path}.content`, (item, at) =>
    wantString(wantObject(item, at).text, `${at}.text`),
  )
  const title = wantString(block.title, `${path}.title`)
  const source = wantString(block.source, `${path}.source`)
  return { kind: 'text', text: [`${title} (${source})`, ...texts].join('\n') }
}

function readToolUse(block: JsonObject, path: string, names: Map<string, string>): Part {
  const id = wantString(block.id, `${path}.id`)
  const name = wantString(block.name, `${path}.name`)
  names.set(id, name)
  return { kind: 'tool_call', id, name, arguments: wantObject(block.input, `${path}.input`) }
}

function readToolResult(block: JsonObject, path: string, names: Map<string, string>): ToolResultPart {
  const call_id = wantString(block.tool_use_id, `${path}.tool_use_id`)
  const name = names.get(call_id)
  if (name === undefined)
    throw refusal(`${path}.tool_use_id`, 'answers no tool_use block of an earlier assistant message.')
  return {
    kind: 'tool_result',
    call_id,
    name,
    content: maybe(readResultContent, block.content, `${path}.content`) ?? [],
    failed: maybe(wantBoolean, block.is_error, `${path}.is_error`) ?? false,
  }
}

function readResultContent(value: Json | undefined, path: string): (TextPart | MediaPart)[] {
  if (typeof value === 'string') return value === '' ? [] : [{ kind: 'text', text: value }]
  return eachOf(value, path, (item, at) => {
    const block = wantObject(item, at)
    return oneOf(RESULT_READERS, block.type, `${at}.type`)(block, at)
  })
}

function readThinking(block: JsonObject, path: string): Part | SealOfNext {
  const text = wantString(block.thinking, `${path}.thinking`)
  const sealed = wantString(block.signature, `${path}.signature`)
  if (sealed === '') return { kind: 'thinking', text }
  const unpacked = unpackSignature(sealed, 'anthropic')
  return unpacked.sealed === 'tool_call'
    ? { kind: 'seal_of_next', text, signature: unpacked.signature }
    : { kind: 'thinking', text, signature: unpacked.signature }
}

function readRedacted(block: JsonObject, path: string): Part {
  const { signature } = unpackSignature(wantString(block.data, `${path}.data`), 'anthropic')
  return { kind: 'redacted_thinking', signature }
}

const IMAGE_SOURCES = { base64: readInline, url: readUrl, file: refuseFile }

function readImageSource(value: Json | undefined, path: string): Source {
  const source = wantObject(value, `${path}.source`)
  return oneOf(IMAGE_SOURCES, source.type, `${path}.source.type`)(source, `${path}.source`)
}

function readDocument(block: JsonObject, path: string): TextPart | MediaPart {
  const source = wantObject(block.source, `${path}.source`)
  const at = `${path}.source`
  if (source.type === 'text') return { kind: 'text', text: wantString(source.data, `${at}.data`) }
  const name = maybe(wantString, block.title, `${path}.title`)
  const read = oneOf(IMAGE_SOURCES, source.type, `${at}.type`)(source, at)
  return { kind: 'document', source: read, name, at: path }
}

function readInline(source: JsonObject, path: string): Source {
  const mime_type = wantString(source.media_type, `${path}.media_type`)
  return { by: 'data', mime_type, data: wantString(source.data, `${path}.data`) }
}

function readUrl(source: JsonObject, path: string): Source {
  const url = wantString(source.url, `${path}.url`)
  if (!url.startsWith('https://')) throw refusal(`${path}.url`, 'must be an https:// address.')
  return { by: 'url', url }
}

function refuseFile(_: JsonObject, path: string): never {
  throw refusal(`${path}.file_id`, 'files of a vendor cannot be carried to another; send the data inline.')
}
