// Writes a catalogue directly into the database on a server, including the provider keys, which no command writes.
import { openPostgres } from '../../src/store/engines/postgres/open.ts'

/** Applies a catalogue to all gateways over a database. */
export async function putCatalogueIn(url: string, text: string): Promise<void> {
  await using db = await openPostgres(url)
  await db.write((db) =>
    db.rows("INSERT INTO catalogues (text, made_at_ms, made_by, shared) VALUES ($text, 1, 'file', 1)", {
      text,
    }),
  )
}
