// Owns that rows and files of the library agree again after a crash. Only at start: it would break what is under way.
import { eq } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import { files } from '../db/schema.ts'
import { recoverGenerations } from './generations.ts'
import type { Library } from './library.ts'
import { storeKeyOf } from './names.ts'

/** What was found, and is put right. */
export interface Recovered {
  /** Images that were being made or taken in. Produced ones have failed now, uploaded ones are gone. */
  left_behind: number
  /** Files that no row named. They are set aside, for they may belong to a later state of a database that was put back. */
  stray_files: number
  /** Rows that said stored, without their file. Produced ones have failed now, uploaded ones are gone. */
  lost_files: number
}

/** Makes all rows and files agree. */
export async function recoverLibrary(library: Library): Promise<Recovered> {
  const produced = await recoverGenerations(library)
  const uploaded = await recoverFiles(library)
  return {
    left_behind: produced.left_behind + uploaded.left_behind,
    stray_files: produced.stray_files + uploaded.stray_files,
    lost_files: produced.lost_files + uploaded.lost_files,
  }
}

/** An upload that was not committed never was; files before their rows, so that another crash changes nothing. */
async function recoverFiles({ db, files: store }: Library): Promise<Recovered> {
  const orm = drizzle({ client: db })
  await store.removeLeftovers()
  const rows = orm.select({ id: files.id, key: files.key, state: files.state }).from(files).all()
  const kept = new Set((await store.list()).map(({ key }) => key))
  const stored = new Set(rows.flatMap(({ key, state }) => (state === 'stored' ? [storeKeyOf(key)] : [])))
  const strays = [...kept].filter((key) => !stored.has(key))
  for (const key of strays) await store.setAside(key)
  const left_behind = rows.filter(({ state }) => state === 'storing')
  const lost = rows.filter(({ key, state }) => state === 'stored' && !kept.has(storeKeyOf(key)))
  for (const { id } of [...left_behind, ...lost]) orm.delete(files).where(eq(files.id, id)).run()
  return { left_behind: left_behind.length, stray_files: strays.length, lost_files: lost.length }
}
