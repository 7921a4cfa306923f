// The list of the catalogue's versions, each with its changes.

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
  /** Changes since the version before; null for the oldest kept one, and for texts that take too long to compare. */
  changed: readonly ChangedPart[] | null
}

/** Texts of some thousand models, parsed in a tenth of a second. */
const MAX_COMPARED_CHARS = 250_000

/** Changes of versions by connection. A version never changes, so they are compared once. */
const compared = new WeakMap<Db, Map<string, HistoryEntry['changed']>>()

/** Returns a page of versions, newest first. Yields to the event loop between comparisons. */
export async function listHistory(db: Db, page: PageRequest): Promise<Page<HistoryEntry>> {
  const { rows, next_cursor } = await listVersions(db, page)
  const entries: HistoryEntry[] = []
  for (const row of rows) entries.push(await entryOf(db, row))
  return { rows: entries, next_cursor }
}

/** Returns all versions that changed the model, provider or setting of this name, newest first. */
export async function historyOf(db: Db, name: string): Promise<Page<HistoryEntry>> {
  const { rows } = await listHistory(db, { limit: MAX_VERSIONS })
  return {
    rows: rows.filter(({ changed }) => changed?.some((part) => part.name === name)),
    next_cursor: undefined,
  }
}

async function entryOf(db: Db, row: ListedVersion): Promise<HistoryEntry> {
  const of_db = compared.get(db) ?? new Map<string, HistoryEntry['changed']>()
  compared.set(db, of_db)
  const key = `${row.id} ${row.made_at_ms}`
  const found = of_db.get(key)
  if (found !== undefined) return { ...row, changed: found }
  await endOfTurn()
  const changed = await compareWithVersionBefore(db, row.id)
  // Null is not kept: the oldest version lacks a predecessor only because that was deleted.
  if (changed) of_db.set(key, changed)
  return { ...row, changed }
}

async function compareWithVersionBefore(db: Db, version: number): Promise<HistoryEntry['changed']> {
  const [after, before] = await withVersionBefore(db, version)
  if (!before || after?.version !== version) return null
  if (before.text.length + after.text.length > 2 * MAX_COMPARED_CHARS) return null
  return changedParts(before.text, after.text)
}
