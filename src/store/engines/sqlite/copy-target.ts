// A new SQLite file as the target of a copy.
import type { Database, Statement } from 'bun:sqlite'
import { rmSync } from 'node:fs'
import { conflict } from '../../../domain/errors.ts'
import { copiedTables } from '../../copying/tables.ts'
import type { CopyTarget, CopyWriter, Row } from '../../copying/target.ts'
import { isAbsent } from '../../folder.ts'
import { flush } from './copy.ts'
import { storageFailureOf } from './failure.ts'
import { openDatabase } from './open.ts'

/** Creates a file with all rows, or none: it is flushed to the disk before `fill` ends. @param path a path without a file */
export const sqliteTarget = (path: string): CopyTarget => ({
  async fill(work) {
    if (!isAbsent(path)) throw conflict(`${path} exists already: name another file.`)
    try {
      const done = await fillFile(path, work)
      flush(path)
      return done
    } catch (thrown) {
      for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
      throw storageFailureOf(thrown)
    }
  },
})

async function fillFile<T>(path: string, work: (writer: CopyWriter) => Promise<T>): Promise<T> {
  const db = openDatabase(path)
  try {
    // Nobody uses the remains after a power cut. Without a write-ahead log everything is in one file.
    db.run('PRAGMA journal_mode = MEMORY')
    db.run('PRAGMA synchronous = OFF')
    const triggers = takeTriggers(db)
    for (const { name } of copiedTables()) db.run(`DELETE FROM "${name}"`)
    const done = await work(copyWriterOf(db))
    for (const sql of triggers) db.run(sql)
    return done
  } finally {
    db.close()
  }
}

/** Drops all triggers. @returns the SQL that creates them again */
function takeTriggers(db: Database): string[] {
  const found = db
    .query<{ name: string; sql: string }, []>(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY rowid",
    )
    .all()
  for (const { name } of found) db.run(`DROP TRIGGER "${name}"`)
  return found.map(({ sql }) => sql)
}

function copyWriterOf(db: Database): CopyWriter {
  const inserts = new Map<string, Statement<unknown, [Row]>>()
  return {
    rows: <R>(text: string, values: Row = {}) => db.query<R, Row>(text).all(values),
    storable: (text) => text,
    insert({ name, columns }, rows) {
      const known = inserts.get(name)
      const names = columns.map((column) => column.name)
      const insert =
        known ??
        db.prepare<unknown, [Row]>(
          `INSERT INTO "${name}" (${names.map((each) => `"${each}"`).join(', ')}) VALUES (${names.map((each) => `$${each}`).join(', ')})`,
        )
      inserts.set(name, insert)
      db.transaction(() => {
        for (const row of rows) insert.run(row)
      })()
    },
    // SQLite assigns ids after the greatest that a row has.
    goOnAfter() {},
  }
}
