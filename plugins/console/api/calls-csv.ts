// The columns of calls and of refused requests as files.
import { formatUsd } from '../../../src/domain/money.ts'
import { outputTokens, promptTokens } from '../../../src/domain/usage.ts'
import type { CsvColumns } from '../../../src/http/csv.ts'
import type { RecordedCall } from '../../../src/ledger/history.ts'
import type { RecordedRefusal } from '../../../src/refusals/listing.ts'
import { csvTime } from './list-csv.ts'

export const CALL_COLUMNS: CsvColumns<RecordedCall> = {
  request_id: ({ request_id }) => request_id,
  started_utc: ({ started_at_ms }) => csvTime(started_at_ms),
  account: ({ account_name }) => account_name,
  key: ({ key_name }) => key_name,
  key_prefix: ({ key_prefix }) => key_prefix,
  surface: ({ surface }) => surface,
  model: ({ model }) => model,
  outcome: ({ outcome }) => outcome,
  status: ({ status }) => status,
  input_tokens: (call) => promptTokens(call),
  output_tokens: (call) => outputTokens(call),
  images: ({ images }) => images,
  cost_usd: ({ cost_nanos }) => formatUsd(cost_nanos),
  unpaid_usd: ({ unpaid_nanos }) => formatUsd(unpaid_nanos),
  first_byte_ms: ({ first_byte_ms }) => first_byte_ms,
  duration_ms: ({ duration_ms }) => duration_ms,
}

/** With what only the operator sees. */
export const OPERATOR_COLUMNS: CsvColumns<RecordedCall> = {
  ...CALL_COLUMNS,
  provider: ({ provider }) => provider,
  upstream_model: ({ upstream_model }) => upstream_model,
  failed_tries: ({ failed_tries }) => failed_tries,
  provider_cost_usd: ({ provider_cost_nanos: nanos }) => (nanos === null ? null : formatUsd(nanos)),
}

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
