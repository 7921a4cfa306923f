// The log of one-api or new-api: sums by day, account and model, and single lines for the shadow bill.
import { DAY_S } from '../../../src/domain/ranges.ts'
import { NO_USAGE, type Usage } from '../../../src/domain/usage.ts'
import type { ChargedLine, HistoryRow } from '../move-in.ts'
import type { SourceRow, SourceTables } from '../source/rows.ts'
import { decimalOf, isEqual, nanosOfQuota, parseFraction } from './fraction.ts'
import { DEFAULT_GROUP, groupRatioOf, type Settings } from './options.ts'
import type { Program, RecordedRatios } from './ratios.ts'
import { type Fields, parseJsonObject, textOf, wholeOf } from './values.ts'

/** Type 2 of `logs.type`: charged calls (model/log.go of both). */
const CHARGED = { column: 'type', is: 2 }
const HISTORY_COLUMNS = ['user_id', 'created_at', 'model_name', 'quota', 'prompt_tokens', 'completion_tokens']
const LINE_COLUMNS = ['id', 'user_id', 'model_name', 'quota', 'prompt_tokens', 'completion_tokens', 'other']

export const hasLog = async (tables: SourceTables): Promise<boolean> =>
  (await tables.columnsOf('logs')) !== undefined

/** Yields each day, account and model once. If the engine sorts, only one day is in memory. */
export async function* readHistory(
  tables: SourceTables,
  { quota_per_usd }: Settings,
): AsyncGenerator<HistoryRow> {
  if (!(await hasLog(tables))) return
  const query = {
    columns: HISTORY_COLUMNS,
    where: CHARGED,
    ...(tables.sorts ? { newest_by: 'created_at' } : {}),
  }
  let sums = new Map<string, Sum>()
  // One string for each model: a string cut from a dump keeps its whole chunk in memory.
  const models = new Map<string, string>()
  let current_s: number | undefined
  for await (const row of tables.rows('logs', query)) {
    const day_s = Math.floor(wholeOf(row, 'created_at') / DAY_S) * DAY_S
    if (tables.sorts && current_s !== undefined && day_s !== current_s) {
      yield* historyOf(sums, quota_per_usd)
      sums = new Map()
    }
    current_s = day_s
    const model = textOf(row, 'model_name')
    if (!models.has(model)) models.set(model, model)
    addTo(sums, row, { day_s, model: models.get(model) ?? model })
  }
  yield* historyOf(sums, quota_per_usd)
}

interface Sum extends Omit<HistoryRow, 'charged_nanos'> {
  calls: number
  input_tokens: number
  output_tokens: number
  quota: number
}

function addTo(sums: Map<string, Sum>, row: SourceRow, { day_s, model }: Pick<Sum, 'day_s' | 'model'>): void {
  const user = wholeOf(row, 'user_id')
  const name = `${day_s} ${user} ${model}`
  let sum = sums.get(name)
  if (!sum) {
    sum = { account: `user ${user}`, model, day_s, calls: 0, input_tokens: 0, output_tokens: 0, quota: 0 }
    sums.set(name, sum)
  }
  sum.calls += 1
  sum.input_tokens += wholeOf(row, 'prompt_tokens')
  sum.output_tokens += wholeOf(row, 'completion_tokens')
  sum.quota += wholeOf(row, 'quota')
}

function* historyOf(
  sums: ReadonlyMap<string, Sum>,
  per_usd: Settings['quota_per_usd'],
): Generator<HistoryRow> {
  for (const { quota, ...sum } of sums.values()) yield { ...sum, charged_nanos: nanosOfQuota(quota, per_usd) }
}

/** Reads the newest charged lines, newest first. */
export const newestLines = (tables: SourceTables, limit: number): AsyncIterable<SourceRow> =>
  tables.rows('logs', { columns: LINE_COLUMNS, where: CHARGED, newest_by: 'id', limit })

/** Returns, for each model, its newest line with ratios. @param lines newest first */
export async function recordedRatios(lines: AsyncIterable<SourceRow>): Promise<RecordedRatios> {
  const recorded = new Map<string, Fields>()
  for await (const row of lines) {
    const model = textOf(row, 'model_name')
    const other = recorded.has(model) ? undefined : parseJsonObject(textOf(row, 'other'))
    if (other?.model_ratio !== undefined || other?.model_price !== undefined) recorded.set(model, other ?? {})
  }
  return recorded
}

/** Converts a line for the shadow bill; undefined if nothing was charged. */
export function chargedLineOf(row: SourceRow, program: Program, settings: Settings): ChargedLine | undefined {
  const quota = wholeOf(row, 'quota')
  if (quota <= 0) return undefined
  const other = parseJsonObject(textOf(row, 'other')) ?? {}
  return {
    model: textOf(row, 'model_name'),
    usage: usageOf(row, other),
    count: countOf(row, other),
    charged_nanos: nanosOfQuota(quota, settings.quota_per_usd),
    rounded_to_nanos: nanosOfQuota(1, settings.quota_per_usd),
    factors: factorsOf(other, program, settings),
  }
}

const numberOf = (fields: Fields, name: string): number => {
  const value = Number(fields[name] ?? 0)
  return Number.isSafeInteger(value) && value > 0 ? value : 0
}

/** For Claude, prompt tokens exclude tokens of the cache; for all others they include them (new-api service/text_quota.go). */
function usageOf(row: SourceRow, other: Fields): Usage {
  const prompt = Math.max(0, wholeOf(row, 'prompt_tokens'))
  const cache_read_tokens = numberOf(other, 'cache_tokens')
  const cache_write_1h_tokens = numberOf(other, 'cache_creation_tokens_1h')
  const written = Math.max(
    numberOf(other, 'cache_creation_tokens'),
    numberOf(other, 'cache_creation_tokens_5m') + cache_write_1h_tokens,
  )
  const input_audio_tokens = other.audio === true ? numberOf(other, 'audio_input') : 0
  const beside = other.claude === true ? 0 : cache_read_tokens + written
  return {
    ...NO_USAGE,
    input_tokens: Math.max(0, prompt - beside - input_audio_tokens),
    input_audio_tokens,
    cache_read_tokens,
    cache_write_5m_tokens: written - cache_write_1h_tokens,
    cache_write_1h_tokens,
    output_tokens: Math.max(0, wholeOf(row, 'completion_tokens')),
  }
}

/** A call for images priced by the piece logs the number of images as prompt tokens (new-api relay/relay-image.go). */
const countOf = (row: SourceRow, other: Fields): number =>
  Number(other.model_price) > 0 &&
  wholeOf(row, 'completion_tokens') === 0 &&
  wholeOf(row, 'prompt_tokens') <= MAX_IMAGES
    ? Math.max(1, wholeOf(row, 'prompt_tokens'))
    : 1

const MAX_IMAGES = 10

/** Lists factors of a charge that the imported price does not have. */
function factorsOf(other: Fields, program: Program, settings: Settings): string[] {
  const factors: string[] = []
  const special = parseFraction(other.user_group_ratio)
  const group = special ?? parseFraction(other.group_ratio)
  const by_default = groupRatioOf(settings, DEFAULT_GROUP)
  if (group && !isEqual(group, by_default)) factors.push(`group ratio ${decimalOf(group)}`)
  if (other.billing_mode === 'tiered_expr') factors.push('priced by an expression')
  if (other.web_search === true || Array.isArray(other.tool_surcharges)) factors.push('searches and tools')
  if (other.image === true) factors.push('image tokens')
  if (other.audio === true || other.ws === true || other.audio_input_seperate_price === true)
    factors.push('audio tokens')
  if (other.billing_source === 'subscription') factors.push('paid by a subscription')
  if (program === 'one-api') factors.push('a group ratio, count or size that one-api does not log')
  return factors
}
