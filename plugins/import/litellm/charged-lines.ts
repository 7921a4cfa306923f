// Charged lines of LiteLLM's log, with their usage in the parts that prices have.
import { NO_USAGE, type Usage } from '../../../src/domain/usage.ts'
import type { ChargedLine } from '../move-in.ts'
import type { SourceRow, SourceTables } from '../source/rows.ts'
import { parseNanos } from './amounts.ts'
import { modelOf, parseCount } from './history.ts'
import { type Fields, fieldsOf, jsonFields, textOf } from './values.ts'

const LOG = 'LiteLLM_SpendLogs'
const LOG_COLUMNS = [
  'startTime',
  'model_group',
  'model',
  'prompt_tokens',
  'completion_tokens',
  'spend',
  'metadata',
]

/** Yields the newest lines with a charge above 0. */
export async function* readChargedLines(tables: SourceTables, limit: number): AsyncGenerator<ChargedLine> {
  if (limit <= 0 || (await tables.columnsOf(LOG)) === undefined) return
  let count = 0
  for await (const row of tables.rows(LOG, { columns: LOG_COLUMNS, newest_by: 'startTime' })) {
    const charged_nanos = parseNanos(row.spend) ?? 0
    if (charged_nanos <= 0) continue
    const metadata = jsonFields(row.metadata)
    yield {
      model: modelOf(row),
      usage: usageOf(row, metadata),
      count: 1,
      charged_nanos,
      factors: factorsOf(row, metadata),
    }
    count += 1
    if (count === limit) return
  }
}

/**
 * `usage_object` has the parts since litellm 1.72; before, `additional_usage_values` has some (proxy/spend_tracking/spend_tracking_utils.py).
 * `prompt_tokens` includes tokens read from a cache. It includes tokens written to one in versions that list them in its details:
 * litellm 1.72.6 and 1.110.2 llms/anthropic/chat/transformation.py.
 */
function usageOf(row: SourceRow, metadata: Fields): Usage {
  const usage = { ...fieldsOf(metadata.additional_usage_values), ...fieldsOf(metadata.usage_object) }
  const input = fieldsOf(usage.prompt_tokens_details)
  const output = fieldsOf(usage.completion_tokens_details)
  const prompt_tokens = parseCount(row.prompt_tokens)
  const cache_read_tokens = Math.min(
    prompt_tokens,
    parseCount(usage.cache_read_input_tokens) || parseCount(input.cached_tokens),
  )
  const written = parseCount(usage.cache_creation_input_tokens) || parseCount(input.cache_creation_tokens)
  const is_counted = textOf(input.cache_creation_tokens) !== undefined
  const cache_write_tokens = is_counted ? Math.min(prompt_tokens - cache_read_tokens, written) : written
  const hour = parseCount(fieldsOf(input.cache_creation_token_details).ephemeral_1h_input_tokens)
  const cache_write_1h_tokens = Math.min(cache_write_tokens, hour)
  const rest = prompt_tokens - cache_read_tokens - (is_counted ? cache_write_tokens : 0)
  const input_audio_tokens = Math.min(rest, parseCount(input.audio_tokens))
  const completion_tokens = parseCount(row.completion_tokens)
  const thinking_tokens = Math.min(completion_tokens, parseCount(output.reasoning_tokens))
  const output_image_tokens = Math.min(completion_tokens - thinking_tokens, parseCount(output.image_tokens))
  return {
    ...NO_USAGE,
    input_tokens: rest - input_audio_tokens,
    input_audio_tokens,
    cache_read_tokens,
    cache_write_5m_tokens: cache_write_tokens - cache_write_1h_tokens,
    cache_write_1h_tokens,
    output_tokens: completion_tokens - thinking_tokens - output_image_tokens,
    thinking_tokens,
    output_image_tokens,
  }
}

/** Lists the margins, discounts and other factors in `cost_breakdown`: litellm 1.110.2 cost_calculator.py. */
function factorsOf(row: SourceRow, metadata: Fields): readonly string[] {
  const { margin_percent, discount_percent, margin_fixed_amount, service_tier, tool_usage_cost } = fieldsOf(
    metadata.cost_breakdown,
  )
  const isAbove = (value: unknown) => Number(textOf(value) ?? 0) > 0
  const served = textOf(row.model)
  return [
    // Deployments of one model may cost different amounts.
    ...(served === undefined || served === modelOf(row) ? [] : [`served by ${served}`]),
    ...(isAbove(margin_percent) ? [`margin ${textOf(margin_percent)}`] : []),
    ...(isAbove(margin_fixed_amount) ? [`fixed margin ${textOf(margin_fixed_amount)} USD`] : []),
    ...(isAbove(discount_percent) ? [`discount ${textOf(discount_percent)}`] : []),
    ...(isAbove(tool_usage_cost) ? ['tools'] : []),
    ...(textOf(service_tier) === undefined ? [] : [`service tier ${textOf(service_tier)}`]),
  ]
}
