// The README of an export, for the account holder.
import { exportedTables, type StoredTable } from '../../src/store/stored-table.ts'

const NAME_WIDTH = 18

export const exportReadme = (tables: readonly StoredTable[]): string => `\
This archive has everything that a Tollgate gateway stores about one account.

Each .jsonl file is a table, and each of its lines is a row, as JSON. Fields that
end with _nanos are amounts in billionths of a US dollar, fields with _ms are
milliseconds, and fields with _at_ms are milliseconds since 1970 (UTC).

${exportedTables(tables)
  .map(({ name, rule }) => `  ${name.padEnd(NAME_WIDTH)}${rule.described}`)
  .join('\n')}

The images are in images/, uploads in files/, and long responses and answers in
responses/ and answers/. A body is text, or {"base64": ...} if it is not text.

manifest.json lists every file with its size and SHA-256, and files that could
not be found. Left out: secrets (keys, passwords, tokens of sessions and links),
and sums of calls and refusals.
`
