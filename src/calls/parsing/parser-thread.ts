// The thread that parses large bodies and answers questions about them. A separate entry point of the compiled binary.
import { GatewayError } from '../../domain/errors.ts'
import { freeBytes } from '../../http/free-bytes.ts'
import { isImageDataUri, parseDataUri } from '../../media/data-uri.ts'
import { type NormalizedBody, normalizedBody } from '../../protocols/media-places.ts'
import type { CallerProtocol } from '../../protocols/protocol.ts'
import { BUILT_IN_REGISTRY, callerProtocolOf } from '../../protocols/registry.ts'
import { isObject, type JsonObject } from '../../protocols/wire/json.ts'
import { type JsonBody, parseJsonBody } from '../../protocols/wire/json-body.ts'
import { type Unwrapped, unwrap } from '../../protocols/wire/json-splice.ts'
import { ParsedBody, type SentBody } from '../kinds/text/body.ts'
import {
  type FromThread,
  type InlineImage,
  type Opened,
  type OpenedImages,
  type Question,
  SAME_BYTES,
  type ToThread,
  type WrittenError,
} from './messages.ts'

declare const self: Worker

// Without this, a thread of the compiled binary would delay JIT compilation as the start of the process does.
Bun.unsafe.setJITPolicy(1)

/** The body of the last question, without its bytes, which are returned each time. Most questions about a body follow each other. */
let last:
  | (Omit<JsonBody, 'bytes'> & { body_id: number; skipped_bytes: number; regular: NormalizedBody })
  | undefined

self.onmessage = (event: MessageEvent<ToThread>) => {
  const { bytes, question } = event.data
  const { ask } = question
  const received_bytes = bytes.length
  try {
    const value = answer(event.data)
    if (isUnwrapped(ask, value)) reply({ bytes: NOTHING, value }, [value.request])
    else if (isOpenedImages(ask, value)) reply({ bytes: NOTHING, value }, imagesOf(value))
    else if (isWritten(ask, value)) replyWritten(bytes, value)
    else if (!(value instanceof Uint8Array)) reply({ bytes, value })
    else if (value.buffer === bytes.buffer && value.length === bytes.length)
      reply({ bytes, value: SAME_BYTES })
    else reply({ bytes, value: ownBytes(value) })
  } catch (thrown) {
    if (isFirst(ask)) freeBytes(bytes)
    reply({ bytes: isFirst(ask) ? NOTHING : bytes, error: writtenError(thrown) })
  }
  // The garbage of a large body would otherwise stay until much more has accumulated. The reply is already sent.
  if (isFirst(ask) && received_bytes >= MIN_RECLAIMED_BYTES) Bun.gc(true)
}

/** Returns bytes that own their whole buffer, so that it can be transferred. */
const ownBytes = (bytes: Uint8Array): Uint8Array =>
  bytes.length === bytes.buffer.byteLength ? bytes : bytes.slice()

const NOTHING = new Uint8Array()
/** The first questions: after a failure of one of these, no other follows. */
const isFirst = (ask: Question['ask']): boolean => FIRST.has(ask)
const FIRST: ReadonlySet<Question['ask']> = new Set(['open', 'images', 'unwrap'])
const MIN_RECLAIMED_BYTES = 8 * 1024 * 1024

/** Bytes are transferred, not copied. */
function reply(message: FromThread, further: readonly Uint8Array[] = []): void {
  const handed = [message.bytes, message.value, ...further].filter((value) => value instanceof Uint8Array)
  self.postMessage(
    message,
    handed.filter(({ length }) => length > 0).map(({ buffer }) => buffer as ArrayBuffer),
  )
}

function answer({ body_id, protocol, bytes, question }: ToThread): unknown {
  if (question.ask === 'images') {
    last = undefined
    return openImages(bytes, question)
  }
  if (question.ask === 'unwrap') {
    last = undefined
    const { fields, request } = unwrap(bytes, question.rules)
    return { fields, request: ownBytes(request) }
  }
  if (last?.body_id !== body_id) {
    // The old body is released first: two large bodies at once would take twice the memory.
    last = undefined
    const text = textOf(protocol)
    const { bytes: whole, ...parsed } = parseJsonBody(bytes, text?.names)
    const regular = normalizedBody(parsed.json, text)
    last = { body_id, ...parsed, regular, skipped_bytes: bytes.length - whole.length }
  }
  const { regular, skipped_bytes } = last
  const body = new ParsedBody(BUILT_IN_REGISTRY, { ...last, bytes: bytes.subarray(skipped_bytes) }, regular)
  switch (question.ask) {
    case 'open':
      return {
        fields: fieldsOf(body.fields, namesRead(protocol)),
        has_images: body.has_images,
        sha256: hashOf(body.content),
      } satisfies Opened
    case 'facts':
      return body.facts(question.protocol, question.over)
    case 'leastTokens':
      return body.leastTokens(question.protocol)
    case 'extras':
      return body.extras(question.protocol, question.rules)
    case 'session':
      return body.session()
    case 'explainsEmpty':
      return body.explainsEmpty()
    case 'rejectRemembered':
      return body.rejectRemembered(question.protocol)
    case 'assertCarries':
      return body.assertCarries(question.writing)
    case 'conversation':
      return body.conversation(question.protocol, question.streams)
    case 'imagesBeyond':
      return body.imagesBeyond(question.protocol, question.taken)
    case 'imageFields':
      return body.imageFields(question.protocol, question.taken, question.images)
    case 'write':
      return writtenBytes(body.write(question.writing))
    case 'read':
      return fieldsOf(body.fields, question.names)
    case 'replace':
      return body.replace(question.fields)
  }
}

const textOf = (protocol: string | undefined): CallerProtocol['text'] | undefined =>
  protocol === undefined ? undefined : callerProtocolOf(BUILT_IN_REGISTRY, protocol).text

const isUnwrapped = (ask: Question['ask'], value: unknown): value is Unwrapped =>
  ask === 'unwrap' && typeof value === 'object'

const isOpenedImages = (ask: Question['ask'], value: unknown): value is OpenedImages =>
  ask === 'images' && typeof value === 'object'

const imagesOf = ({ images }: OpenedImages): Uint8Array[] =>
  images
    .values()
    .flatMap((inline) => ('image' in inline ? [inline.image.bytes] : []))
    .toArray()

const isWritten = (ask: Question['ask'], value: unknown): value is SentBody & { body: Uint8Array } =>
  ask === 'write' && typeof value === 'object'

/** Does not send the body again if it is the caller's own bytes. */
function replyWritten(bytes: Uint8Array, { body, ...written }: SentBody & { body: Uint8Array }): void {
  const is_same = body.buffer === bytes.buffer && body.length === bytes.length
  const own = is_same ? undefined : ownBytes(body)
  reply({ bytes, value: { ...written, body: own ?? SAME_BYTES } }, own ? [own] : [])
}

/** Shorter data URIs are decoded where they are used. */
const MIN_DATA_URI_CHARS = 64 * 1024

function openImages(
  bytes: Uint8Array,
  { fields, max_images, max_total_bytes }: Extract<Question, { ask: 'images' }>,
): OpenedImages {
  const { json } = parseJsonBody(bytes)
  const sha256 = hashOf(bytes)
  // Freed before the images are decoded, which take another three quarters of that memory.
  freeBytes(bytes)
  const images: OpenedImages['images'] = new Map()
  let total_bytes = 0
  const nameOf = (text: unknown): unknown => {
    if (typeof text !== 'string' || text.length < MIN_DATA_URI_CHARS || !isImageDataUri(text)) return text
    const name = `data:image/${hashOf(text)}`
    // Beyond the total the request will be refused, so the rest is not decoded.
    if (total_bytes <= max_total_bytes && !images.has(name)) {
      const inline = readInline(text)
      if ('image' in inline) total_bytes += inline.image.bytes.length
      images.set(name, inline)
    }
    return name
  }
  const named = fields
    .filter((field) => Object.hasOwn(json, field))
    .map((field) => [field, withNames(json[field], max_images, nameOf)])
  return { json: { ...json, ...Object.fromEntries(named) }, images, sha256 }
}

/** Replaces images by names. They are in a list of URLs, in a list of objects with `image_url`, or in one such object. */
function withNames(value: unknown, max_images: number, nameOf: (text: unknown) => unknown): unknown {
  const nameIn = (one: unknown) =>
    isObject(one) && 'image_url' in one ? { ...one, image_url: nameOf(one.image_url) } : nameOf(one)
  if (!Array.isArray(value)) return nameIn(value)
  return value.length > max_images ? value : value.map(nameIn)
}

function readInline(text: string): InlineImage {
  try {
    const { mime, bytes } = parseDataUri(text)
    const image = { mime, bytes: ownBytes(bytes) }
    return { image, sha256: hashOf(image.bytes) }
  } catch (thrown) {
    return { error: writtenError(thrown) }
  }
}

const hashOf = (bytes: Uint8Array | string): string =>
  new Bun.CryptoHasher('sha256').update(bytes).digest('hex')

/** Encodes the body as bytes, which can be transferred. */
const writtenBytes = ({ body, ...written }: SentBody): SentBody & { body: Uint8Array } => ({
  ...written,
  body: typeof body === 'string' ? new TextEncoder().encode(body) : body,
})

/** The fields of a body that surfaces read. All others stay on the thread. */
const READ_FIELDS = ['model', 'stream', 'stream_options']

function namesRead(protocol: string | undefined): readonly string[] {
  const echoed = textOf(protocol)?.echoed_fields
  return echoed ? [...READ_FIELDS, ...echoed] : READ_FIELDS
}

const fieldsOf = (json: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(json).filter(([name]) => names.includes(name)))

function writtenError(thrown: unknown): WrittenError {
  if (!(thrown instanceof GatewayError)) return { kind: 'internal', message: String(thrown), detail: {} }
  const { kind, message, code, param, details } = thrown
  return { kind, message, detail: { code, param, details } }
}
