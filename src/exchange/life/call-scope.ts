// What a call releases when it is over: its lease, its place, and whatever else it reserved.
import type { Lease } from '../../access/limits.ts'
import type { Logger } from '../../observe/log.ts'
import type { RunningCall } from './running.ts'

type Release = () => void | Promise<void>

/** The scope of one call. */
export class CallScope {
  /** Tokens that the call used, for the limits; 0 until it is settled. */
  used_tokens = 0
  readonly #lease: Lease
  readonly #place: Pick<RunningCall, 'done'> | undefined
  readonly #log: Logger
  readonly #request_id: string
  #releases: Release[] | undefined
  #is_kept_open = false
  #has_ended = false

  /** @param place given back at the end; undefined for a call in the place of another one */
  constructor(lease: Lease, place: Pick<RunningCall, 'done'> | undefined, log: Logger, request_id: string) {
    this.#lease = lease
    this.#place = place
    this.#log = log
    this.#request_id = request_id
  }

  /** Runs when the call is over, the latest first. What it throws is logged, and stops nothing else. */
  defer(release: Release): void {
    this.#releases ??= []
    this.#releases.push(release)
  }

  /**
   * Keeps the call open beyond its handler, for an answer that streams.
   * @returns ends the call
   */
  keepOpen(): () => Promise<void> {
    this.#is_kept_open = true
    return async () => this.#end()
  }

  /** The handler is done. Ends the call, unless it was kept open. */
  handled(): Promise<void> | undefined {
    return this.#is_kept_open ? undefined : this.#end()
  }

  #end(): Promise<void> | undefined {
    if (this.#has_ended) return undefined
    this.#has_ended = true
    if (this.#releases) return this.#release(this.#releases)
    this.#leave()
    return undefined
  }

  async #release(releases: Release[]): Promise<void> {
    for (const release of releases.reverse()) {
      try {
        await release()
      } catch (cause) {
        this.#log.error({ request_id: this.#request_id, cause }, 'a call could not be cleaned up')
      }
    }
    this.#leave()
  }

  #leave(): void {
    this.#lease.release(this.used_tokens)
    this.#place?.done()
  }
}
