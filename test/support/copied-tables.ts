// Copies all rows of some tables into another database, also on the other engine.
import type { Db } from '../../src/store/db.ts'

export async function copyTables(from: Db, to: Db, tables: readonly string[]): Promise<void> {
  for (const table of tables)
    for (const row of await from.rows<Record<string, string | number | null>>(`SELECT * FROM ${table}`)) {
      const names = Object.keys(row)
      const text = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map((name) => `$${name}`).join(', ')})`
      await to.write((within) => within.rows(text, row))
    }
}
