// The images that a call is about to make: their rows before, their files once they are there.
import {
  beginGenerations,
  failGenerations,
  type Produced,
  storeGenerations,
} from '../../../library/generations.ts'
import type { Library } from '../../../library/library.ts'
import type { Held } from '../../life/call.ts'
import type { FoundReference, PaidImageOrder } from './order.ts'

export interface PendingImages {
  /** One for each image that was ordered. */
  readonly uuids: readonly string[]
  /** Keeps what was made, and marks the rest as failed. @throws as `storeGenerations` */
  store(images: readonly Produced[]): Promise<void>
}

/** Rows for the images of a call; those that are never stored are marked as failed when it is over. */
export async function createPendingImages(
  library: Library,
  held: Held<PaidImageOrder>,
  references: readonly FoundReference[],
): Promise<PendingImages> {
  const { caller, hold_id, order } = held
  const account_id = caller.account.id
  const { kind, prompt, count } = order.wanted
  const parents = references.flatMap(({ parent }) => parent ?? [])
  const uuids = await beginGenerations(
    library,
    { account_id, call_id: hold_id, kind, model: order.model.id, prompt, parents },
    count,
    order.uuids,
  )
  let are_stored = false
  // After the money: where a call comes to nothing, its hold is voided first, and a crash leaves the rest to the next start.
  held.defer(async () => {
    if (!are_stored) await failGenerations(library.db, uuids)
  })
  return {
    uuids,
    async store(images) {
      await storeGenerations(library, account_id, uuids, images)
      are_stored = true
    },
  }
}
