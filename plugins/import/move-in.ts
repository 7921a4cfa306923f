// A move-in: the contents of another gateway's database and configuration as plain values, the same for every source.
import type { BudgetChanges } from '../../src/access/budgets.ts'
import type { BudgetUse } from '../../src/access/imported-budgets.ts'
import type { TomlValue } from '../../src/catalogue/toml-write.ts'
import type { Limit } from '../../src/domain/call-limits.ts'
import type { Nanos } from '../../src/domain/money.ts'
import type { Usage } from '../../src/domain/usage.ts'
import type { NewVoucher } from '../vouchers/index.ts'

export type { BudgetUse }

export type SourceName = 'new-api' | 'one-api' | 'litellm'

/** Everything that is imported as a whole. Logs are read as streams instead. */
export interface MoveIn {
  readonly source: SourceName
  readonly accounts: readonly IncomingAccount[]
  readonly providers: readonly IncomingProvider[]
  readonly models: readonly IncomingModel[]
  /** Absent if the source has no groups. */
  readonly price_groups?: readonly IncomingPriceGroup[]
  readonly vouchers: IncomingVouchers
  readonly left_out: readonly LeftOut[]
}

/** Redemption codes of the source as vouchers. */
export interface IncomingVouchers {
  readonly unused: readonly NewVoucher[]
  /** Hashes of used, disabled, deleted and expired codes. */
  readonly ended: readonly Buffer[]
}

export const NO_VOUCHERS: IncomingVouchers = { unused: [], ended: [] }

/** A payer in the source: a user or a team. */
export interface IncomingAccount {
  /** Its row in the source, the same in each run: "user 17". */
  readonly source_id: string
  /** The source's name: in any script, possibly empty or taken. The import derives the account name from it. */
  readonly name: string
  readonly display_name: string
  /** Empty if the source has none. */
  readonly email: string
  readonly status: 'active' | 'suspended'
  /** The balance; negative: debt; null: the source has no total limit, and nothing is added. */
  readonly balance_nanos: Nanos | null
  /** A bcrypt hash, which the person's first sign-in replaces; null: they get a link. */
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
  /** Factor of the imported prices, as a decimal. */
  readonly factor: string
}

/** A key that keeps working unchanged. */
export interface IncomingKey {
  readonly source_id: string
  readonly name: string
  /** Hash of the whole text that callers send, "sk-" included. */
  readonly sha256: Buffer
  /** The first 10 characters, or what the source still has of the text: "sk-...aB3d". */
  readonly prefix: string
  readonly created_at_ms: number | null
  readonly expires_at_ms: number | null
  /** The amount that the key can still spend; null: unlimited. */
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
  /** Derived from the source's name: lower case, valid in a catalogue, unique among the incoming names. */
  readonly name: string
  /** Fields of `[[providers]]` without `name`, `api_keys` and `headers`. */
  readonly fields: { readonly [field: string]: TomlValue }
  /** API keys: they go to the file of variables, never to the catalogue or to output. */
  readonly api_keys: readonly Secret[]
  /** Request headers by name. Their values are treated as secrets. */
  readonly headers?: { readonly [name: string]: Secret }
}

/** A secret. Only the file of variables may contain its value. */
export interface Secret {
  /** The environment variable: "OPENAI_MAIN_API_KEY". Unique among the incoming ones. */
  readonly variable: string
  /** Null: the source refers to the variable itself, so the value is unknown. */
  readonly value: string | null
}

/** A model for the catalogue. */
export interface IncomingModel {
  readonly id: string
  /** Fields of `[[models]]` without `id`, `routes` and `price`: `kind` at least. */
  readonly fields: { readonly kind: string; readonly [field: string]: TomlValue }
  /** In the order in which they are tried. `provider` is the name of an incoming provider. */
  readonly routes: readonly IncomingRoute[]
  /** The price of its kind, amounts as decimals in text: `{ input: '0.30', output: '2.50' }`. */
  readonly price: { readonly [rate: string]: TomlValue }
  /** Remarks on this price: "completion ratio of the default table". */
  readonly notes: readonly string[]
}

export interface IncomingRoute {
  readonly provider: string
  readonly model: string
  /** The model whose rules apply, if `model` is a name that the operator chose, such as an Azure deployment. */
  readonly generation?: string
  readonly order: number
  readonly weight: number
  readonly cost?: { readonly [rate: string]: TomlValue } | undefined
}

/** A row, or a part of a row, that is not imported. */
export interface LeftOut {
  /** A plural noun for such rows: "keys", "channels", "group prices". */
  readonly kind: string
  /** The row: `token 12 "laptop" of user 3`. Without secrets. */
  readonly row: string
  /** A sentence with the reason, and with advice if there is any. */
  readonly reason: string
}

/** Calls before the import, summed by day, account and model. They are history, never charges. */
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

/** A charged line of the source's log, for the shadow bill. */
export interface ChargedLine {
  readonly model: string
  readonly usage: Usage
  /** Number of images or calls, if priced by the piece; 1 if the log has no count. */
  readonly count: number
  readonly charged_nanos: Nanos
  /** The smallest amount to which the source rounds charges; absent if it does not round. */
  readonly rounded_to_nanos?: Nanos
  /** Factors besides the source's price list: "group ratio 0.8", "cache ratio 0.1". */
  readonly factors: readonly string[]
}

/** A model in the shadow bill: the source's charges, and the cost of the same lines at the imported prices. */
export interface ShadowBillRow {
  readonly model: string
  readonly count: number
  readonly charged_nanos: Nanos
  readonly rated_nanos: Nanos
  /** `rated_nanos` minus `charged_nanos`. */
  readonly difference_nanos: Nanos
  /** The largest absolute difference of one line. */
  readonly largest_difference_nanos: Nanos
  /** Reasons for a difference above 1 %, such as "group ratio 0.8 in 12 lines"; empty for smaller differences. */
  readonly reasons: readonly string[]
}

/** An open source: its move-in, and its log as two streams. */
export interface OpenSource extends AsyncDisposable {
  readMoveIn(): Promise<MoveIn>
  /** The whole log as sums by day, account and model. */
  readHistory(): AsyncIterable<HistoryRow>
  /** The newest charged lines, newest first. @param limit maximum number of lines */
  readChargedLines(limit: number): AsyncIterable<ChargedLine>
}
