// The conversation of a messages request, read: blocks become parts, and signatures go to the parts they belong to.
import type {
  MediaPart,
  Part,
  Signature,
  Source,
  TextPart,
  ToolResultPart,
  Turn,
} from '../canonical/parts.ts'
import { Anything, Choice, Fields, Flag, List, OpenObject, optional, readObject, Text } from '../forms.ts'
import { eachOf, type Json, type JsonObject, oneOf, refusal, wantObject } from '../wire/json.ts'
import { readSignature } from './signature.ts'

const ROLES = { user: 'user', assistant: 'assistant', system: 'system' } as const

/** `content` is one text, or a list of blocks. */
export const Message = Fields({ role: Choice(ROLES), content: Anything })
export const TextBlock = Fields({ text: Text })
export const ImageBlock = Fields({ source: OpenObject })
export const DocumentBlock = Fields({ source: OpenObject, title: optional(Text) })
export const SearchResultBlock = Fields({ title: Text, source: Text, content: List(TextBlock) })
export const ToolUseBlock = Fields({ id: Text, name: Text, input: OpenObject })
export const ToolResultBlock = Fields({
  tool_use_id: Text,
  content: optional(Anything),
  is_error: optional(Flag),
})
export const ThinkingBlock = Fields({ thinking: Text, signature: Text })
export const RedactedThinkingBlock = Fields({ data: Text })
export const InlineSource = Fields({ media_type: Text, data: Text })
export const UrlSource = Fields({ url: Text })
export const TextSource = Fields({ data: Text })

interface Conversation {
  /** The texts of system messages in the middle of the conversation: other protocols have one place for them. */
  system: string[]
  turns: Turn[]
}

/** All messages of a request. @throws GatewayError invalid_request that names what is malformed */
export function decodeMessages(value: Json | undefined): Conversation {
  const names = new Map<string, string>()
  const conversation: Conversation = { system: [], turns: [] }
  eachOf(value, 'messages', (item, path) => {
    const message = readObject(Message, item, path)
    const role = message.get('role')
    const content = message.get('content')
    if (role === 'system') conversation.system.push(...readSystem(content, message.at('content')))
    else conversation.turns.push({ role, parts: readContent(content, message.at('content'), names) })
  })
  return conversation
}

/** A system prompt: one text, or blocks of text. */
export function readSystem(value: Json | undefined, path: string): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value]
  return eachOf(value, path, readTextOf)
}

const readTextOf = (value: Json | undefined, path: string): string =>
  readObject(TextBlock, value, path).get('text')

/** @param names the tool of each tool call so far, by the call's id */
type BlockReader = (block: JsonObject, path: string, names: Map<string, string>) => Part | SignatureOfNext

/** A thinking block that only carries the signature of the tool call after it. */
interface SignatureOfNext {
  readonly kind: 'signature_of_next'
  readonly text: string
  readonly signature: Signature
}

const RESULT_READERS: Readonly<Record<string, (block: JsonObject, path: string) => TextPart | MediaPart>> = {
  text: (block, path) => ({ kind: 'text', text: readTextOf(block, path) }),
  image: (block, path) => {
    const image = readObject(ImageBlock, block, path)
    return { kind: 'image', source: readSource(image.get('source'), image.at('source')), at: path }
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

function readContent(value: Json | undefined, path: string, names: Map<string, string>): Part[] {
  if (typeof value === 'string') return value === '' ? [] : [{ kind: 'text', text: value }]
  return signNext(
    eachOf(value, path, (item, at) => {
      const block = wantObject(item, at)
      return oneOf(BLOCK_READERS, block.type, `${at}.type`)(block, at, names)
    }),
  )
}

/** Gives each tool call the signature that stood before it. */
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

function readSearchResult(value: JsonObject, path: string): TextPart {
  const block = readObject(SearchResultBlock, value, path)
  const texts = block.each('content', readTextOf)
  return { kind: 'text', text: [`${block.get('title')} (${block.get('source')})`, ...texts].join('\n') }
}

function readToolUse(value: JsonObject, path: string, names: Map<string, string>): Part {
  const block = readObject(ToolUseBlock, value, path)
  const id = block.get('id')
  const name = block.get('name')
  names.set(id, name)
  return { kind: 'tool_call', id, name, arguments: block.get('input') }
}

function readToolResult(value: JsonObject, path: string, names: Map<string, string>): ToolResultPart {
  const block = readObject(ToolResultBlock, value, path)
  const call_id = block.get('tool_use_id')
  const name = names.get(call_id)
  if (name === undefined)
    throw refusal(block.at('tool_use_id'), 'matches no tool_use block of an earlier assistant message.')
  return {
    kind: 'tool_result',
    call_id,
    name,
    content: readResultContent(block.get('content'), block.at('content')),
    failed: block.get('is_error') ?? false,
  }
}

function readResultContent(value: Json | undefined, path: string): (TextPart | MediaPart)[] {
  if (value === undefined || value === '') return []
  if (typeof value === 'string') return [{ kind: 'text', text: value }]
  return eachOf(value, path, (item, at) => {
    const block = wantObject(item, at)
    return oneOf(RESULT_READERS, block.type, `${at}.type`)(block, at)
  })
}

function readThinking(value: JsonObject, path: string): Part | SignatureOfNext {
  const block = readObject(ThinkingBlock, value, path)
  const text = block.get('thinking')
  const packed = block.get('signature')
  if (packed === '') return { kind: 'thinking', text }
  const { signature, signed } = readSignature(packed)
  return { kind: signed === 'tool_call' ? 'signature_of_next' : 'thinking', text, signature }
}

function readRedacted(value: JsonObject, path: string): Part {
  const { signature } = readSignature(readObject(RedactedThinkingBlock, value, path).get('data'))
  return { kind: 'redacted_thinking', signature }
}

const SOURCE_READERS = { base64: readInline, url: readUrl, file: rejectFile }

const readSource = (source: JsonObject, path: string): Source =>
  oneOf<(source: JsonObject, path: string) => Source>(
    SOURCE_READERS,
    source.type,
    `${path}.type`,
  )(source, path)

function readDocument(value: JsonObject, path: string): TextPart | MediaPart {
  const block = readObject(DocumentBlock, value, path)
  const source = block.get('source')
  const at = block.at('source')
  if (source.type === 'text') return { kind: 'text', text: readObject(TextSource, source, at).get('data') }
  return { kind: 'document', source: readSource(source, at), name: block.get('title'), at: path }
}

function readInline(value: JsonObject, path: string): Source {
  const source = readObject(InlineSource, value, path)
  return { by: 'data', mime_type: source.get('media_type'), data: source.get('data') }
}

function readUrl(value: JsonObject, path: string): Source {
  const source = readObject(UrlSource, value, path)
  const url = source.get('url')
  if (!url.startsWith('https://')) throw refusal(source.at('url'), 'must be an https:// address.')
  return { by: 'url', url }
}

function rejectFile(_: JsonObject, path: string): never {
  throw refusal(
    `${path}.file_id`,
    'a file stored at one provider cannot be carried to another; send the data inline.',
  )
}
