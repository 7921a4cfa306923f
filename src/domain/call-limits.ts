// Limits of calls as the catalogue has them: of accounts and keys, of free reads, of image calls.

/** Limits in any 60 seconds, or at once; undefined is not limited. */
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
  /** Requests of a key that cost nothing (account, usage, models, files, history) in any 60 seconds. */
  readonly reads_per_minute: number
  /** Image calls of an account in any 60 seconds, on all surfaces together. */
  readonly images_per_minute: number
  /** Whether routes that cost more than a call brings are passed over. */
  readonly refuse_negative_margin: boolean
}

/** Rates count in any 60 seconds. */
export const WINDOW_MS = 60_000

/** The count of an account or a key after a call was counted or refused. */
export interface RateState {
  admitted: boolean
  limit: number
  remaining: number
  /** Whole seconds until the oldest counted call leaves the window; 0 if none is counted. */
  resets_in_s: number
}

/** A rate limit of accounts or keys: calls in any 60 seconds. */
export interface Rate<Answer = RateState | Promise<RateState>> {
  /** Counts a call, unless the limit is reached: a refused call is not counted. @throws StorageFailure */
  take(id: number, limit: number): Answer
  /** The count as it is; `admitted` says whether a call would be. @throws StorageFailure */
  look(id: number, limit: number): Answer
}
