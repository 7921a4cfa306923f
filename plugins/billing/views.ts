// What callers are shown of their account, their key and their calls. Which provider served them is not among it.
import { Type } from '@sinclair/typebox'
import { ACCOUNT_MONEY_FIELDS, accountMoney } from '../../src/access/account-view.ts'
import { type Limiter, limitsFor } from '../../src/access/limits.ts'
import { LimitsView, limitsView } from '../../src/access/limits-view.ts'
import type { KeyOfAccount } from '../../src/access/lookup.ts'
import type { Limits } from '../../src/domain/catalogue.ts'
import { PAGE_FIELDS, pageFields } from '../../src/http/paging.ts'
import { Nullable, OneOf } from '../../src/http/schema.ts'
import {
  MoneyFields,
  money,
  NullableMoneyFields,
  NullableTimeFields,
  TimeFields,
  time,
} from '../../src/http/views.ts'
import { OUTCOMES } from '../../src/ledger/call-filter.ts'
import type { CallPage, RecordedCall } from '../../src/ledger/history.ts'
import type { DailySum, SumsPage } from '../../src/ledger/sums.ts'

/** No answer has a field that its schema does not name. */
const closed = { additionalProperties: false }

export const AccountView = Type.Object(
  {
    account: Type.String(),
    status: OneOf(['active', 'suspended']),
    ...ACCOUNT_MONEY_FIELDS,
    limits: Type.Object({ account: LimitsView, key: LimitsView }, closed),
    key: Type.Object(
      {
        name: Type.String(),
        prefix: Type.String(),
        models: Nullable(Type.Array(Type.String())),
        ...NullableMoneyFields('spend_limit'),
        ...MoneyFields('spent'),
        ...MoneyFields('held'),
        ...NullableTimeFields('expires'),
      },
      closed,
    ),
  },
  closed,
)

const TOKEN_COUNTS = {
  input_tokens: Type.Integer(),
  input_audio_tokens: Type.Integer(),
  cache_read_tokens: Type.Integer(),
  cache_write_5m_tokens: Type.Integer(),
  cache_write_1h_tokens: Type.Integer(),
  output_tokens: Type.Integer(),
  thinking_tokens: Type.Integer(),
  output_image_tokens: Type.Integer(),
}

const CallView = Type.Object(
  {
    request_id: Type.String(),
    surface: Type.String(),
    model: Type.String(),
    outcome: OneOf(OUTCOMES),
    status: Type.Integer(),
    ...TOKEN_COUNTS,
    images: Type.Integer(),
    first_byte_ms: Nullable(Type.Integer()),
    duration_ms: Type.Integer(),
    key_prefix: Type.String(),
    key: Type.String(),
    streamed: Type.Boolean(),
    estimated: Type.Boolean(),
    ...MoneyFields('hold'),
    ...MoneyFields('cost'),
    ...MoneyFields('unpaid'),
    /** The price that was applied, as it was stored; null where nothing was charged. */
    price: Nullable(Type.Record(Type.String(), Type.Unknown())),
    ...TimeFields('started'),
  },
  closed,
)

const SumView = Type.Object(
  {
    day: Type.String(),
    key_prefix: Type.String(),
    model: Type.String(),
    calls: Type.Integer(),
    ...TOKEN_COUNTS,
    images: Type.Integer(),
    key: Type.String(),
    ...MoneyFields('cost'),
    ...MoneyFields('unpaid'),
  },
  closed,
)

/** A page of calls; or of sums, where they were asked for. */
export const UsageView = Type.Union([
  Type.Object({ calls: Type.Array(CallView), ...PAGE_FIELDS }, closed),
  Type.Object({ sums: Type.Array(SumView), ...PAGE_FIELDS }, closed),
])

/** An account with its money, what of it new calls may use, its limits, and the key that asks. */
export function accountView({ account, key }: KeyOfAccount, limits: Limits, limiter: Limiter) {
  const of_call = limitsFor(limits, account.name, key.prefix)
  return {
    account: account.name,
    status: account.status,
    ...accountMoney(account),
    limits: {
      account: limitsView(of_call.account, limiter.used('account', account.id)),
      key: limitsView(of_call.key, limiter.used('key', key.id)),
    },
    key: {
      name: key.name,
      prefix: key.prefix,
      models: key.models,
      ...money('spend_limit', key.spend_limit_nanos),
      ...money('spent', key.spent_nanos),
      ...money('held', key.held_nanos),
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
