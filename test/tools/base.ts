// The script of a new database: `bun test/tools/base.ts` rewrites it from the migrations, once many have come after its last.
import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { MIGRATIONS, migrate } from '../../src/store/engines/sqlite/migrate.ts'

const BASE = join(import.meta.dir, '../../src/store/engines/sqlite/base.sql')
const LAST = String(MIGRATIONS.length).padStart(4, '0')
const HEAD = `-- The tables of a new database, as migrations 0001 to ${LAST} leave them: what they hold is said there, and in the files of store/tables/.
-- A database that has none of them gets these at once, in a tenth of the time. \`bun test/tools/base.ts\` has written it; later migrations follow.`

const db = new Database(':memory:')
// A copy of the program's list, since `migrate` takes its short way only for the original.
migrate(db, [...MIGRATIONS])
const parts = db
  .query<{ type: string; name: string; sql: string }, []>(
    "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY rowid",
  )
  .all()
const rows = parts
  .filter(({ type }) => type === 'table')
  .flatMap(({ name }) =>
    db
      .query(`SELECT * FROM "${name}"`)
      .values()
      .map((row) => `INSERT INTO ${name} VALUES (${row.map(literal).join(', ')})`),
  )
const statements = [...parts.map(({ sql }) => sql), ...rows].map((sql) => `${sql};\n`)
await Bun.write(BASE, `${HEAD}\n${statements.join('')}`)
process.stdout.write(`${BASE}: set BASE.version in migrate.ts to ${MIGRATIONS.length}\n`)

function literal(value: unknown): string {
  if (value === null) return 'NULL'
  return typeof value === 'number' ? String(value) : `'${String(value).replaceAll("'", "''")}'`
}
