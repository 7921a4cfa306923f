// Calls and their daily sums as callers see them, without the provider that served them.
import { type Static, Type } from '@sinclair/typebox'
import { type FieldsOf, fieldsFor, rowFor } from '../../src/app/list/columns.ts'
import { KEY_FIELDS } from '../../src/app/surface/account-calls.ts'
import { OUTCOMES } from '../../src/domain/outcomes.ts'
import { PAGE_FIELDS, pageFields } from '../../src/http/paging.ts'
import { Closed, OneOf } from '../../src/http/schema.ts'
import { money } from '../../src/http/views.ts'
import type { DailySum, SumsPage } from '../../src/money/ledger/sums.ts'
import type { Page } from '../../src/store/page.ts'
import { call_columns } from './columns.ts'
import type { RecordedCall } from './listing.ts'

const CALL_FIELDS = fieldsFor(call_columns, ['caller']) as FieldsOf<typeof call_columns, 'caller'>

const CallView = Closed({ ...CALL_FIELDS, outcome: OneOf(OUTCOMES, { description: 'How it ended.' }) })

const SumView = Closed({
  day: Type.String({ description: 'The day in UTC.' }),
  ...KEY_FIELDS,
  model: Type.String({ description: 'The model.' }),
  calls: Type.Integer({ description: 'How many calls there were.' }),
  input_tokens: CALL_FIELDS.input_tokens,
  input_audio_tokens: CALL_FIELDS.input_audio_tokens,
  cache_read_tokens: CALL_FIELDS.cache_read_tokens,
  cache_write_5m_tokens: CALL_FIELDS.cache_write_5m_tokens,
  cache_write_1h_tokens: CALL_FIELDS.cache_write_1h_tokens,
  output_tokens: CALL_FIELDS.output_tokens,
  thinking_tokens: CALL_FIELDS.thinking_tokens,
  output_image_tokens: CALL_FIELDS.output_image_tokens,
  images: CALL_FIELDS.images,
  cost_nanos: CALL_FIELDS.cost_nanos,
  cost_usd: CALL_FIELDS.cost_usd,
  unpaid_nanos: CALL_FIELDS.unpaid_nanos,
  unpaid_usd: CALL_FIELDS.unpaid_usd,
})

/** A page of calls, or of sums. */
export const UsageView = Type.Union(
  [
    Closed({ calls: Type.Array(CallView, { description: 'The newest first.' }), ...PAGE_FIELDS }),
    Closed({ sums: Type.Array(SumView, { description: 'The newest day first.' }), ...PAGE_FIELDS }),
  ],
  { description: 'A page.' },
)

/** One page of calls, the newest first. */
export const pageView = (page: Page<RecordedCall>) => ({
  calls: page.rows.map(callView),
  ...pageFields(page),
})

function callView(call: RecordedCall): Static<typeof CallView> {
  const row: object = rowFor(call_columns, 'caller', call)
  return row as Static<typeof CallView>
}

/** One page of sums, the newest day first. */
export const sumsView = (page: SumsPage) => ({ sums: page.sums.map(sumView), ...pageFields(page) })

function sumView(sum: DailySum) {
  const { account_id, account_name, key_id, key_name, provider_cost_nanos, known_revenue_nanos, ...rest } =
    sum
  const { cost_nanos, unpaid_nanos, ...counts } = rest
  return { ...counts, key: key_name, ...money('cost', cost_nanos), ...money('unpaid', unpaid_nanos) }
}
