// The exchange of a service account's signature for an access token, over the network (RFC 7523, RS256).
// https://developers.google.com/identity/protocols/oauth2/service-account#authorizingrequests
// https://developers.google.com/identity/protocols/oauth2/service-account#handlingresponse
import { sign } from 'node:crypto'
import type { ServiceAccount } from '../../domain/service-account.ts'
import type { UpstreamFailure } from '../../protocols/facts.ts'
import type { FailureClass } from '../../protocols/failure-class.ts'
import { objectIn, parseObject, stringIn } from '../../protocols/wire/json.ts'
import { retryAfter } from '../../protocols/wire/retry-after.ts'
import { messageOf } from '../../utilities/thrown.ts'
import { type Fetch, readAnswer } from '../transport.ts'

/** https://docs.cloud.google.com/vertex-ai/generative-ai/docs/start/gcp-auth */
const SCOPE = 'https://www.googleapis.com/auth/cloud-platform'
/** The longest lifetime that Google accepts. */
const LIFETIME_S = 3_600

/** The account's claims as a signed JWT, with times in seconds since 1970. @throws the library's error for a key that cannot sign */
function signedAssertion(account: ServiceAccount, now_ms: number): string {
  const { client_email, token_uri, private_key, private_key_id: kid } = account
  const header = { alg: 'RS256', typ: 'JWT', ...(kid === undefined ? {} : { kid }) }
  const iat = Math.floor(now_ms / 1_000)
  const claims = { iss: client_email, scope: SCOPE, aud: token_uri, iat, exp: iat + LIFETIME_S }
  const text = [header, claims].map(encoded).join('.')
  return `${text}.${sign('RSA-SHA256', Buffer.from(text), private_key).toString('base64url')}`
}

const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')

export interface AccessToken {
  readonly value: string
  /** By this machine's clock. */
  readonly until_ms: number
}

/** A token, or the failure of its exchange. */
export type ExchangeResult = AccessToken | UpstreamFailure

export interface ExchangeDeps {
  fetch: Fetch
  now: () => number
  /** The time limit of the exchange. */
  timeout_ms?: number
}

const TIMEOUT_MS = 10_000
const MAX_ANSWER_BYTES = 64 * 1024
const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const FORM = {
  'content-type': 'application/x-www-form-urlencoded',
  accept: 'application/json',
  'accept-encoding': 'identity',
}

export const isToken = (exchanged: ExchangeResult): exchanged is AccessToken => 'until_ms' in exchanged

/** Exchanges a service account for a token. Never throws: every exception becomes a failure of the provider, with a message free of secrets. */
export async function exchange(deps: ExchangeDeps, account: ServiceAccount): Promise<ExchangeResult> {
  const { fetch, now, timeout_ms = TIMEOUT_MS } = deps
  const requested_at_ms = now()
  const signal = AbortSignal.timeout(timeout_ms)
  try {
    const assertion = signedAssertion(account, requested_at_ms)
    const response = await fetch(account.token_uri, {
      method: 'POST',
      headers: FORM,
      body: new URLSearchParams({ grant_type: GRANT_TYPE, assertion }).toString(),
      signal,
      redirect: 'manual',
    })
    const text = (await readAnswer(response, MAX_ANSWER_BYTES)).toString()
    return response.ok ? tokenIn(text, requested_at_ms) : refusalOf(response, text, now())
  } catch (thrown) {
    return signal.aborted
      ? failure('timed_out', `no answer within ${timeout_ms / 1_000} s`)
      : failure('upstream_error', messageOf(thrown))
  }
}

/** The characters that a header value may have. */
const HEADER_VALUE = /^[\x21-\x7e]+$/

function tokenIn(text: string, requested_at_ms: number): ExchangeResult {
  const { access_token, expires_in } = parseObject(text) ?? {}
  const value = stringIn(access_token)
  if (value === undefined || !HEADER_VALUE.test(value) || !isLifetime(expires_in))
    return failure('upstream_error', 'the answer has no valid access_token and expires_in')
  return { value, until_ms: requested_at_ms + expires_in * 1_000 }
}

const isLifetime = (seconds: unknown): seconds is number =>
  typeof seconds === 'number' && seconds > 0 && seconds <= 86_400

/** Reads an error answer (RFC 6749, section 5.2). */
function refusalOf({ status, headers }: Response, text: string, now_ms: number): UpstreamFailure {
  const { error, error_description } = objectIn(parseObject(text))
  const parts = [stringIn(error), stringIn(error_description)].filter((part) => part !== undefined)
  const words = parts.length > 0 ? parts.join(': ') : `status ${status}`
  return {
    ...failure(classOf(status), `${words}${clockSkewNote(headers.get('date'), now_ms)}`),
    retry_after_s: retryAfter(headers, now_ms),
  }
}

function classOf(status: number): FailureClass {
  if (status === 429) return 'rate_limited'
  return status >= 400 && status < 500 ? 'bad_key' : 'upstream_error'
}

const MIN_REPORTED_SKEW_MS = 60_000

/** A note on this machine's clock, if the server's time differs: signatures with a wrong time are refused. */
function clockSkewNote(date: string | null, now_ms: number): string {
  const ahead_ms = date === null ? 0 : now_ms - Date.parse(date)
  if (!(Math.abs(ahead_ms) >= MIN_REPORTED_SKEW_MS)) return ''
  const minutes = Math.round(Math.abs(ahead_ms) / 60_000)
  const long = minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`
  return ` (this machine's clock is ${long} ${ahead_ms < 0 ? 'behind' : 'ahead of'} that server's)`
}

const failure = (failure_class: FailureClass, words: string): UpstreamFailure => ({
  failure_class,
  message: `no access token for the service account: ${words}`,
  retry_after_s: undefined,
})
