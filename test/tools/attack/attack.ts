// The interface of attacks on a running gateway, and their results.

/** The effort that attacks make. */
export interface Effort {
  /** Multiplies the rounds of repeated attacks; 1 unless `--rounds` says otherwise. Below 1, some attacks make fewer calls. */
  readonly rounds: number
  /** Includes attacks that take longer than a minute. */
  readonly long: boolean
}

/** The result of an attack. */
export interface Result {
  /** The number of attempts, such as `100 rounds` or `60 bodies of 29 MB`. */
  readonly tried: string
  /** Whether the gateway kept its promises every time. */
  readonly held: boolean
  /** The measured figures, whether it held or not, such as `healthz p99 21 ms, peak 410 MB`. */
  readonly figures: string
}

export interface Attack {
  /** The name for `--only`: lower-case words, joined by hyphens. */
  readonly name: string
  /** A few words about the hostile caller, provider or disk. */
  readonly description: string
  /** True if it takes longer than a minute: it runs only with `--long`. */
  readonly long?: boolean
  /** Starts what it needs, attacks, and cleans up. It always ends by itself, even if the gateway fails. */
  run(effort: Effort): Promise<Result>
}
