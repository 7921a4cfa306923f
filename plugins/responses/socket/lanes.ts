// The lanes of a connection: what is asked in one is answered in its order, lanes go on beside each other, and only so many at once.
// https://developers.openai.com/api/docs/guides/websocket-mode, "Run conversations in parallel"

/**
 * Resolves once the call of a message could be let in. What refuses it may be the calls before it: their place, their money. So it is
 * asked for again whenever a call of the connection ends, until the lane is free.
 * @param lane of the message; undefined where only reading it tells: then every lane is waited for
 * @throws whatever `assertWelcome` throws once the lane is free
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

/** Responses in flight on one connection. Whatever is asked beyond them waits. */
const MAX_IN_FLIGHT = 16
/** The lane without a name is not counted. */
export const MAX_NAMED_LANES = 32

interface Lane<T> {
  readonly waiting: T[]
  is_busy: boolean
}

export class Lanes<T> {
  readonly #lanes = new Map<string | undefined, Lane<T>>()
  /** Lanes with work and nothing under way. */
  readonly #ready: Lane<T>[] = []
  readonly #work: (item: T) => Promise<void>
  readonly #onDone: () => void
  #in_flight = 0
  #next_end: PromiseWithResolvers<void> | undefined

  /** @param work does not throw @param onDone told when an item is done: `startNext` may have something to start */
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

  /** Resolves when an item is done, or none waits any more. */
  get next_end(): Promise<void> {
    this.#next_end ??= Promise.withResolvers()
    return this.#next_end.promise
  }

  /** Whether a lane has nothing under way and nothing that waits; without a name: whether all have not. */
  isFree(name: string | undefined): boolean {
    if (name === undefined) return this.is_idle
    const lane = this.#lanes.get(name)
    return !lane || (!lane.is_busy && lane.waiting.length === 0)
  }

  /** Whether a lane is there, or may be begun. */
  hasRoomFor(name: string | undefined): boolean {
    if (name === undefined || this.#lanes.has(name)) return true
    const named = this.#lanes.size - (this.#lanes.has(undefined) ? 1 : 0)
    return named < MAX_NAMED_LANES
  }

  /** Waits until it is started. */
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

  /** Drops the work that waits. */
  clear(): void {
    for (const { waiting } of this.#lanes.values()) waiting.length = 0
    this.#ready.length = 0
    this.#tellEnd()
  }

  #tellEnd(): void {
    this.#next_end?.resolve()
    this.#next_end = undefined
  }

  #done(lane: Lane<T>): void {
    lane.is_busy = false
    this.#in_flight--
    if (lane.waiting.length > 0) this.#ready.push(lane)
    this.#tellEnd()
    this.#onDone()
  }
}
