// Access tokens of service accounts: cached by key and renewed before they expire, with one exchange at a time per key.
import { readServiceAccount, type ServiceAccount } from '../../domain/service-account.ts'
import { type AccessToken, type ExchangeDeps, type ExchangeResult, exchange, isToken } from './exchange.ts'

/** The access tokens of this process. */
export interface Tokens {
  /**
   * The token for a key: synchronous if there is a valid one. The promise never rejects.
   * @param key the text of a service account's file
   */
  of(key: string): AccessToken | Promise<ExchangeResult>
  /** Reports that a provider refused a token before it expired: the next call gets another. A token that was already replaced stays. */
  refused(key: string, token: AccessToken): void
}

/** Google's own libraries use the same: https://github.com/googleapis/google-auth-library-nodejs, eagerRefreshThresholdMillis. */
const RENEW_BEFORE_MS = 5 * 60_000
/** Time for a request with the token to reach the provider. */
const MIN_REMAINING_MS = 10_000
/** The pause between early renewals, since the last one may have failed. */
const RENEWAL_PAUSE_MS = 30_000

interface CachedToken {
  readonly account: ServiceAccount
  token: AccessToken | undefined
  under_way: Promise<ExchangeResult> | undefined
  /** The earliest time of the next early renewal. */
  renewal_ms: number
}

export function createTokens(deps: ExchangeDeps): Tokens {
  const { now } = deps
  const all = new Map<string, CachedToken>()

  function renew(entry: CachedToken): Promise<ExchangeResult> {
    entry.under_way ??= exchange(deps, entry.account)
      .then((exchanged) => {
        if (isToken(exchanged)) entry.token = exchanged
        return exchanged
      })
      .finally(() => {
        entry.under_way = undefined
      })
    return entry.under_way
  }

  function open(key: string): CachedToken | undefined {
    const account = readServiceAccount(key)
    if ('problem' in account) return undefined
    // Removes expired tokens of keys that the catalogue no longer has.
    for (const [other, { token, under_way }] of all)
      if (!under_way && (token?.until_ms ?? 0) <= now()) all.delete(other)
    const entry: CachedToken = { account, token: undefined, under_way: undefined, renewal_ms: 0 }
    all.set(key, entry)
    return entry
  }

  return {
    of(key) {
      const entry = all.get(key) ?? open(key)
      if (!entry) return Promise.resolve(UNUSABLE)
      const { token } = entry
      const now_ms = now()
      if (!token || now_ms >= token.until_ms - MIN_REMAINING_MS) return renew(entry)
      if (!entry.under_way && now_ms >= Math.max(token.until_ms - RENEW_BEFORE_MS, entry.renewal_ms)) {
        entry.renewal_ms = now_ms + RENEWAL_PAUSE_MS
        void renew(entry)
      }
      return token
    },
    refused(key, token) {
      const entry = all.get(key)
      if (entry?.token === token) entry.token = undefined
    },
  }
}

/** For a key that is no file of a service account; the catalogue normally refuses it earlier. */
const UNUSABLE: ExchangeResult = {
  failure_class: 'bad_key',
  message: 'the key is not the JSON file of a service account',
  retry_after_s: undefined,
}
