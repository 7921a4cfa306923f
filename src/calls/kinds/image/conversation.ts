// An image request in a conversation: the prompt and the images for it.
import { GatewayError } from '../../../domain/errors.ts'
import { parseDataUri } from '../../../media/data-uri.ts'
import type { FetchImage } from '../../../media/remote.ts'
import type { MediaPart, Part, Source, Turn } from '../../../protocols/canonical/parts.ts'
import type { ConversationRequest } from '../../../protocols/canonical/request.ts'
import type { Reference } from '../../../protocols/images.ts'
import { base64Of } from '../../../protocols/wire/byte-string.ts'
import { refusal } from '../../../protocols/wire/json.ts'
import type { PaidImageOrder } from './order.ts'
import { asSendable, assertTotal } from './references.ts'

/** The prompt and the images at the end of a conversation. */
interface FinalPrompt {
  prompt: string
  /** In the order of the conversation, each once. */
  images: readonly MediaPart[]
}

/**
 * Returns the model's last picture and the caller's texts and images since then; without such a picture, everything. For
 * providers that take a prompt and images, but no conversations.
 */
export function finalPromptOf({ system, turns }: Pick<ConversationRequest, 'system' | 'turns'>): FinalPrompt {
  const last_image_turn = turns.findLastIndex((turn) => turn.role === 'assistant' && turn.parts.some(isImage))
  const since = turns.slice(Math.max(0, last_image_turn))
  const user_parts = since.filter(({ role }) => role === 'user').flatMap(({ parts }) => parts)
  const texts = user_parts.flatMap((part) => (part.kind === 'text' && part.text !== '' ? part.text : []))
  const image_parts = since.flatMap(({ parts }) => parts.filter(isImage))
  const images = new Map(image_parts.map((image) => [nameOf(image.source), image]))
  return { prompt: texts.length > 0 ? [...system, ...texts].join('\n') : '', images: [...images.values()] }
}

const isImage = (part: Part): part is MediaPart => part.kind === 'image'

const nameOf = (source: Source): string => (source.by === 'url' ? source.url : source.data)

interface FetchContext {
  fetchImage: FetchImage
  /** Fires when the caller disconnects. */
  gone: AbortSignal
}

/**
 * Reads the images of the order's conversation: URLs are fetched and become inline data in all turns. The images are kept
 * for this request only (spec.md, Image compose request, rule 5).
 * @throws GatewayError invalid_request naming an image that is invalid or cannot be fetched; IMAGES_TOO_LARGE_TOTAL
 */
export async function withPictures(
  finding: FetchContext,
  order: PaidImageOrder,
  conversation: ConversationRequest,
): Promise<PaidImageOrder> {
  const images_by_name = new Map(
    conversation.turns
      .flatMap(({ parts }) => parts.filter(isImage))
      .map((image) => [nameOf(image.source), image]),
  )
  const read = new Map<string, ReadImage>()
  for (const [name, image] of images_by_name) {
    read.set(name, await readImage(finding, image))
    assertTotal([...read.values()].map(({ reference }) => reference.bytes.length))
  }
  const inline = (image: MediaPart): MediaPart => {
    const found = read.get(nameOf(image.source))
    return found ? { ...image, source: found.source } : image
  }
  const turns = conversation.turns.map(
    (turn): Turn => ({ ...turn, parts: turn.parts.map((part) => (isImage(part) ? inline(part) : part)) }),
  )
  const references = finalPromptOf(conversation).images.flatMap(
    ({ source }) => read.get(nameOf(source))?.reference ?? [],
  )
  return { ...order, wanted: { ...order.wanted, conversation: { ...conversation, turns } }, references }
}

/** Native types that the gateway cannot decode (spec.md, Native generation request: image/heic, image/heif). */
const UNSEEN_TYPES: ReadonlySet<string> = new Set(['image/heic', 'image/heif'])

interface ReadImage {
  reference: Reference
  /** Inline data: unchanged if the image itself is unchanged. */
  source: Source
}

async function readImage({ fetchImage, gone }: FetchContext, { source, at }: MediaPart): Promise<ReadImage> {
  if (source.by === 'url') {
    const fetched = await withLocation(at, async () => asSendable(await fetchImage(source.url, gone)))
    return { reference: fetched, source: inlineSource(fetched) }
  }
  const mime = source.mime_type
  if (UNSEEN_TYPES.has(mime))
    return { reference: { bytes: Buffer.from(source.data, 'base64'), mime }, source }
  return withLocation(at, async () => {
    const sent = parseDataUri(`data:${mime};base64,${source.data}`)
    const reference = await asSendable(sent)
    return { reference, source: reference === sent ? source : inlineSource(reference) }
  })
}

/** Adds the image's place in the conversation to an error. */
async function withLocation<T>(at: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) || thrown.kind !== 'invalid_request') throw thrown
    throw refusal(at, thrown.message)
  }
}

const inlineSource = ({ bytes, mime }: Reference): Source => ({
  by: 'data',
  mime_type: mime,
  data: base64Of(bytes),
})
