// Paid image calls as a PaidKind: read, prepare, quote, serve.
import type { Rate } from '../../../domain/call-limits.ts'
import type { ImageModel } from '../../../domain/catalogue.ts'
import { invalidRequest } from '../../../domain/errors.ts'
import { formatUsd } from '../../../domain/money.ts'
import { jsonAnswer } from '../../../http/answers.ts'
import { type Library, refuseUnstorable } from '../../../library/library.ts'
import type { Decoder } from '../../../media/decoder.ts'
import type { FetchImage } from '../../../media/remote.ts'
import { ledgerUnavailable } from '../../../money/ledger/failure.ts'
import { base64Of } from '../../../protocols/wire/byte-string.ts'
import type { MemoryBudget } from '../../bodies/memory-budget.ts'
import { findModel, type PaidCall } from '../../life/admission.ts'
import type { Admitted, Held } from '../../life/call.ts'
import type { PaidKind } from '../../life/paid-kind.ts'
import type { CallParts } from '../../parts.ts'
import { upstreamModelHeader } from '../../serving/model-name.ts'
import { spendHeaders } from '../../serving/spend-headers.ts'
import { settle } from '../../settling/settlement.ts'
import { billImages, quoteOrder } from './billing.ts'
import { withPictures } from './conversation.ts'
import { tokenFields, writeImageEvents } from './events.ts'
import { generateImages } from './generate.ts'
import type { PaidImages } from './generated-images.ts'
import { findMask } from './mask.ts'
import type { FoundReference, ImageOrder, PaidImageOrder } from './order.ts'
import { partialsOf } from './partials.ts'
import { createPendingImages } from './pending-images.ts'
import { countCall, type OnRate } from './rate.ts'
import { findReferences, readUpload } from './references.ts'
import { droppedHeader, imageFailure } from './sending.ts'
import { servePartials } from './serve-partials.ts'
import { withRoutesForFields } from './supported-fields.ts'

/** The dependencies of image calls, beyond those of every call. */
export interface ImageParts {
  library: Library
  fetchImage: FetchImage
  rate: Rate
  memory: MemoryBudget
  decoder: Decoder
}

export interface ImageCall extends PaidCall {
  /** Reads the body and checks its fields. @throws GatewayError for a wrong field */
  read(admitted: Admitted): Promise<ReadOrder>
  /** Called after the call is counted, with the rate for the headers of every answer. */
  onRate: OnRate
}

export interface ReadOrder {
  order: ImageOrder
  /** Deletes the parts of the request that were not kept. */
  discard(): Promise<void>
}

export const imageCalls = (images: ImageParts): PaidKind<ImageCall, PaidImageOrder> => ({
  read: (parts, admitted, call) => readImageCall(parts, images, admitted, call),
  async prepare(_parts, admitted, order) {
    refuseUnstorable(images.library)
    return await withReferences(images, admitted, order)
  },
  quote: quoteOrder,
  serve: (parts, held) => serveImages(parts, images, held),
})

/** Counts the call, reads its body, and waits for memory for the parts that stay loaded. */
async function readImageCall(
  parts: CallParts,
  { rate, memory, decoder }: ImageParts,
  admitted: Admitted,
  call: ImageCall,
): Promise<PaidImageOrder> {
  const { place } = admitted
  await decoder.assertUsable()
  await countCall(parts, rate, admitted, call.onRate)
  const { order: wanted, discard } = await call.read(admitted)
  admitted.defer(discard)
  // During arrival it used the memory of bodies, or the disk.
  admitted.defer((await memory.take(wanted.kept_bytes, place.gone.signal)).release)
  const model = await withRoutesForFields(parts, findImageModel(parts, admitted, wanted), wanted)
  const write = wanted.streams ? (paid: PaidImages) => writeImageEvents(paid, wanted) : writeImages
  const partial_images = partialsOf(parts, model, wanted)
  // Without partial images the stream is written whole after payment.
  const streams = partial_images > 0
  return { model, streams, content: wanted.content, wanted, references: [], partial_images, write }
}

function findImageModel(parts: CallParts, admitted: Admitted, { model_id, count }: ImageOrder): ImageModel {
  const model = findModel(parts, admitted, model_id, 'image')
  if (count > model.max_n_per_request)
    throw invalidRequest(`n: must be at most ${model.max_n_per_request} for this model.`, { param: 'n' })
  return model
}

/** The memory of a stored image as a multiple of its size: its bytes, base64, and the upstream request. */
const STORED_COPIES = 4

/** Adds the images that the order refers to, so that errors in them are reported before the hold. */
async function withReferences(
  { library, fetchImage, memory }: ImageParts,
  admitted: Admitted,
  order: PaidImageOrder,
): Promise<PaidImageOrder> {
  const { caller, place } = admitted
  // Stored images reserve their own memory once their size is known.
  const reserve = async (bytes: number) => {
    if (bytes > 0) admitted.defer((await memory.take(bytes * STORED_COPIES, place.gone.signal)).release)
  }
  if (order.wanted.conversation)
    return withPictures({ fetchImage, gone: place.gone.signal }, order, order.wanted.conversation)
  const referrer = { account_id: caller.account.id, gone: place.gone.signal, reserve }
  const references = await findReferences({ library, fetchImage }, referrer, order.wanted.sources)
  const { mask_source } = order.wanted
  if (!mask_source) return { ...order, references }
  const mask = await findMask({ library, fetchImage }, referrer, mask_source, references)
  return { ...order, references, wanted: { ...order.wanted, mask } }
}

/** Waits until the hold's row is written, since image rows refer to it. @throws GatewayError overloaded if it cannot be written */
async function requireRow({ ledger }: CallParts, { hold_id }: Held): Promise<void> {
  await ledger.barrier()
  if (ledger.unwritten.has(hold_id)) throw ledgerUnavailable('the row of the hold of images is not written')
}

/** Generates and stores the images, and charges for those that arrived. */
async function serveImages(
  parts: CallParts,
  { library }: ImageParts,
  held: Held<PaidImageOrder>,
): Promise<Response> {
  const { wanted, references, partial_images } = held.order
  try {
    const all = [...references, ...(await keepUploads(library, wanted))]
    await requireRow(parts, held)
    const pending = await createPendingImages(library, held, all)
    library.probe('images.started')
    if (partial_images > 0) return await servePartials(parts, held, all, pending)
    const images = await generateImages(parts, library, held, all)
    await pending.store(images)
    const { tokens, ...bill } = billImages(parts, held, images)
    // The images are stored, and can be fetched even if this answer does not arrive.
    await settle(parts, held, {
      outcome: 'completed',
      ...bill,
      images: images.length,
      has_reached_caller: true,
    })
    return answerOf(parts, held, {
      images,
      uuids: pending.uuids.slice(0, images.length),
      cost_nanos: bill.charge.cost_nanos,
      tokens,
    })
  } catch (thrown) {
    throw imageFailure(thrown)
  }
}

const keepUploads = (library: Library, { sources }: ImageOrder): Promise<FoundReference[]> =>
  Promise.all(
    sources
      .filter((source) => source.kind === 'upload')
      .map(async ({ keep }) => readUpload(library, await keep())),
  )

function answerOf(
  parts: CallParts,
  { started_ms, origin, attempt, spend_left, order: { write, wanted } }: Held<PaidImageOrder>,
  paid: Pick<PaidImages, 'images' | 'uuids' | 'cost_nanos' | 'tokens'>,
): Response {
  const answer = write({ ...paid, created_ms: started_ms, request_id: origin.request_id })
  const headers = {
    ...(attempt ? upstreamModelHeader(attempt.model) : {}),
    ...droppedHeader(parts, wanted, { is_whole: true, attempt }),
    ...spendHeaders(spend_left),
  }
  for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value)
  return answer
}

/** spec.md, Image response; `usage` and `cost` (USD): silent.md, Images. */
function writeImages({ images, uuids, cost_nanos, tokens, created_ms, request_id }: PaidImages): Response {
  const body = {
    created: Math.floor(created_ms / 1_000),
    data: images.map(({ bytes, revised_prompt }) => ({
      b64_json: base64Of(bytes),
      revised_prompt,
    })),
    svc_generation_ids: uuids,
    usage: { images: images.length, ...tokenFields(tokens) },
    cost: formatUsd(cost_nanos),
  }
  return jsonAnswer(body, request_id)
}
