// Tables of LiteLLM in memory, as the sources of an import give them.
import { missingTable, type SourceRow, type SourceTables } from '../../../plugins/import/source/rows.ts'

/** Rows by the names of tables without `LiteLLM_`. */
export type MemoryRows = Readonly<Record<string, readonly SourceRow[]>>

const numberOrText = (value: unknown) =>
  value instanceof Date ? value.getTime() : (value as number | string)

/** The table of keys always exists, others only if they have rows. */
export function memoryTables(all: MemoryRows): SourceTables {
  const tables: MemoryRows = { VerificationToken: [], ...all }
  const rowsOf = (table: string) => tables[table.replace(/^LiteLLM_/, '')]
  return {
    address: 'memory',
    sorts: true,
    columnsOf: async (table) => {
      const rows = rowsOf(table)
      return rows && [...new Set(rows.flatMap((row) => Object.keys(row)))]
    },
    async *rows(table, { columns, newest_by } = {}) {
      const rows = rowsOf(table)
      if (!rows) throw missingTable('memory', table)
      const sorted = newest_by
        ? rows.toSorted((one, other) =>
            numberOrText(one[newest_by]) < numberOrText(other[newest_by]) ? 1 : -1,
          )
        : rows
      for (const row of sorted)
        yield columns
          ? Object.fromEntries(Object.entries(row).filter(([name]) => columns.includes(name)))
          : row
    },
    [Symbol.asyncDispose]: async () => undefined,
  }
}

/** The SHA-256 of a key's text, as LiteLLM has it. */
export const hashOf = (text: string): string => new Bun.CryptoHasher('sha256').update(text).digest('hex')

/** A key's row with LiteLLM's defaults. @param text that callers send */
export const keyRow = (text: string, row: SourceRow = {}): SourceRow => ({
  token: hashOf(text),
  key_name: `sk-...${text.slice(-4)}`,
  key_alias: null,
  spend: 0,
  models: [],
  aliases: {},
  metadata: {},
  blocked: null,
  ...row,
})
