// The images of a call in generation: rows before the request, files after the answer.
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
  /** One for each ordered image. */
  readonly uuids: readonly string[]
  /** Stores the generated images and marks the rest as failed. @throws as `storeGenerations` */
  store(images: readonly Produced[]): Promise<void>
}

/** Creates rows for a call's images. Rows without a stored image are marked as failed at the end of the call. */
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
  // Runs after the ledger: the hold of a failed call is voided first. After a crash, the next start marks the rest.
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
