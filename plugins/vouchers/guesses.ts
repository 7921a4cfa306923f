// Rate limit of wrong codes: by account and by network address, in any 60 seconds.
import { placeOf } from '../../src/access/sign-in-rate.ts'
import { Windows } from '../../src/access/window.ts'
import { rateLimited } from '../../src/domain/errors.ts'
import { counted } from '../../src/utilities/counted.ts'

const MAX_OF_ACCOUNT = 10
/** Higher, since several accounts may share an address. */
const MAX_OF_ADDRESS = 30
/** Per kind; the oldest windows are dropped. */
const MAX_WINDOWS = 10_000

export interface Redeemer {
  account_id: number
  /** Undefined if unknown, as in a command. */
  address: string | undefined
}

export interface GuessLimiter {
  /**
   * Counts an attempt before the look-up, so that concurrent attempts cannot exceed the limit.
   *
   * @returns a function that takes the attempt back, for a right code
   * @throws GatewayError rate_limited
   */
  attempt(guesser: Redeemer): () => void
}

/** @param now milliseconds of a monotonic clock, such as `performance.now` */
export function createGuessLimiter(now: () => number): GuessLimiter {
  const by_account = new Windows<number>(MAX_WINDOWS)
  const by_address = new Windows<string>(MAX_WINDOWS)
  return {
    attempt({ account_id, address }) {
      const at = now()
      const place = placeOf(address)
      const waits_ms = Math.max(
        by_account.untilBelow(account_id, MAX_OF_ACCOUNT, at),
        place === undefined ? 0 : by_address.untilBelow(place, MAX_OF_ADDRESS, at),
      )
      if (waits_ms > 0) throw tooMany(Math.ceil(waits_ms / 1_000))
      const windows = [
        by_account.of(account_id, at),
        ...(place === undefined ? [] : [by_address.of(place, at)]),
      ]
      for (const window of windows) window.add(at, 1)
      return () => {
        for (const window of windows) window.takeBack(now(), 1)
      }
    },
  }
}

const tooMany = (retry_after_s: number) =>
  rateLimited(`Too many wrong voucher codes. Try again in ${counted(retry_after_s, 'second')}.`, {
    retry_after_s,
  })
