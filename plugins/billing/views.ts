// What callers are shown of their account, their key and their calls. Which provider served them is not among it.

import { Type } from '@sinclair/typebox'
import { ACCOUNT_MONEY_FIELDS, accountMoney } from '../../src/access/account-view.ts'
import { limitsFor } from '../../src/access/limits.ts'
import { LimitsView, limitsView } from '../../src/access/limits-view.ts'
import type { KeyOfAccount } from '../../src/access/lookup.ts'
import { SpendLimitsView, spendLimitsView } from '../../src/access/spend-limits-view.ts'
import { KEY_FIELDS } from '../../src/app/surface/account-calls.ts'
import type { ExchangeParts } from '../../src/calls/parts.ts'
import { OUTCOMES } from '../../src/domain/outcomes.ts'
import { PAGE_FIELDS, pageFields } from '../../src/http/paging.ts'
import { Closed, Nullable, OneOf } from '../../src/http/schema.ts'
import {
  MoneyFields,
  money,
  NullableMoneyFields,
  NullableTimeFields,
  TimeFields,
  time,
} from '../../src/http/views.ts'
import type { CallPage, RecordedCall } from '../../src/money/ledger/history.ts'
import type { DailySum, SumsPage } from '../../src/money/ledger/sums.ts'

export const AccountView = Closed(
  {
    account: Type.String({ description: 'The name of the account.' }),
    status: OneOf(['active', 'suspended'], { description: 'Whether it may make calls.' }),
    ...ACCOUNT_MONEY_FIELDS,
    limits: Closed(
      {
        account: { ...LimitsView, description: 'Of all keys together.' },
        key: { ...LimitsView, description: 'Of this key.' },
      },
      { description: 'The limits that are set, with what counts against each at the moment.' },
    ),
    key: Closed(
      {
        name: Type.String({ description: 'Its name.' }),
        prefix: Type.String({ description: 'Its first 10 characters.' }),
        models: Nullable(Type.Array(Type.String(), { description: 'The models it may call; null for all.' })),
        ...NullableMoneyFields('spend_limit', 'The most that it may spend'),
        ...MoneyFields('spent', 'What it has spent'),
        ...MoneyFields('held', 'What its calls under way hold'),
        spend_limits: SpendLimitsView,
        ...NullableTimeFields('expires', 'When it expires'),
      },
      { description: 'The key that asks.' },
    ),
  },
  { description: 'The account.' },
)

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

/** An account with its money, what of it new calls may use, its limits, and the key that asks. */
export async function accountView(
  { account, key }: KeyOfAccount,
  { catalogue, limiter, now }: Pick<ExchangeParts, 'catalogue' | 'limiter' | 'now'>,
) {
  const of_call = limitsFor(catalogue().limits, account.name, key)
  return {
    account: account.name,
    status: account.status,
    ...accountMoney(account),
    limits: {
      account: limitsView(of_call.account, await limiter.used('account', account.id)),
      key: limitsView(of_call.key, await limiter.used('key', key.id)),
    },
    key: {
      name: key.name,
      prefix: key.prefix,
      models: key.models,
      ...money('spend_limit', key.spend_limit_nanos),
      ...money('spent', key.spent_nanos),
      ...money('held', key.held_nanos),
      spend_limits: spendLimitsView(key, now()),
      ...time('expires', key.expires_at_ms),
    },
  }
}

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
