// A move-in: what another gateway's database and configuration bring, as plain values that are the same for every source.
import type { BudgetChanges } from '../../src/access/budgets.ts'
import type { BudgetUse } from '../../src/access/imported-budgets.ts'
import type { TomlValue } from '../../src/catalogue/toml-write.ts'
import type { Limit } from '../../src/domain/call-limits.ts'
import type { Nanos } from '../../src/domain/money.ts'
import type { Usage } from '../../src/domain/usage.ts'
import type { NewVoucher } from '../vouchers/index.ts'

export type { BudgetUse }

export type SourceName = 'new-api' | 'one-api' | 'litellm'

/** Everything that is imported at once. Logs are not in it: they are read as a stream. */
export interface MoveIn {
  readonly source: SourceName
  readonly accounts: readonly IncomingAccount[]
  readonly providers: readonly IncomingProvider[]
  readonly models: readonly IncomingModel[]
  /** Absent: the source has none. */
  readonly price_groups?: readonly IncomingPriceGroup[]
  readonly vouchers: IncomingVouchers
  readonly left_out: readonly LeftOut[]
}

/** Vouchers whose codes people have. */
export interface IncomingVouchers {
  readonly unused: readonly NewVoucher[]
  /** Hashes of those that have been used or disabled, or have expired. */
  readonly ended: readonly Buffer[]
}

export const NO_VOUCHERS: IncomingVouchers = { unused: [], ended: [] }

/** A payer of the source: a user or a team. */
export interface IncomingAccount {
  /** Its row in the source, which stays the same from run to run: "user 17". */
  readonly source_id: string
  /** As the source has it: in any script, maybe empty, maybe taken. The import makes an account name of it. */
  readonly name: string
  readonly display_name: string
  /** Empty where the source has none. */
  readonly email: string
  readonly status: 'active' | 'suspended'
  /** Money that is left; negative: debt; null: the source limits no total, so nothing is added. */
  readonly balance_nanos: Nanos | null
  /** A bcrypt hash by which the person signs in until their first sign-in replaces it; null: they get a link. */
  readonly password_hash: string | null
  readonly budgets: BudgetChanges
  /** The amount already used in the budget's current period. */
  readonly budgets_used?: BudgetUse
  /** For `[limits.accounts.NAME]`. */
  readonly limits: Limit
  /** The name of an incoming price group; absent: list prices. */
  readonly price_group?: string
  readonly keys: readonly IncomingKey[]
}

/** A price group for the catalogue. */
export interface IncomingPriceGroup {
  readonly name: string
  /** Of the imported prices, as a decimal. */
  readonly factor: string
}

/** A key that goes on working unchanged. */
export interface IncomingKey {
  readonly source_id: string
  readonly name: string
  /** Of the whole text that callers send, "sk-" included. */
  readonly sha256: Buffer
  /** Its first 10 characters, or what the source still knows of it: "sk-...aB3d". */
  readonly prefix: string
  readonly created_at_ms: number | null
  readonly expires_at_ms: number | null
  /** The amount that it can still spend; null: not limited. */
  readonly spend_limit_nanos: Nanos | null
  /** Model ids or patterns; null: all models. */
  readonly models: readonly string[] | null
  readonly addresses: readonly string[] | null
  readonly budgets: BudgetChanges
  readonly budgets_used?: BudgetUse
  /** For `[limits.keys.PREFIX]`. */
  readonly limits: Limit
}

/** A provider for the catalogue. */
export interface IncomingProvider {
  readonly source_id: string
  /** Made of the source's name: lower case, a name that a catalogue takes, unique among the incoming ones. */
  readonly name: string
  /** Fields of `[[providers]]` without `name`, `api_keys` and `headers`. */
  readonly fields: { readonly [field: string]: TomlValue }
  /** Its keys, which go to the file of variables and never into the catalogue or an output. */
  readonly api_keys: readonly Secret[]
  /** Headers that it is sent, by their names; their values are treated as secrets. */
  readonly headers?: { readonly [name: string]: Secret }
}

/** A secret: its value is for the file of variables alone. */
export interface Secret {
  /** The environment variable: "OPENAI_MAIN_API_KEY". Unique among the incoming ones. */
  readonly variable: string
  /** Null: the source itself names the variable, so there is no value to write. */
  readonly value: string | null
}

/** A model for the catalogue. */
export interface IncomingModel {
  readonly id: string
  /** Fields of `[[models]]` without `id`, `routes` and `price`: `kind` at least. */
  readonly fields: { readonly kind: string; readonly [field: string]: TomlValue }
  /** In the order in which they are tried. `provider` is the name of an incoming one. */
  readonly routes: readonly IncomingRoute[]
  /** The price of its kind, amounts as decimals in text: `{ input: '0.30', output: '2.50' }`. */
  readonly price: { readonly [rate: string]: TomlValue }
  /** Remarks on this price: "completion ratio of the default table". */
  readonly notes: readonly string[]
}

export interface IncomingRoute {
  readonly provider: string
  readonly model: string
  /** The model whose rules hold where `model` is a name of the operator's own, as Azure's deployments have. */
  readonly generation?: string
  readonly order: number
  readonly weight: number
  readonly cost?: { readonly [rate: string]: TomlValue } | undefined
}

/** A row, or a part of it, that does not come in. */
export interface LeftOut {
  /** The kind of its rows, in the plural: "keys", "channels", "group prices". */
  readonly kind: string
  /** The row: `token 12 "laptop" of user 3`. Without secrets. */
  readonly row: string
  /** The reason, a sentence that says what to do where something can be done. */
  readonly reason: string
}

/** Calls of the source before the move: a day, an account, a model. They are history, never charges. */
export interface HistoryRow {
  /** The account's `source_id`. */
  readonly account: string
  readonly model: string
  /** The start of the day in UTC, Unix seconds. */
  readonly day_s: number
  readonly calls: number
  readonly input_tokens: number
  readonly output_tokens: number
  readonly charged_nanos: Nanos
}

/** A line of the source's log that it charged, for the shadow bill. */
export interface ChargedLine {
  readonly model: string
  readonly usage: Usage
  /** Of an image or a call that is priced by the piece; 1 where the log does not say. */
  readonly count: number
  readonly charged_nanos: Nanos
  /** The source's smallest amount, to which it rounds each charge; absent where it does not round. */
  readonly rounded_to_nanos?: Nanos
  /** The source's factors beyond its price list: "group ratio 0.8", "cache ratio 0.1". */
  readonly factors: readonly string[]
}

/** A model in the shadow bill: what the source charged for its lines, and what they cost by the imported prices. */
export interface ShadowBillRow {
  readonly model: string
  readonly count: number
  readonly charged_nanos: Nanos
  readonly rated_nanos: Nanos
  /** `rated_nanos` less `charged_nanos`. */
  readonly difference_nanos: Nanos
  /** Of one line, without its sign. */
  readonly largest_difference_nanos: Nanos
  /** Why they differ by more than 1 %, such as "group ratio 0.8 in 12 lines"; empty where they do not. */
  readonly reasons: readonly string[]
}

/** A source that is open: its rows become a move-in, its log two streams. */
export interface OpenSource extends AsyncDisposable {
  readMoveIn(): Promise<MoveIn>
  /** Sums by day, account and model of all of its log. */
  readHistory(): AsyncIterable<HistoryRow>
  /** The newest lines that it charged, newest first. @param limit at most so many */
  readChargedLines(limit: number): AsyncIterable<ChargedLine>
}
