// Calls and their daily sums as callers see them, without the provider that served them.
import { Type } from '@sinclair/typebox'
import { KEY_FIELDS } from '../../src/app/surface/account-calls.ts'
import { OUTCOMES } from '../../src/domain/outcomes.ts'
import { PAGE_FIELDS, pageFields } from '../../src/http/paging.ts'
import { Closed, Nullable, OneOf } from '../../src/http/schema.ts'
import { MoneyFields, money, TimeFields, time } from '../../src/http/views.ts'
import type { CallPage, RecordedCall } from '../../src/money/ledger/history.ts'
import type { DailySum, SumsPage } from '../../src/money/ledger/sums.ts'

const COUNTS = {
  input_tokens: Type.Integer({ description: 'Tokens of the prompt, but for those below.' }),
  input_audio_tokens: Type.Integer({ description: 'Tokens of audio in the prompt.' }),
  cache_read_tokens: Type.Integer({ description: "Tokens of the prompt read from the provider's cache." }),
  cache_write_5m_tokens: Type.Integer({ description: 'Tokens of the prompt cached for 5 minutes.' }),
  cache_write_1h_tokens: Type.Integer({ description: 'Tokens of the prompt cached for an hour.' }),
  output_tokens: Type.Integer({ description: 'Tokens of the answer, but for those below.' }),
  thinking_tokens: Type.Integer({ description: 'Tokens of its thoughts.' }),
  output_image_tokens: Type.Integer({ description: 'Tokens of its images.' }),
  images: Type.Integer({ description: 'Images that were charged.' }),
}
const COST = {
  ...MoneyFields('cost', 'What was charged'),
  ...MoneyFields('unpaid', 'What of it the balance did not cover, and became debt'),
}

const CallView = Closed({
  request_id: Type.String({ description: 'The id of the request, as its answer had it.' }),
  surface: Type.String({ description: 'The API that it came by.' }),
  model: Type.String({ description: 'The model.' }),
  outcome: OneOf(OUTCOMES, { description: 'How it ended.' }),
  status: Type.Integer({ description: 'The HTTP status.' }),
  ...COUNTS,
  first_byte_ms: Nullable(Type.Integer({ description: 'Milliseconds to the first byte of the answer.' })),
  duration_ms: Type.Integer({ description: 'Milliseconds to its end.' }),
  ...KEY_FIELDS,
  streamed: Type.Boolean({ description: 'It was answered as a stream.' }),
  estimated: Type.Boolean({ description: 'The provider counted nothing, and the tokens are an estimate.' }),
  ...MoneyFields('hold', 'What was held for it'),
  ...COST,
  price: Nullable(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'The price that was applied; null where nothing was charged.',
    }),
  ),
  ...TimeFields('started', 'When it began'),
})

const SumView = Closed({
  day: Type.String({ description: 'The day in UTC.' }),
  ...KEY_FIELDS,
  model: Type.String({ description: 'The model.' }),
  calls: Type.Integer({ description: 'How many calls there were.' }),
  ...COUNTS,
  ...COST,
})

/** A page of calls; or of sums, where they were asked for. */
export const UsageView = Type.Union(
  [
    Closed({ calls: Type.Array(CallView, { description: 'The newest first.' }), ...PAGE_FIELDS }),
    Closed({ sums: Type.Array(SumView, { description: 'The newest day first.' }), ...PAGE_FIELDS }),
  ],
  { description: 'A page.' },
)

/** One page of calls, the newest first. */
export const pageView = (page: CallPage) => ({ calls: page.calls.map(callView), ...pageFields(page) })

function callView(call: RecordedCall) {
  const { id, account_id, account_name, key_id, provider, upstream_model, failed_tries, ...shown } = call
  const {
    provider_cost_nanos,
    reported_cost_nanos,
    computed_cost_nanos,
    key_name,
    streamed,
    estimated,
    hold_nanos,
    cost_nanos,
    unpaid_nanos,
    price,
    ...rest
  } = shown
  const { started_at_ms, ...plain } = rest
  return {
    ...plain,
    key: key_name,
    streamed: streamed === 1,
    estimated: estimated === 1,
    ...money('hold', hold_nanos),
    ...money('cost', cost_nanos),
    ...money('unpaid', unpaid_nanos),
    price: price === '' ? null : JSON.parse(price),
    ...time('started', started_at_ms),
  }
}

/** One page of sums, the newest day first. */
export const sumsView = (page: SumsPage) => ({ sums: page.sums.map(sumView), ...pageFields(page) })

function sumView(sum: DailySum) {
  const { account_id, account_name, key_id, key_name, provider_cost_nanos, known_revenue_nanos, ...shown } =
    sum
  const { cost_nanos, unpaid_nanos, ...counts } = shown
  return { ...counts, key: key_name, ...money('cost', cost_nanos), ...money('unpaid', unpaid_nanos) }
}
