// Paid image calls, as a value: how they are read, what they can cost, and how they are served.
import type { ImageRate, RateState } from '../../access/image-rate.ts'
import type { ImageModel } from '../../domain/catalogue.ts'
import { invalidRequest, rateLimited } from '../../domain/errors.ts'
import { NO_USAGE } from '../../domain/usage.ts'
import { beginGenerations, failGenerations, storeGenerations } from '../../library/generations.ts'
import type { Library } from '../../library/library.ts'
import type { FetchImage } from '../../media/remote.ts'
import { type Charge, chargeImages, type ImageOrder as PricedOrder } from '../../pricing/charge.ts'
import { quoteImages } from '../../pricing/quote.ts'
import { type Admitted, type CallOrigin, findModel } from '../admission.ts'
import type { MemoryBudget } from '../memory-budget.ts'
import type { Held, PaidKind, Served } from '../paid-call.ts'
import type { ExchangeParts } from '../parts.ts'
import { writeImageEvents, writeImages } from './answer.ts'
import { withPictures } from './conversation.ts'
import { draw } from './drawing.ts'
import type { Drawn, PaidImages } from './drawn.ts'
import type { FoundReference, ImageOrder, PaidImageOrder } from './order.ts'
import { findReferences, readUpload } from './references.ts'
import { carryingMask, imageFailure } from './sending.ts'

/** What image calls need besides the parts of every call. */
export interface ImageParts {
  library: Library
  fetchImage: FetchImage
  rate: ImageRate
  memory: MemoryBudget
}

export interface ImageCall extends CallOrigin {
  /** Reads the body and checks its fields. @throws GatewayError for what is wrong with them */
  read(admitted: Admitted): Promise<ReadOrder>
  /** Told once the call is counted, for the headers of whatever is answered. */
  onRate(state: RateState): void
}

/** A request that was read. */
export interface ReadOrder {
  order: ImageOrder
  /** Lets go of what came with the request and was not kept. */
  discard(): Promise<void>
}

export const imageCalls = (images: ImageParts): PaidKind<ImageCall, PaidImageOrder> => ({
  read: (parts, admitted, call) => readImageCall(parts, images, admitted, call),
  prepare: (_parts, admitted, order) => withReferences(images, admitted, order),
  quote: ({ model, wanted }) => quoteImages(model.price, priced(wanted, wanted.count)),
  serve: (parts, held) => serveImages(parts, images, held),
})

/** Counts the call, reads its body, and waits for the memory that what is kept of it takes. */
async function readImageCall(
  parts: ExchangeParts,
  { rate, memory }: ImageParts,
  admitted: Admitted,
  call: ImageCall,
): Promise<PaidImageOrder> {
  const { scope, place } = admitted
  countCall(rate, call, admitted)
  const { order: wanted, discard } = await call.read(admitted)
  scope.defer(discard)
  // While it arrived it took its part of the memory of bodies, or of the disk.
  scope.defer((await memory.take(wanted.kept_bytes, place.gone)).release)
  const model = await carryingMask(parts, findImageModel(parts, admitted, wanted), wanted)
  const write = wanted.streams ? (paid: PaidImages) => writeImageEvents(paid, wanted) : writeImages
  // A stream is written once it is paid, whole.
  return { model, streams: false, content: wanted.content, wanted, references: [], write }
}

/** Counts a call against the rate that all image calls share. @throws GatewayError rate_limited */
export function countCall(rate: ImageRate, call: Pick<ImageCall, 'onRate'>, { caller }: Admitted): void {
  const state = rate.take(caller.account.id)
  call.onRate(state)
  if (state.admitted) return
  throw rateLimited(
    `The limit of ${state.limit} image requests in 60 seconds is reached. Retry after ${state.resets_in_s} s.`,
    { retry_after_s: state.resets_in_s },
  )
}

function findImageModel(
  parts: ExchangeParts,
  admitted: Admitted,
  { model_id, count }: ImageOrder,
): ImageModel {
  const model = findModel(parts, admitted, model_id, 'image')
  if (count > model.max_n_per_request)
    throw invalidRequest(`n: must be at most ${model.max_n_per_request} for this model.`, { param: 'n' })
  return model
}

/** As bytes, in base64, and in the request that is sent upstream. */
const STORED_COPIES = 4

/** The order with the images that it refers to: what is wrong with them is said before anything is held. */
async function withReferences(
  { library, fetchImage, memory }: ImageParts,
  { caller, place, scope }: Admitted,
  order: PaidImageOrder,
): Promise<PaidImageOrder> {
  // What is read of stored images takes its own part of the memory, once it is known how much that is.
  const reserve = async (bytes: number) => {
    if (bytes > 0) scope.defer((await memory.take(bytes * STORED_COPIES, place.gone)).release)
  }
  if (order.wanted.conversation)
    return withPictures({ fetchImage, gone: place.gone }, order, order.wanted.conversation)
  const referrer = { account_id: caller.account.id, gone: place.gone, reserve }
  const references = await findReferences({ library, fetchImage }, referrer, order.wanted.sources)
  return { ...order, references }
}

/** Draws and stores the images; charges for those that came. */
async function serveImages(
  parts: ExchangeParts,
  { library }: ImageParts,
  held: Held<PaidImageOrder>,
): Promise<Served> {
  const { wanted, references, model, uuids: told } = held.order
  const account_id = held.caller.account.id
  try {
    const all = [...references, ...(await keepUploads(library, wanted))]
    const uuids = await beginGenerations(library, generationOf(held, all), wanted.count, told)
    let are_stored = false
    // After the money: where a call comes to nothing, its hold is voided first, and a crash leaves the rest to the next start.
    held.scope.defer(async () => {
      if (!are_stored) await failGenerations(library.db, uuids)
    })
    library.probe('images.begun')
    const images = await draw(parts, library, held, all)
    await storeGenerations(library, account_id, uuids, images)
    are_stored = true
    return paidImages(held, images, uuids, chargeImages(model.price, priced(wanted, images.length)))
  } catch (thrown) {
    throw imageFailure(thrown)
  }
}

const generationOf = (
  { caller, hold_id, order }: Held<PaidImageOrder>,
  references: readonly FoundReference[],
) => ({
  account_id: caller.account.id,
  call_id: hold_id,
  kind: order.wanted.kind,
  model: order.model.id,
  prompt: order.wanted.prompt,
  parents: references.flatMap(({ parent }) => parent ?? []),
})

const keepUploads = (library: Library, { sources }: ImageOrder): Promise<FoundReference[]> =>
  Promise.all(
    sources
      .filter((source) => source.kind === 'upload')
      .map(async ({ keep }) => readUpload(library, await keep())),
  )

function paidImages(
  { started_ms, origin, order: { write } }: Held<PaidImageOrder>,
  images: readonly Drawn[],
  uuids: readonly string[],
  charge: Charge,
): Served {
  const { length } = images
  return {
    delivered: {
      outcome: 'completed',
      charge,
      usage: NO_USAGE,
      estimated: false,
      images: length,
      // They are stored, and stay so: whatever becomes of this answer, they can be fetched.
      given_out: true,
    },
    answer: () =>
      write({
        images,
        uuids: uuids.slice(0, length),
        cost_nanos: charge.cost_nanos,
        created_ms: started_ms,
        request_id: origin.request_id,
      }),
  }
}

const priced = ({ size_text, quality }: ImageOrder, count: number): PricedOrder => ({
  count,
  size: size_text,
  quality,
})
