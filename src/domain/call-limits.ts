// Limits of calls in the catalogue: of accounts and keys, of free requests, of image calls.

/** Limits within any 60 seconds, or of concurrent calls; undefined means unlimited. */
export interface Limit {
  readonly requests_per_minute?: number
  readonly tokens_per_minute?: number
  readonly concurrent_calls?: number
}

export interface Limits {
  /** For every account, and for every key. */
  readonly account?: Limit
  readonly key?: Limit
  /** By account name, and by the prefix of a key. */
  readonly accounts?: Readonly<Record<string, Limit>>
  readonly keys?: Readonly<Record<string, Limit>>
  /** Free requests of a key (account, usage, models, files, history) within any 60 seconds. */
  readonly reads_per_minute: number
  /** Image calls of an account within any 60 seconds, on all surfaces together. */
  readonly images_per_minute: number
  /** Whether to skip routes whose cost exceeds the call's charge. */
  readonly refuse_negative_margin: boolean
}

/** The window of rate limits. */
export const WINDOW_MS = 60_000

/** The state of an account's or key's limit after a call was counted or refused. */
export interface RateState {
  admitted: boolean
  limit: number
  remaining: number
  /** Whole seconds until the oldest counted call leaves the window; 0 if none is counted. */
  resets_in_s: number
}

/** A rate limit of accounts or keys: calls within any 60 seconds. */
export interface Rate<Answer = RateState | Promise<RateState>> {
  /** Counts a call, unless the limit is reached. @throws StorageFailure */
  take(id: number, limit: number): Answer
  /** Returns the state without counting; `admitted` says whether a call would be. @throws StorageFailure */
  look(id: number, limit: number): Answer
}
