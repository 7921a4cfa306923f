// History of LiteLLM's calls: sums of its log, and for days before the log begins LiteLLM's daily sums, which it keeps longer.
import type { Nanos } from '../../../src/domain/money.ts'
import { DAY_MS } from '../../../src/domain/ranges.ts'
import type { HistoryRow } from '../move-in.ts'
import type { SourceRow, SourceTables } from '../source/rows.ts'
import { parseNanos } from './amounts.ts'
import { payerOf, payerOfKey, UNOWNED_KEYS } from './owners.ts'
import type { LitellmRows } from './tables.ts'
import { momentOf, textOf } from './values.ts'

const LOG = 'LiteLLM_SpendLogs'
/** Excludes prompts and answers, which a line may contain. */
const LOG_COLUMNS = [
  'startTime',
  'api_key',
  'user',
  'team_id',
  'model_group',
  'model',
  'prompt_tokens',
  'completion_tokens',
  'spend',
  'status',
]
const DAY_S = DAY_MS / 1_000

/** The payers of the log's lines. */
export interface Payers {
  /** By the key's hash in the log. Includes keys that are not imported. */
  readonly by_key: ReadonlyMap<string, string>
  readonly rows: Pick<LitellmRows, 'teams'>
}

export const payersOf = (rows: LitellmRows): Payers => ({
  by_key: new Map(rows.keys.map((row) => [textOf(row.token) ?? '', payerOfKey(rows, row)])),
  rows,
})

/** The payer of calls by the administrator's key: no account. */
const ADMINISTRATOR = 'administrator'

/** Returns the `source_id` of a line's account, which may not be imported. */
function payerOfRow(row: SourceRow, { by_key, rows }: Payers): string {
  const known = by_key.get(textOf(row.api_key) ?? '')
  if (known !== undefined) return known
  const payer = payerOf(rows, { team: textOf(row.team_id), user: textOf(row.user) ?? textOf(row.user_id) })
  return payer === UNOWNED_KEYS ? ADMINISTRATOR : payer
}

/** Yields sums by day, newest day first, unordered within a day. */
export async function* readHistory(tables: SourceTables, payers: Payers): AsyncGenerator<HistoryRow> {
  let day = new DaySums(Infinity)
  if ((await tables.columnsOf(LOG)) !== undefined) {
    for await (const row of tables.rows(LOG, { columns: LOG_COLUMNS, newest_by: 'startTime' })) {
      const at_ms = momentOf(row.startTime)
      if (at_ms === undefined || isFailure(row)) continue
      const day_s = Math.floor(at_ms / DAY_MS) * DAY_S
      if (day_s !== day.day_s) {
        yield* day.rows()
        day = new DaySums(day_s)
      }
      day.add(payerOfRow(row, payers), modelOf(row), {
        calls: 1,
        input_tokens: parseCount(row.prompt_tokens),
        output_tokens: parseCount(row.completion_tokens),
        charged_nanos: parseNanos(row.spend) ?? 0,
      })
    }
    yield* day.rows()
  }
  yield* readDailySums(tables, payers, day.day_s)
}

/** Whether a call was not answered: litellm 1.72.6 proxy/schema.prisma, spend_tracking_utils.py */
const isFailure = ({ status }: SourceRow): boolean => textOf(status) === 'failure'

/** Returns the name that the caller used, else the provider's. */
export const modelOf = ({ model_group, model }: SourceRow): string =>
  textOf(model_group) ?? textOf(model) ?? 'unknown'

/** Returns a count of tokens or calls; 0 for any other value. */
export function parseCount(value: unknown): number {
  const count = Number(textOf(value) ?? 0)
  return Number.isSafeInteger(count) && count > 0 ? count : 0
}

type Sums = Pick<HistoryRow, 'calls' | 'input_tokens' | 'output_tokens' | 'charged_nanos'>

/** Sums of one day by account and model. */
class DaySums {
  readonly day_s: number
  readonly #sums = new Map<string, HistoryRow>()

  constructor(day_s: number) {
    this.day_s = day_s
  }

  add(account: string, model: string, more: Sums): void {
    const key = JSON.stringify([account, model])
    const sum = this.#sums.get(key) ?? { account, model, day_s: this.day_s, ...ZERO_SUMS }
    this.#sums.set(key, {
      ...sum,
      calls: sum.calls + more.calls,
      input_tokens: sum.input_tokens + more.input_tokens,
      output_tokens: sum.output_tokens + more.output_tokens,
      charged_nanos: (sum.charged_nanos + more.charged_nanos) as Nanos,
    })
  }

  rows(): Iterable<HistoryRow> {
    return this.#sums.values()
  }
}

const ZERO_SUMS: Sums = { calls: 0, input_tokens: 0, output_tokens: 0, charged_nanos: 0 }

/** Tables of daily sums. A team's key has rows in both: the user table counts only for payers that are not teams. */
const DAILY_TABLES = [
  { table: 'LiteLLM_DailyTeamSpend', countsFor: (payer: string) => payer.startsWith('team ') },
  { table: 'LiteLLM_DailyUserSpend', countsFor: (payer: string) => !payer.startsWith('team ') },
]

/** Yields the days before the log's first: LiteLLM deletes old lines, and writes none while its log is off. */
async function* readDailySums(
  tables: SourceTables,
  payers: Payers,
  before_s: number,
): AsyncGenerator<HistoryRow> {
  for (const { table, countsFor } of DAILY_TABLES) {
    if ((await tables.columnsOf(table)) === undefined) continue
    let day = new DaySums(Infinity)
    for await (const row of tables.rows(table, { newest_by: 'date' })) {
      const at_ms = momentOf(row.date)
      const account = payerOfRow(row, payers)
      if (at_ms === undefined || !countsFor(account)) continue
      const day_s = Math.floor(at_ms / DAY_MS) * DAY_S
      if (day_s >= before_s) continue
      if (day_s !== day.day_s) {
        yield* day.rows()
        day = new DaySums(day_s)
      }
      day.add(account, modelOf(row), {
        calls: parseCount(row.successful_requests ?? row.api_requests),
        input_tokens: parseCount(row.prompt_tokens),
        output_tokens: parseCount(row.completion_tokens),
        charged_nanos: parseNanos(row.spend) ?? 0,
      })
    }
    yield* day.rows()
  }
}

/** Returns the models in the daily sums, by the names that callers use. */
export async function modelsInDailySums(tables: SourceTables): Promise<readonly string[]> {
  const names = new Set<string>()
  for (const { table } of DAILY_TABLES) {
    if ((await tables.columnsOf(table)) === undefined) continue
    for await (const row of tables.rows(table, { columns: ['model_group', 'model'] })) names.add(modelOf(row))
  }
  return [...names]
}
