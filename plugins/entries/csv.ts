// The columns of balance entries as a file, of the console and of a command.
import { type CsvColumns, csvTime, csvUsd } from '../../src/http/csv.ts'
import { visibleLine } from '../../src/utilities/visible-text.ts'
import type { NamedEntry } from './all-entries.ts'

export const ENTRY_COLUMNS: CsvColumns<NamedEntry> = {
  id: ({ id }) => id,
  time_utc: ({ created_at_ms }) => csvTime(created_at_ms),
  account: ({ account_name }) => account_name,
  kind: ({ kind }) => kind,
  amount_usd: ({ amount_nanos }) => csvUsd(amount_nanos),
  amount_nanos: ({ amount_nanos }) => amount_nanos,
  unpaid_usd: ({ unpaid_nanos }) => csvUsd(unpaid_nanos),
  model: ({ model }) => model,
  request_id: ({ request_id }) => request_id,
  /** Notes of earlier versions may hold control characters, and marks that turn the direction of writing. */
  note: ({ note }) => visibleLine(note),
}
