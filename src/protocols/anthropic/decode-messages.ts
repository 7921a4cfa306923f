// Decoding of the conversation of a messages request: blocks become parts, and each signature is attached to its part.

import { cacheOf, lastMark, type SystemText, withCacheMark } from '../caching.ts'
import type {
  MediaPart,
  Part,
  Signature,
  Source,
  TextPart,
  ToolResultPart,
  Turn,
} from '../canonical/parts.ts'
import { type ContentReaders, readContent } from '../content.ts'
import { Anything, Choice, Fields, Flag, List, OpenObject, optional, readObject, Text } from '../forms.ts'
import { eachOf, type Json, type JsonObject, oneOf, refusal, wantObject } from '../wire/json.ts'
import { readSignature } from './signature.ts'

const ROLES = { user: 'user', assistant: 'assistant', system: 'system' } as const

/** `content` is one text, or a list of blocks. */
export const Message = Fields({ role: Choice(ROLES), content: Anything })
const TextBlock = Fields({ text: Text })
const ImageBlock = Fields({ source: OpenObject })
const DocumentBlock = Fields({ source: OpenObject, title: optional(Text), context: optional(Text) })
const SearchResultBlock = Fields({ title: Text, source: Text, content: List(TextBlock) })
const ToolUseBlock = Fields({ id: Text, name: Text, input: OpenObject })
const ToolResultBlock = Fields({
  tool_use_id: Text,
  content: Anything,
  is_error: optional(Flag),
})
const ThinkingBlock = Fields({ thinking: Text, signature: Text })
const RedactedThinkingBlock = Fields({ data: Text })
const InlineSource = Fields({ media_type: Text, data: Text })
const UrlSource = Fields({ url: Text })
const TextSource = Fields({ data: Text })

interface Conversation {
  /** Texts of system messages within the conversation: other protocols have a single place for system texts. */
  system: SystemText[]
  turns: Turn[]
}

/** Decodes all messages of a request. @throws GatewayError invalid_request that names the malformed field */
export function decodeMessages(value: Json | undefined): Conversation {
  const names = new Map<string, string>()
  const conversation: Conversation = { system: [], turns: [] }
  eachOf(value, 'messages', (item, path) => {
    const { role, content } = readObject(Message, item, path)
    if (role === 'system') conversation.system.push(...readSystem(content, `${path}.content`))
    else conversation.turns.push({ role, parts: readBlocks(content, `${path}.content`, names) })
  })
  return conversation
}

/** A system prompt: one text, or blocks of text. */
export function readSystem(value: Json | undefined, path: string): SystemText[] {
  if (typeof value === 'string') return value === '' ? [] : [{ text: value, cache: undefined }]
  return eachOf(value, path, (item, at) => {
    const block = wantObject(item, at)
    return { text: readObject(TextBlock, block, at).text, cache: cacheOf(block) }
  })
}

/** @param names the tool names of all calls so far, by call id */
type BlockReader = (block: JsonObject, path: string, names: Map<string, string>) => Part | SignatureOfNext

/** A thinking block that only carries the signature of the following tool call. */
interface SignatureOfNext {
  readonly kind: 'signature_of_next'
  readonly text: string
  readonly signature: Signature
}

const RESULT_READERS: ContentReaders = {
  text: (block, path) => ({ kind: 'text', text: readObject(TextBlock, block, path).text }),
  image: (block, path) => {
    const { source } = readObject(ImageBlock, block, path)
    return { kind: 'image', source: readSource(source, `${path}.source`), at: path }
  },
  document: readDocument,
  search_result: readSearchResult,
}

const BLOCK_READERS: Readonly<Record<string, BlockReader>> = {
  ...RESULT_READERS,
  tool_use: readToolUse,
  tool_result: readToolResult,
  thinking: readThinking,
  redacted_thinking: readRedacted,
}

function readBlocks(value: Json | undefined, path: string, names: Map<string, string>): Part[] {
  if (typeof value === 'string') return value === '' ? [] : [{ kind: 'text', text: value }]
  return signNext(
    eachOf(value, path, (item, at) => {
      const block = wantObject(item, at)
      const read = oneOf(BLOCK_READERS, block.type, `${at}.type`)(block, at, names)
      return read.kind === 'signature_of_next' ? read : withCacheMark(read, block)
    }),
  )
}

/** Attaches to each tool call the signature from the block before it. */
function signNext(read: readonly (Part | SignatureOfNext)[]): Part[] {
  const parts: Part[] = []
  let signature: Signature | undefined
  for (const part of read) {
    if (part.kind === 'signature_of_next') {
      signature = part.signature
      if (part.text !== '') parts.push({ kind: 'thinking', text: part.text })
    } else if (part.kind === 'tool_call') {
      parts.push({ ...part, signature })
      signature = undefined
    } else {
      parts.push(part)
    }
  }
  return parts
}

function readSearchResult(block: JsonObject, path: string): TextPart {
  const { title, source, content } = readObject(SearchResultBlock, block, path)
  return { kind: 'text', text: [`${title} (${source})`, ...content.map(({ text }) => text)].join('\n') }
}

function readToolUse(block: JsonObject, path: string, names: Map<string, string>): Part {
  const { id, name, input } = readObject(ToolUseBlock, block, path)
  names.set(id, name)
  return { kind: 'tool_call', id, name, arguments: input }
}

function readToolResult(block: JsonObject, path: string, names: Map<string, string>): ToolResultPart {
  const { tool_use_id, content, is_error } = readObject(ToolResultBlock, block, path)
  const name = names.get(tool_use_id)
  if (name === undefined)
    throw refusal(`${path}.tool_use_id`, 'matches no tool_use block of an earlier assistant message.')
  const parts = readContent(content, `${path}.content`, RESULT_READERS)
  const cache = lastMark(parts)
  return {
    kind: 'tool_result',
    call_id: tool_use_id,
    name,
    content: parts,
    failed: is_error ?? false,
    ...(cache && { cache }),
  }
}

function readThinking(block: JsonObject, path: string): Part | SignatureOfNext {
  const { thinking: text, signature: packed } = readObject(ThinkingBlock, block, path)
  if (packed === '') return { kind: 'thinking', text }
  const { signature, signed } = readSignature(packed)
  return { kind: signed === 'tool_call' ? 'signature_of_next' : 'thinking', text, signature }
}

function readRedacted(block: JsonObject, path: string): Part {
  const { signature } = readSignature(readObject(RedactedThinkingBlock, block, path).data)
  return { kind: 'redacted_thinking', signature }
}

const SOURCE_READERS: Readonly<Record<string, (source: JsonObject, path: string) => Source>> = {
  base64: readInline,
  url: readUrl,
  file: rejectFile,
}

const readSource = (source: JsonObject, path: string): Source =>
  oneOf(SOURCE_READERS, source.type, `${path}.type`)(source, path)

function readDocument(block: JsonObject, path: string): TextPart | MediaPart {
  const { source, title, context } = readObject(DocumentBlock, block, path)
  const at = `${path}.source`
  if (source.type === 'text') {
    const lines = [title, context, readObject(TextSource, source, at).data]
    return { kind: 'text', text: lines.filter((line) => line !== undefined && line !== null).join('\n') }
  }
  return {
    kind: 'document',
    source: readSource(source, at),
    name: title ?? undefined,
    context: context ?? undefined,
    at: path,
  }
}

function readInline(source: JsonObject, path: string): Source {
  const { media_type, data } = readObject(InlineSource, source, path)
  return { by: 'data', mime_type: media_type, data }
}

function readUrl(source: JsonObject, path: string): Source {
  const { url } = readObject(UrlSource, source, path)
  if (!url.startsWith('https://')) throw refusal(`${path}.url`, 'must be an https:// address.')
  return { by: 'url', url }
}

function rejectFile(_: JsonObject, path: string): never {
  throw refusal(
    `${path}.file_id`,
    'file IDs work only at the provider that stores the file. Send the data inline.',
  )
}
