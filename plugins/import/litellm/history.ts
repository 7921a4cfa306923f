// The history of LiteLLM's calls: its log by day, account and model, and before its first line the daily sums that outlive it.
import type { Nanos } from '../../../src/domain/money.ts'
import { DAY_MS } from '../../../src/domain/ranges.ts'
import type { HistoryRow } from '../move-in.ts'
import type { SourceRow, SourceTables } from '../source/rows.ts'
import { nanosIn } from './amounts.ts'
import { KEYS_OF_NOBODY, payerOf, payerOfKey } from './owners.ts'
import type { LitellmRows } from './tables.ts'
import { momentOf, textOf } from './values.ts'

const LOG = 'LiteLLM_SpendLogs'
/** Without prompts and answers, which a line may have as well. */
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
  /** By the hash that the log has, those of keys that are left out among them. */
  readonly by_key: ReadonlyMap<string, string>
  readonly rows: Pick<LitellmRows, 'teams'>
}

export const payersOf = (rows: LitellmRows): Payers => ({
  by_key: new Map(rows.keys.map((row) => [textOf(row.token) ?? '', payerOfKey(rows, row)])),
  rows,
})

/** The payer of calls by the administrator's key, which is no account. */
const ADMINISTRATOR = 'administrator'

/** The `source_id` of the account of a line, which may be one that does not come in. */
function payerIn(row: SourceRow, { by_key, rows }: Payers): string {
  const known = by_key.get(textOf(row.api_key) ?? '')
  if (known !== undefined) return known
  const payer = payerOf(rows, { team: textOf(row.team_id), user: textOf(row.user) ?? textOf(row.user_id) })
  return payer === KEYS_OF_NOBODY ? ADMINISTRATOR : payer
}

/** Sums by day, the newest day first; within a day in no order. */
export async function* readHistory(tables: SourceTables, payers: Payers): AsyncGenerator<HistoryRow> {
  let day = new Day(Infinity)
  if ((await tables.columnsOf(LOG)) !== undefined) {
    for await (const row of tables.rows(LOG, { columns: LOG_COLUMNS, newest_by: 'startTime' })) {
      const at_ms = momentOf(row.startTime)
      if (at_ms === undefined || isFailure(row)) continue
      const day_s = Math.floor(at_ms / DAY_MS) * DAY_S
      if (day_s !== day.day_s) {
        yield* day.rows()
        day = new Day(day_s)
      }
      day.add(payerIn(row, payers), modelIn(row), {
        calls: 1,
        input_tokens: countIn(row.prompt_tokens),
        output_tokens: countIn(row.completion_tokens),
        charged_nanos: nanosIn(row.spend) ?? 0,
      })
    }
    yield* day.rows()
  }
  yield* readDailySums(tables, payers, day.day_s)
}

/** @param status `failure` is a call that was not answered: litellm 1.72.6 proxy/schema.prisma, spend_tracking_utils.py */
const isFailure = ({ status }: SourceRow): boolean => textOf(status) === 'failure'

/** The name that the caller used, else the provider's. */
export const modelIn = ({ model_group, model }: SourceRow): string =>
  textOf(model_group) ?? textOf(model) ?? 'unknown'

/** A count of tokens or calls; 0 for what is no count. */
export function countIn(value: unknown): number {
  const count = Number(textOf(value) ?? 0)
  return Number.isSafeInteger(count) && count > 0 ? count : 0
}

type Sums = Pick<HistoryRow, 'calls' | 'input_tokens' | 'output_tokens' | 'charged_nanos'>

/** The sums of a day by account and model. */
class Day {
  readonly day_s: number
  readonly #sums = new Map<string, HistoryRow>()

  constructor(day_s: number) {
    this.day_s = day_s
  }

  add(account: string, model: string, more: Sums): void {
    const key = JSON.stringify([account, model])
    const sum = this.#sums.get(key) ?? { account, model, day_s: this.day_s, ...NOTHING }
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

const NOTHING: Sums = { calls: 0, input_tokens: 0, output_tokens: 0, charged_nanos: 0 }

/** Tables of daily sums. A key of a team has rows in both: those of users count only where the payer is none. */
const DAILY_TABLES = [
  { table: 'LiteLLM_DailyTeamSpend', isOf: (payer: string) => payer.startsWith('team ') },
  { table: 'LiteLLM_DailyUserSpend', isOf: (payer: string) => !payer.startsWith('team ') },
]

/** Days before the log's first: its lines are deleted after a while, or never written where it is switched off. */
async function* readDailySums(
  tables: SourceTables,
  payers: Payers,
  before_s: number,
): AsyncGenerator<HistoryRow> {
  for (const { table, isOf } of DAILY_TABLES) {
    if ((await tables.columnsOf(table)) === undefined) continue
    let day = new Day(Infinity)
    for await (const row of tables.rows(table, { newest_by: 'date' })) {
      const at_ms = momentOf(row.date)
      const account = payerIn(row, payers)
      if (at_ms === undefined || !isOf(account)) continue
      const day_s = Math.floor(at_ms / DAY_MS) * DAY_S
      if (day_s >= before_s) continue
      if (day_s !== day.day_s) {
        yield* day.rows()
        day = new Day(day_s)
      }
      day.add(account, modelIn(row), {
        calls: countIn(row.successful_requests ?? row.api_requests),
        input_tokens: countIn(row.prompt_tokens),
        output_tokens: countIn(row.completion_tokens),
        charged_nanos: nanosIn(row.spend) ?? 0,
      })
    }
    yield* day.rows()
  }
}

/** The models that the daily sums name, as callers do. */
export async function namesInDailySums(tables: SourceTables): Promise<readonly string[]> {
  const names = new Set<string>()
  for (const { table } of DAILY_TABLES) {
    if ((await tables.columnsOf(table)) === undefined) continue
    for await (const row of tables.rows(table, { columns: ['model_group', 'model'] })) names.add(modelIn(row))
  }
  return [...names]
}
