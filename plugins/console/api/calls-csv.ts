// The columns of calls as a file.
import { outputTokens, promptTokens } from '../../../src/domain/usage.ts'
import { type CsvColumns, csvTime, csvUsd } from '../../../src/http/csv.ts'
import type { RecordedCall } from '../../../src/ledger/history.ts'

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
  cost_usd: ({ cost_nanos }) => csvUsd(cost_nanos),
  unpaid_usd: ({ unpaid_nanos }) => csvUsd(unpaid_nanos),
  first_byte_ms: ({ first_byte_ms }) => first_byte_ms,
  duration_ms: ({ duration_ms }) => duration_ms,
}

/** With what only the operator sees. */
export const OPERATOR_COLUMNS: CsvColumns<RecordedCall> = {
  ...CALL_COLUMNS,
  provider: ({ provider }) => provider,
  upstream_model: ({ upstream_model }) => upstream_model,
  failed_tries: ({ failed_tries }) => failed_tries,
  provider_cost_usd: ({ provider_cost_nanos }) => csvUsd(provider_cost_nanos),
}
