// Generated images: list with their costs, and deletion.
import type { ActionContext } from '../../src/domain/actions.ts'
import type { Nanos } from '../../src/domain/money.ts'
import { findGeneration } from '../../src/library/generations.ts'
import { type Library, refuseUnstorable } from '../../src/library/library.ts'
import { generationQueries } from '../../src/library/queries.ts'
import { recordAction } from '../../src/store/actions.ts'
import type { Db } from '../../src/store/db.ts'
import { type Page, type PageRequest, pageOf, pageValues } from '../../src/store/page.ts'
import type { Generation } from '../../src/store/schema.ts'
import { historyQueries, historyQueriesOfAccount } from './history-queries.ts'

/** The filter of images; an absent field does not filter. */
interface HistoryFilter {
  /** Absent: all accounts. */
  account_id?: number | undefined
  model?: string | undefined
  kind?: Generation['kind'] | undefined
  since_ms?: number | undefined
  until_ms?: number | undefined
}

/** An image with the name of its account, and its charge, which is null until its call is settled. */
export interface HistoryImage extends Generation {
  account_name: string
  request_id: string | null
  cost_nanos: Nanos | null
}

/** Images that a search scans, about 10 ms; the next page continues there. */
const MAX_SCANNED_IMAGES = 5_000

/** Returns one page of images in any state. It may be short or empty although more images match: see `next_cursor`. */
export async function listGenerations(
  db: Db,
  { account_id, model, kind, since_ms, until_ms }: HistoryFilter,
  request: PageRequest,
  max_scanned = MAX_SCANNED_IMAGES,
): Promise<Page<HistoryImage>> {
  const queries = account_id === undefined ? historyQueries(db) : historyQueriesOfAccount(db)
  const values = {
    ...pageValues(request),
    account_id,
    model: model ?? null,
    kind: kind ?? null,
    since_ms: since_ms ?? Number.MIN_SAFE_INTEGER,
    until_ms: until_ms ?? Number.MAX_SAFE_INTEGER,
  }
  const next = await queries.below.get({ account_id, below_id: values.below_id, count: max_scanned })
  const found = await queries.page.all({ ...values, from_id: next ? next.id + 1 : 0 })
  const images = found.map(({ call_nanos, call_images, ...image }) => ({
    ...image,
    cost_nanos: call_nanos === null ? null : shareOf(call_nanos, call_images ?? 0, image.position),
  }))
  const page = pageOf(images, request)
  return next && page.next_cursor === undefined ? { ...page, next_cursor: next.id + 1 } : page
}

/** Returns the cost of one of a call's images: equal shares that add up to the call's cost. An image that was not generated is free. */
function shareOf(total_nanos: Nanos, images: number, position: number): Nanos {
  if (position >= images) return 0
  const share = Math.floor(total_nanos / images)
  return position === 0 ? total_nanos - share * (images - 1) : share
}

/**
 * Deletes an image of an account: the row first, then the file. The record of its call keeps the cost.
 * @param by the operator, for the audit log; absent if the account deletes its own image
 * @returns `under_way` for an image that is still being generated; it is not deleted
 * @throws GatewayError overloaded if its file could not be deleted
 */
export async function removeGeneration(
  library: Pick<Library, 'db' | 'images' | 'probe' | 'isFailing'>,
  account_id: number,
  uuid: string,
  by?: ActionContext,
): Promise<'removed' | 'under_way' | 'absent'> {
  const { db, images, probe } = library
  refuseUnstorable(library)
  const removed = await db.begin(async (tx) => {
    const values = { account_id, uuid: uuid.toLowerCase() }
    const row: Generation | undefined = await generationQueries(tx).remove.get(values)
    if (row && by)
      await recordAction(tx, { action: 'image.deleted', account_id, before: { image: row.uuid } }, by)
    return row
  })
  if (!removed) return (await findGeneration(db, account_id, uuid)) ? 'under_way' : 'absent'
  probe('image.unlisted')
  if (removed.file_key !== null) await images.remove(removed.file_key)
  return 'removed'
}
