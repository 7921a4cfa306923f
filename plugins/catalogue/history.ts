// The history of the catalogue as it is listed: each version with what it changed.

import { type ChangedPart, changedParts } from '../../src/catalogue/changed-parts.ts'
import {
  type ListedVersion,
  listVersions,
  MAX_VERSIONS,
  withVersionBefore,
} from '../../src/catalogue/past.ts'
import type { Db } from '../../src/store/db.ts'
import type { Page, PageRequest } from '../../src/store/page.ts'
import { endOfTurn } from '../../src/utilities/end-of-turn.ts'

export interface HistoryEntry extends ListedVersion {
  /** Against the version before; null for the oldest that is kept, and for texts that take too long to compare. */
  changed: readonly ChangedPart[] | null
}

/** Some thousand models, read within a tenth of a second. */
const MAX_COMPARED_CHARS = 250_000

/** A version never changes: what it changed is worked out once for each connection. */
const known = new WeakMap<Db, Map<string, HistoryEntry['changed']>>()

/** A page of versions, the newest first. The event loop has its turn between two of them. */
export async function listHistory(db: Db, page: PageRequest): Promise<Page<HistoryEntry>> {
  const { rows, next_cursor } = await listVersions(db, page)
  const entries: HistoryEntry[] = []
  for (const row of rows) entries.push(await entryOf(db, row))
  return { rows: entries, next_cursor }
}

/** All versions that changed a model, provider or setting of a name, the newest first. */
export async function historyOf(db: Db, name: string): Promise<Page<HistoryEntry>> {
  const { rows } = await listHistory(db, { limit: MAX_VERSIONS })
  return {
    rows: rows.filter(({ changed }) => changed?.some((part) => part.name === name)),
    next_cursor: undefined,
  }
}

async function entryOf(db: Db, row: ListedVersion): Promise<HistoryEntry> {
  const of_db = known.get(db) ?? new Map<string, HistoryEntry['changed']>()
  known.set(db, of_db)
  const key = `${row.id} ${row.made_at_ms}`
  const found = of_db.get(key)
  if (found !== undefined) return { ...row, changed: found }
  await endOfTurn()
  const changed = await changedIn(db, row.id)
  // The oldest has nothing before it only since that was deleted.
  if (changed) of_db.set(key, changed)
  return { ...row, changed }
}

async function changedIn(db: Db, version: number): Promise<HistoryEntry['changed']> {
  const [after, before] = await withVersionBefore(db, version)
  if (!before || after?.version !== version) return null
  if (before.text.length + after.text.length > 2 * MAX_COMPARED_CHARS) return null
  return changedParts(before.text, after.text)
}
