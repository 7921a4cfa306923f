// Owns one paid image call, from the caller's key to the stored images: admit, read, find, hold, draw, store, settle, answer.
import type { ImageRate, RateState } from '../../access/image-rate.ts'
import type { ImageModel } from '../../domain/catalogue.ts'
import { invalidRequest, rateLimited } from '../../domain/errors.ts'
import { NO_USAGE } from '../../domain/usage.ts'
import {
  beginGenerations,
  failGenerations,
  type Produced,
  storeGenerations,
} from '../../library/generations.ts'
import { chargeImages, type ImageOrder as PricedOrder } from '../../pricing/charge.ts'
import { quoteImages } from '../../pricing/quote.ts'
import type { MemoryBudget, MemoryShare } from '../memory-budget.ts'
import type { Admitted, CallOrigin, Held, PaidCalls } from '../paid-call.ts'
import { writeImages } from './answer.ts'
import { createDrawing, type DrawingDeps } from './drawing.ts'
import type { ImageOrder } from './order.ts'
import { type FoundReference, findReferences, type ReferenceDeps, readUpload } from './references.ts'
import { imageFailure } from './sending.ts'

export interface ImageExchangeDeps extends ReferenceDeps, Omit<DrawingDeps, 'steps' | 'library'> {
  steps: PaidCalls
  rate: ImageRate
  memory: MemoryBudget
}

export interface ImageCall extends CallOrigin {
  /** About what reading the body takes of memory. @throws GatewayError payload_too_large for one that is too large as announced */
  memoryFor(): number
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

export interface ImageExchange {
  /**
   * Serves one paid image call.
   *
   * @returns the answer; its images are stored and paid for
   * @throws GatewayError for every refusal and failure; nothing is held or charged then
   */
  run(call: ImageCall): Promise<Response>
}

interface HeldImages extends Held<ImageModel> {
  order: ImageOrder
  /** Of the images that are to be made. */
  uuids: readonly string[]
}

/** The exchange of images over its parts. */
export function createImageExchange(deps: ImageExchangeDeps): ImageExchange {
  const { steps, library } = deps
  const draw = createDrawing(deps)

  async function run(call: ImageCall): Promise<Response> {
    const admitted = steps.admit(call)
    let share: MemoryShare | undefined
    try {
      countCall(call, admitted)
      share = await deps.memory.take(call.memoryFor(), admitted.place.gone)
      return await readAndServe(call, admitted, share)
    } catch (thrown) {
      steps.leave(admitted, 0)
      throw thrown
    } finally {
      // Here nothing refers to the request's content any more, so that it can be freed for the next one.
      share?.release()
    }
  }

  async function readAndServe(call: ImageCall, admitted: Admitted, share: MemoryShare): Promise<Response> {
    const { order, discard } = await call.read(admitted)
    try {
      share.shrink(order.kept_bytes)
      const model = findModel(admitted, order)
      const asked = { content: order.content, streams: false }
      return await steps.once(admitted, asked, () => serveWithin(admitted, order, model))
    } finally {
      await discard()
    }
  }

  /** What is read of stored images takes its own part of the memory, once it is known how much that is. */
  async function serveWithin(admitted: Admitted, order: ImageOrder, model: ImageModel): Promise<Response> {
    let share: MemoryShare | undefined
    const reserve = async (bytes: number) => {
      if (bytes > 0) share = await deps.memory.take(bytes * STORED_COPIES, admitted.place.gone)
    }
    try {
      return await serve(admitted, order, model, reserve)
    } finally {
      share?.release()
    }
  }

  function countCall(call: ImageCall, { caller }: Admitted): void {
    const state = deps.rate.take(caller.account.id)
    call.onRate(state)
    if (state.admitted) return
    throw rateLimited(
      `The limit of ${state.limit} image requests in 60 seconds is reached. Retry after ${state.resets_in_s} s.`,
      { retry_after_s: state.resets_in_s },
    )
  }

  function findModel(admitted: Admitted, { model_id, count }: ImageOrder): ImageModel {
    const model = steps.findModel(admitted, model_id, 'image')
    if (count > model.max_n_per_request)
      throw invalidRequest(`n: this model makes at most ${model.max_n_per_request} per request.`, {
        param: 'n',
      })
    return model
  }

  async function serve(
    admitted: Admitted,
    order: ImageOrder,
    model: ImageModel,
    reserve: (bytes: number) => Promise<void>,
  ): Promise<Response> {
    const { account } = admitted.caller
    const referrer = { account_id: account.id, gone: admitted.place.gone, reserve }
    const found = await findReferences(deps, referrer, order.sources)
    const paid = await steps.hold(
      admitted,
      model,
      quoteImages(model.price, priced(order, order.count)),
      false,
    )
    let uuids: readonly string[] = []
    try {
      const references = [...found, ...(await keepUploads(order))]
      const parents = references.flatMap(({ parent }) => parent ?? [])
      const { kind, prompt, count } = order
      const generation = {
        account_id: account.id,
        call_id: paid.hold_id,
        kind,
        model: model.id,
        prompt,
        parents,
      }
      uuids = beginGenerations(library, generation, count)
      library.probe('images.begun')
      const held = { ...paid, order, uuids }
      const images = await draw(held, order, references)
      await storeGenerations(library, account.id, uuids, images)
      return await settle(held, images)
    } catch (thrown) {
      // The money first: what is left of the rest is put right at the next start.
      const failure = await steps.abandon(paid, imageFailure(thrown))
      failGenerations(library.db, uuids)
      throw failure
    }
  }

  async function keepUploads({ sources }: ImageOrder): Promise<FoundReference[]> {
    const uploads = sources.filter((source) => source.kind === 'upload')
    return Promise.all(uploads.map(({ keep }) => readUpload(library, keep())))
  }

  async function settle(held: HeldImages, images: readonly Produced[]): Promise<Response> {
    const { model, order, origin, uuids } = held
    const charge = chargeImages(model.price, priced(order, images.length))
    const { length } = images
    try {
      await held.settlement.post({
        outcome: 'completed',
        charge,
        usage: NO_USAGE,
        estimated: false,
        images: length,
      })
    } finally {
      steps.leave(held, 0)
    }
    return writeImages({
      images,
      uuids: uuids.slice(0, length),
      cost_nanos: charge.cost_nanos,
      created_ms: held.started_ms,
      request_id: origin.request_id,
    })
  }

  return { run }
}

/** As bytes, in base64, and in the request that is sent upstream. */
const STORED_COPIES = 4

const priced = ({ size_text, quality }: ImageOrder, count: number): PricedOrder => ({
  count,
  size: size_text,
  quality,
})
