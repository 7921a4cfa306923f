// Access tokens of service accounts: kept by key, renewed before their end, one exchange at a time for each.
import { readServiceAccount, type ServiceAccount } from '../../domain/service-account.ts'
import { type AccessToken, type ExchangeDeps, type Exchanged, exchange, isToken } from './exchange.ts'

/** The access tokens that this process has. */
export interface Tokens {
  /**
   * The token that stands for a key: at once, where there is one. It never rejects.
   * @param key the text of a service account's file
   */
  of(key: string): AccessToken | Promise<Exchanged>
  /** A provider refused a token before its end: the next call gets another. One that is replaced already stays. */
  refused(key: string, token: AccessToken): void
}

/** As the provider's own libraries do: https://github.com/googleapis/google-auth-library-nodejs, eagerRefreshThresholdMillis. */
const RENEW_BEFORE_MS = 5 * 60_000
/** A request that goes out with a token takes a moment. */
const UNUSED_MS = 10_000
/** The pause between early renewals, of which the last may have failed. */
const RENEWAL_PAUSE_MS = 30_000

interface Kept {
  readonly account: ServiceAccount
  token: AccessToken | undefined
  under_way: Promise<Exchanged> | undefined
  /** The earliest time of the next early renewal. */
  renewal_ms: number
}

export function createTokens(deps: ExchangeDeps): Tokens {
  const { now } = deps
  const all = new Map<string, Kept>()

  function renew(kept: Kept): Promise<Exchanged> {
    kept.under_way ??= exchange(deps, kept.account)
      .then((exchanged) => {
        if (isToken(exchanged)) kept.token = exchanged
        return exchanged
      })
      .finally(() => {
        kept.under_way = undefined
      })
    return kept.under_way
  }

  function open(key: string): Kept | undefined {
    const account = readServiceAccount(key)
    if ('problem' in account) return undefined
    // Keys that a catalogue no longer has.
    for (const [other, { token, under_way }] of all)
      if (!under_way && (token?.until_ms ?? 0) <= now()) all.delete(other)
    const kept: Kept = { account, token: undefined, under_way: undefined, renewal_ms: 0 }
    all.set(key, kept)
    return kept
  }

  return {
    of(key) {
      const kept = all.get(key) ?? open(key)
      if (!kept) return Promise.resolve(UNUSABLE)
      const { token } = kept
      const now_ms = now()
      if (!token || now_ms >= token.until_ms - UNUSED_MS) return renew(kept)
      if (!kept.under_way && now_ms >= Math.max(token.until_ms - RENEW_BEFORE_MS, kept.renewal_ms)) {
        kept.renewal_ms = now_ms + RENEWAL_PAUSE_MS
        void renew(kept)
      }
      return token
    },
    refused(key, token) {
      const kept = all.get(key)
      if (kept?.token === token) kept.token = undefined
    },
  }
}

/** The catalogue refuses such a key when it is read. */
const UNUSABLE: Exchanged = {
  failure_class: 'bad_key',
  message: 'the key is no JSON file of a service account',
  retry_after_s: undefined,
}
