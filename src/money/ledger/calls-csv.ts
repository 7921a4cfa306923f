// The columns of calls as a file, for the console and the command.
import { outputTokens, promptTokens, type Usage } from '../../domain/usage.ts'
import { type CsvColumns, csvTime, csvUsd } from '../../http/csv.ts'
import type { RecordedCall } from './history.ts'

/** A line of the file: a call, or a refused request among the calls, which has no usage and costs nothing. */
export type CallLine = Pick<
  RecordedCall,
  | 'request_id'
  | 'started_at_ms'
  | 'account_name'
  | 'key_name'
  | 'key_prefix'
  | 'surface'
  | 'model'
  | 'status'
  | 'images'
  | 'cost_nanos'
  | 'unpaid_nanos'
  | 'first_byte_ms'
  | 'duration_ms'
  | 'provider'
  | 'upstream_model'
  | 'failed_tries'
  | 'provider_cost_nanos'
> &
  Usage & {
    outcome: RecordedCall['outcome'] | 'refused'
    /** Why it was refused, as the caller was told; absent for calls. */
    refusal?: string
  }

/** The columns for an account. */
export const CALL_CSV: CsvColumns<CallLine> = {
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
  refusal: ({ refusal }) => refusal ?? null,
}

/** With the columns for the operator alone. */
export const OPERATOR_CALL_CSV: CsvColumns<CallLine> = {
  ...CALL_CSV,
  provider: ({ provider }) => provider,
  upstream_model: ({ upstream_model }) => upstream_model,
  failed_tries: ({ failed_tries }) => failed_tries,
  provider_cost_usd: ({ provider_cost_nanos }) => csvUsd(provider_cost_nanos),
  margin_usd: ({ cost_nanos, provider_cost_nanos: cost }) => csvUsd(cost === null ? null : cost_nanos - cost),
}
