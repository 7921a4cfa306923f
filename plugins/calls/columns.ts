// Columns of calls for the console, for callers, in files and in the JSON of commands.

import {
  boolean,
  columnsOf,
  csvFor,
  integer,
  money,
  nullableFields,
  nullableInteger,
  nullableMoney,
  nullableText,
  type Reader,
  text,
  time,
  word,
} from '../../src/app/list/columns.ts'
import { marginOfOne } from '../../src/domain/margin.ts'
import { type CallOutcome, LISTED_OUTCOMES } from '../../src/domain/outcomes.ts'
import { outputTokens, promptTokens } from '../../src/domain/usage.ts'
import { Nullable, OneOf } from '../../src/http/schema.ts'
import { CAUSES, causeOf } from './causes.ts'
import type { RecordedCall } from './listing.ts'
import { freeBecause } from './price-lines.ts'

/** A call, or a refused request among calls, which has no usage and costs nothing. */
export interface ListedCall extends Omit<RecordedCall, 'outcome'> {
  outcome: CallOutcome | 'refused'
  /** The message of the refusal to its caller; absent for calls. */
  refusal?: string
}

const CONSOLE = ['operator', 'account', 'key'] as const
const DETAILED = ['caller', 'command'] as const
const ROUTES = [...CONSOLE, 'command'] as const
const EVERYBODY = [...CONSOLE, ...DETAILED] as const

/** Whether the reader gets separate counts of each kind of tokens. Pages and files have one count of input and one of output. */
const isDetailed = (reader: Reader): boolean => reader === 'caller' || reader === 'command'

/** Null for accounts, which must not see a call's route and provider cost; on pages also null if no route answered. */
const operatorOnly =
  <Value>(value: (call: ListedCall) => Value) =>
  (call: ListedCall, reader: Reader): Value | null => {
    if (reader === 'command') return value(call)
    return reader === 'operator' && value(call) !== '' ? value(call) : null
  }

export const call_columns = columnsOf<ListedCall>()({
  id: integer(({ id }) => id, { seen_by: ['command'] }),
  request_id: text(({ request_id }) => request_id, {
    description: 'The request ID, as in the header x-request-id of the answer.',
  }),
  account_id: integer(({ account_id }) => account_id, { seen_by: CONSOLE }),
  account: text(({ account_name }) => account_name, { seen_by: CONSOLE }),
  key_id: integer(({ key_id }) => key_id, { seen_by: CONSOLE }),
  surface: text(({ surface }) => surface, { description: 'The API of the request.' }),
  model: text(({ model }) => model, { description: 'The model.' }),
  provider: nullableText(
    operatorOnly(({ provider }) => provider),
    { seen_by: ROUTES },
  ),
  upstream_model: nullableText(
    operatorOnly(({ upstream_model }) => upstream_model),
    { seen_by: ROUTES },
  ),
  /** The number of failed attempts at routes; null for accounts. */
  failed_tries: nullableInteger(
    operatorOnly(({ failed_tries }) => failed_tries),
    { seen_by: CONSOLE },
  ),
  outcome: word(OneOf(LISTED_OUTCOMES), ({ outcome }) => outcome, { description: 'The outcome.' }),
  status: integer(({ status }) => status, { description: 'The HTTP status.' }),
  cause: nullableText((call, reader) => causeOf(call, reader === 'operator' || reader === 'command'), {
    description: `The reason of a failure: ${CAUSES.join(', ')}; null if the call succeeded.`,
  }),
  input_tokens: integer((call, reader) => (isDetailed(reader) ? call.input_tokens : promptTokens(call)), {
    description: 'Tokens of the prompt, without those in the fields below.',
    seen_by: EVERYBODY,
  }),
  input_audio_tokens: integer(({ input_audio_tokens }) => input_audio_tokens, {
    description: 'Tokens of audio in the prompt.',
    seen_by: DETAILED,
  }),
  cache_read_tokens: integer(({ cache_read_tokens }) => cache_read_tokens, {
    description: "Tokens of the prompt read from the provider's cache.",
    seen_by: DETAILED,
  }),
  cache_write_5m_tokens: integer(({ cache_write_5m_tokens }) => cache_write_5m_tokens, {
    description: 'Tokens of the prompt cached for 5 minutes.',
    seen_by: DETAILED,
  }),
  cache_write_1h_tokens: integer(({ cache_write_1h_tokens }) => cache_write_1h_tokens, {
    description: 'Tokens of the prompt cached for an hour.',
    seen_by: DETAILED,
  }),
  output_tokens: integer((call, reader) => (isDetailed(reader) ? call.output_tokens : outputTokens(call)), {
    description: 'Tokens of the answer, without those in the fields below.',
    seen_by: EVERYBODY,
  }),
  thinking_tokens: integer(({ thinking_tokens }) => thinking_tokens, {
    description: 'Thinking tokens of the answer.',
    seen_by: DETAILED,
  }),
  output_image_tokens: integer(({ output_image_tokens }) => output_image_tokens, {
    description: 'Image tokens of the answer.',
    seen_by: DETAILED,
  }),
  images: integer(({ images }) => images, { description: 'Charged images.' }),
  first_byte_ms: nullableInteger(({ first_byte_ms }) => first_byte_ms, {
    description: 'Milliseconds to the first byte of the answer.',
  }),
  duration_ms: integer(({ duration_ms }) => duration_ms, {
    description: 'Milliseconds to the end of the answer.',
  }),
  key_prefix: text(({ key_prefix }) => key_prefix, {
    description: 'The first 10 characters of the key.',
  }),
  key: text(({ key_name }) => key_name, { description: 'The name of the key.' }),
  streamed: boolean(({ streamed }) => streamed === 1, {
    description: 'Whether the answer was streamed.',
  }),
  estimated: boolean(({ estimated }) => estimated === 1, {
    description: 'Whether the tokens are an estimate, because the provider reported none.',
  }),
  hold: money(({ hold_nanos }) => hold_nanos, {
    description: 'The hold',
    seen_by: DETAILED,
  }),
  cost: money(({ cost_nanos }) => cost_nanos, { description: 'The charge' }),
  free_because: word(Nullable(OneOf(['interrupted'])), freeBecause, {
    description:
      'The reason why the call was free, although its model is not: `interrupted` if the provider interrupted the answer, and interrupted answers are free.',
  }),
  paid_by: word(OneOf(['balance', 'plan']), paidBy, {
    description: 'The source of the payment: the balance, or the plan of the account, which covers the call.',
  }),
  covered: money(({ covered_nanos }) => covered_nanos, {
    description:
      "The cost at the account's price of a call that a plan covers, which counts against its limits",
  }),
  unpaid: money(({ unpaid_nanos }) => unpaid_nanos, {
    description: 'The part that exceeded the balance and became debt',
  }),
  refunded: money(({ refunded_nanos }) => refunded_nanos, {
    description: 'The part of the charge that was refunded',
  }),
  provider_cost: nullableMoney(
    operatorOnly(({ provider_cost_nanos }) => provider_cost_nanos),
    { seen_by: CONSOLE },
  ),
  reported_cost: nullableMoney(({ reported_cost_nanos }) => reported_cost_nanos, {
    seen_by: ['command'],
  }),
  computed_cost: nullableMoney(({ computed_cost_nanos }) => computed_cost_nanos, {
    seen_by: ['command'],
  }),
  margin: nullableMoney(
    // A call that a plan covers has no margin: the plan's fee pays for it.
    operatorOnly(({ cost_nanos, refunded_nanos, provider_cost_nanos, plan_period_id }) =>
      plan_period_id === null ? marginOfOne(cost_nanos - refunded_nanos, provider_cost_nanos) : null,
    ),
    { seen_by: CONSOLE },
  ),
  price: nullableFields(({ price }) => (price === '' ? null : JSON.parse(price)), {
    description: 'The price that was applied; null if nothing was charged.',
    seen_by: DETAILED,
  }),
  started: time(({ started_at_ms }) => started_at_ms, { description: 'When it started' }),
})

function paidBy({ plan_period_id }: ListedCall): 'balance' | 'plan' {
  return plan_period_id === null ? 'balance' : 'plan'
}

/** The columns of lists with calls and refused requests. */
export const listed_call_columns = {
  ...call_columns,
  paid_by: word(Nullable(OneOf(['balance', 'plan'])), (call: ListedCall) =>
    call.outcome === 'refused' ? null : paidBy(call),
  ),
  /** The message of the refusal to its caller; null for calls. */
  refusal: nullableText(({ refusal }: ListedCall) => refusal ?? null, { seen_by: CONSOLE }),
}

const CSV = [
  'request_id',
  'started',
  'account',
  'key',
  'key_prefix',
  'surface',
  'model',
  'outcome',
  'status',
  'input_tokens',
  'output_tokens',
  'images',
  'cost',
  'unpaid',
  'refunded',
  'first_byte_ms',
  'duration_ms',
  'refusal',
  'cause',
  'paid_by',
  'covered',
] as const satisfies (keyof typeof listed_call_columns)[]

/** The same with the columns for the operator only. */
const OPERATORS_CSV = [
  ...CSV,
  'provider',
  'upstream_model',
  'failed_tries',
  'provider_cost',
  'margin',
] as const satisfies (keyof typeof listed_call_columns)[]

/** The CSV format of calls, for files of the console and for `tollgate usage --csv`. */
export const callCsv = (reader: Reader) =>
  csvFor(listed_call_columns, reader, reader === 'operator' ? OPERATORS_CSV : CSV)
