// The settings of one-api or new-api in its table `options`: the unit of money, and the ratios that prices are made of.
import type { LeftOut } from '../move-in.ts'
import type { SourceRow } from '../source/rows.ts'
import { type Fraction, fraction, isZero, ONE, parseFraction } from './fraction.ts'
import { parseJsonObject, textOf } from './values.ts'

export type RatioTable = ReadonlyMap<string, Fraction>

/**
 * Ratios by model or group. Undefined if the table has no such row: then the program's defaults apply
 * (model/option.go of both). A row replaces all defaults, except for one-api's ModelRatio, which it only overrides.
 */
export interface Settings {
  readonly quota_per_usd: Fraction
  readonly model_ratio: RatioTable | undefined
  readonly completion_ratio: RatioTable | undefined
  readonly cache_ratio: RatioTable | undefined
  readonly create_cache_ratio: RatioTable | undefined
  readonly model_price: RatioTable | undefined
  readonly image_ratio: RatioTable | undefined
  readonly audio_ratio: RatioTable | undefined
  readonly audio_completion_ratio: RatioTable | undefined
  readonly group_ratio: RatioTable | undefined
  /** Models priced by an expression (`billing_setting.billing_mode`, new-api of 2026). */
  readonly by_expression: ReadonlySet<string>
  readonly left_out: readonly LeftOut[]
}

const DEFAULT_QUOTA_PER_USD = fraction('500000')

export async function readSettings(rows: AsyncIterable<SourceRow>): Promise<Settings> {
  const texts = new Map<string, string>()
  for await (const row of rows) texts.set(textOf(row, 'key'), textOf(row, 'value'))
  const left_out: LeftOut[] = []
  const table = (name: string): RatioTable | undefined => {
    const text = texts.get(name)
    return text === undefined || text === '' ? undefined : parseRatios(name, text, left_out)
  }
  const per_usd = parseFraction(texts.get('QuotaPerUnit')) ?? DEFAULT_QUOTA_PER_USD
  if (texts.has('QuotaPerUnit') && isZero(per_usd))
    left_out.push({
      kind: 'settings',
      row: 'QuotaPerUnit',
      reason: 'It is 0. The import counts 500,000 of quota as 1 USD.',
    })
  noteGroupPairs(texts.get('GroupGroupRatio'), left_out)
  return {
    quota_per_usd: isZero(per_usd) ? DEFAULT_QUOTA_PER_USD : per_usd,
    model_ratio: table('ModelRatio'),
    completion_ratio: table('CompletionRatio'),
    cache_ratio: table('CacheRatio'),
    create_cache_ratio: table('CreateCacheRatio'),
    model_price: table('ModelPrice'),
    image_ratio: table('ImageRatio'),
    audio_ratio: table('AudioRatio'),
    audio_completion_ratio: table('AudioCompletionRatio'),
    group_ratio: table('GroupRatio'),
    by_expression: parseExpressionModels(texts.get('billing_setting.billing_mode')),
    left_out,
  }
}

function parseRatios(name: string, text: string, left_out: LeftOut[]): RatioTable {
  const fields = parseJsonObject(text)
  if (!fields)
    left_out.push({
      kind: 'settings',
      row: name,
      reason: 'It is not a JSON object. Correct it in the source.',
    })
  return new Map(
    Object.entries(fields ?? {}).flatMap(([key, value]) => {
      const ratio = parseFraction(value)
      if (ratio) return [[key, ratio] as const]
      left_out.push({
        kind: 'settings',
        row: `${name} of ${key}`,
        reason: 'It is not a number of 0 or more.',
      })
      return []
    }),
  )
}

const parseExpressionModels = (text = '{}'): ReadonlySet<string> =>
  new Set(
    Object.entries(parseJsonObject(text) ?? {}).flatMap(([model, mode]) =>
      mode === 'tiered_expr' ? [model] : [],
    ),
  )

function noteGroupPairs(text: string | undefined, left_out: LeftOut[]): void {
  for (const [group, ratios] of Object.entries(parseJsonObject(text ?? '{}') ?? {}))
    for (const [other, ratio] of Object.entries(Object(ratios)))
      left_out.push({
        kind: 'group prices',
        row: `users of group "${group}" in group "${other}"`,
        reason: `They pay ratio ${String(ratio)}. Tollgate has no prices by pairs of groups: they pay those of their own group.`,
      })
}

/** Returns the ratio of a group; 1 for a group without one, as in setting/ratio_setting/group_ratio.go of new-api. */
export const groupRatioOf = ({ group_ratio }: Settings, group: string): Fraction =>
  group_ratio?.get(group) ?? ONE

export const DEFAULT_GROUP = 'default'
