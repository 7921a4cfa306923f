// The columns of refused requests as a file, of the console and of a command.
import { type CsvColumns, csvTime } from '../../src/http/csv.ts'
import type { RecordedRefusal } from './listing.ts'

export const REFUSAL_COLUMNS: CsvColumns<RecordedRefusal> = {
  request_id: ({ request_id }) => request_id,
  refused_utc: ({ at_ms }) => csvTime(at_ms),
  account: ({ account_name }) => account_name,
  key: ({ key_name }) => key_name,
  key_prefix: ({ key_prefix }) => key_prefix,
  surface: ({ surface }) => surface,
  model: ({ model }) => model,
  status: ({ status }) => status,
  code: ({ code }) => code,
  reason: ({ sentence }) => sentence,
}
