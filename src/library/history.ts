// Owns what an account has made: its images listed, with what each cost, and deleted.
import type { Database } from 'bun:sqlite'
import { and, desc, eq, getTableColumns, lt, ne } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import { calls, type Generation, generations } from '../db/schema.ts'
import type { Nanos } from '../domain/money.ts'
import type { PageRequest } from './files.ts'
import type { Library } from './library.ts'

/** Which images; what is absent does not filter. */
export interface HistoryFilter {
  account_id: number
  model?: string | undefined
  kind?: Generation['kind'] | undefined
}

/** An image with what was charged for it; null until its call is settled. */
export interface HistoryImage extends Generation {
  cost_nanos: Nanos | null
}

export interface HistoryPage {
  /** The newest first. */
  images: HistoryImage[]
  /** Where the next page begins; undefined on the last one. */
  next_cursor: number | undefined
}

/** One page of an account's images, in whichever state. Images that come meanwhile move no other to another page. */
export function listGenerations(
  db: Database,
  { account_id, model, kind }: HistoryFilter,
  { limit, cursor }: PageRequest,
): HistoryPage {
  const rows = drizzle({ client: db })
    .select({ ...getTableColumns(generations), call_nanos: calls.cost_nanos, call_images: calls.images })
    .from(generations)
    .leftJoin(calls, eq(calls.id, generations.call_id))
    .where(
      and(
        eq(generations.account_id, account_id),
        model === undefined ? undefined : eq(generations.model, model),
        kind === undefined ? undefined : eq(generations.kind, kind),
        cursor === undefined ? undefined : lt(generations.id, cursor),
      ),
    )
    .orderBy(desc(generations.id))
    .limit(limit + 1)
    .all()
  const images = rows.slice(0, limit).map(({ call_nanos, call_images, ...image }) => ({
    ...image,
    cost_nanos: call_nanos === null ? null : shareOf(call_nanos, call_images ?? 0, image.position),
  }))
  return { images, next_cursor: rows.length > limit ? images.at(-1)?.id : undefined }
}

/** What one of a call's images cost: equal shares, whose sum is the call's cost. An image that did not come is free. */
function shareOf(total_nanos: Nanos, images: number, position: number): Nanos {
  if (position >= images) return 0
  const share = Math.floor(total_nanos / images)
  return position === 0 ? total_nanos - share * (images - 1) : share
}

/**
 * Deletes an image of an account: its row, then its file. What it cost stays in the books, under its call.
 *
 * @returns `under_way` for one that is still being made, which stays
 */
export async function removeGeneration(
  { db, images, probe }: Pick<Library, 'db' | 'images' | 'probe'>,
  account_id: number,
  uuid: string,
): Promise<'removed' | 'under_way' | 'absent'> {
  const orm = drizzle({ client: db })
  const this_one = and(eq(generations.uuid, uuid.toLowerCase()), eq(generations.account_id, account_id))
  const removed = orm
    .delete(generations)
    .where(and(this_one, ne(generations.state, 'generating')))
    .returning()
    .get()
  if (!removed) return orm.select().from(generations).where(this_one).get() ? 'under_way' : 'absent'
  probe('image.unlisted')
  if (removed.file_key !== null) await images.remove(removed.file_key)
  return 'removed'
}
