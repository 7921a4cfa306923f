// One attack on a running gateway, and what it came to.

/** How hard the attacks are tried. */
export interface Effort {
  /** Multiplies the rounds of attacks that are repeated; 1 unless `--rounds` says otherwise. Below 1, some try with fewer calls. */
  readonly rounds: number
  /** Also those that take longer than a minute. */
  readonly long: boolean
}

/** What an attack came to. */
export interface Result {
  /** How often it was tried, such as `100 rounds` or `60 bodies of 29 MB`. */
  readonly tried: string
  /** Whether the gateway did what it promises, every time. */
  readonly held: boolean
  /** The figures that were seen, whether it held or not, such as `healthz p99 21 ms, peak 410 MB`. */
  readonly seen: string
}

export interface Attack {
  /** How it is chosen with `--only`: lower-case words, joined by hyphens. */
  readonly name: string
  /** What a hostile caller, provider or disk does, in a few words. */
  readonly what: string
  /** Takes longer than a minute: only with `--long`. */
  readonly long?: boolean
  /** Starts what it needs, attacks, and cleans up. Bounded: it ends by itself, whatever the gateway does. */
  run(effort: Effort): Promise<Result>
}
