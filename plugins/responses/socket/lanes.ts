// The lanes of a connection: requests of one lane run in order, and lanes run in parallel, up to a limit.
// https://developers.openai.com/api/docs/guides/websocket-mode, "Run conversations in parallel"

/**
 * Resolves once the call of a message could be admitted. Earlier calls may occupy its place or hold its money, so the check is repeated
 * whenever a call of the connection ends, until the lane is free.
 * @param lane the lane of the message; undefined if it is unknown before parsing, and all lanes must be free
 * @throws the error of `assertWelcome` once the lane is free
 */
export async function awaitWelcome(
  lanes: Pick<Lanes<unknown>, 'isFree' | 'next_end'>,
  lane: string | undefined,
  assertWelcome: () => Promise<void>,
): Promise<void> {
  for (;;) {
    const is_last_try = lanes.isFree(lane)
    const { next_end } = lanes
    try {
      await assertWelcome()
      return
    } catch (thrown) {
      if (is_last_try) throw thrown
    }
    await next_end
  }
}

/** Responses in flight on one connection. Further requests wait. */
const MAX_IN_FLIGHT = 16
/** The lane without a name is not counted. */
export const MAX_NAMED_LANES = 32

interface Lane<T> {
  readonly waiting: T[]
  is_busy: boolean
}

export class Lanes<T> {
  readonly #lanes = new Map<string | undefined, Lane<T>>()
  /** Lanes that have waiting items and no running one. */
  readonly #ready: Lane<T>[] = []
  readonly #work: (item: T) => Promise<void>
  readonly #onDone: () => void
  #in_flight = 0
  #next_end: PromiseWithResolvers<void> | undefined

  /** @param work must not throw @param onDone called when an item is done, because `startNext` may then start another */
  constructor(work: (item: T) => Promise<void>, onDone: () => void) {
    this.#work = work
    this.#onDone = onDone
  }

  get is_idle(): boolean {
    return this.#in_flight === 0 && this.#ready.length === 0
  }

  /** Whether `startNext` has something to start. */
  get can_start(): boolean {
    return this.#in_flight < MAX_IN_FLIGHT && this.#ready.length > 0
  }

  /** Resolves when an item is done, or the waiting items are dropped. */
  get next_end(): Promise<void> {
    this.#next_end ??= Promise.withResolvers()
    return this.#next_end.promise
  }

  /** Whether a lane has no running and no waiting items; without a name, whether all lanes have none. */
  isFree(name: string | undefined): boolean {
    if (name === undefined) return this.is_idle
    const lane = this.#lanes.get(name)
    return !lane || (!lane.is_busy && lane.waiting.length === 0)
  }

  /** Whether a lane exists or may be created. */
  hasRoomFor(name: string | undefined): boolean {
    if (name === undefined || this.#lanes.has(name)) return true
    const named = this.#lanes.size - (this.#lanes.has(undefined) ? 1 : 0)
    return named < MAX_NAMED_LANES
  }

  /** Queues an item. */
  add(name: string | undefined, item: T): void {
    const lane = this.#lanes.get(name) ?? { waiting: [], is_busy: false }
    this.#lanes.set(name, lane)
    lane.waiting.push(item)
    if (!lane.is_busy && lane.waiting.length === 1) this.#ready.push(lane)
  }

  /** Starts one item. @returns false if none can be started */
  startNext(): boolean {
    if (!this.can_start) return false
    const lane = this.#ready.shift()
    const item = lane?.waiting.shift()
    if (!lane || item === undefined) return false
    lane.is_busy = true
    this.#in_flight++
    void this.#work(item).finally(() => this.#done(lane))
    return true
  }

  /** Drops the waiting items. */
  clear(): void {
    for (const { waiting } of this.#lanes.values()) waiting.length = 0
    this.#ready.length = 0
    this.#resolveEnd()
  }

  #resolveEnd(): void {
    this.#next_end?.resolve()
    this.#next_end = undefined
  }

  #done(lane: Lane<T>): void {
    lane.is_busy = false
    this.#in_flight--
    if (lane.waiting.length > 0) this.#ready.push(lane)
    this.#resolveEnd()
    this.#onDone()
  }
}
