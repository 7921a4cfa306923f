// The check of the providers: free requests show that each answers and accepts its keys. Their time also checks this machine's clock.

import { type Diagnosis, diagnosesOf, type ReadContext } from '../../../src/app/checks/check.ts'
import { knownAdvice } from '../../../src/app/route-tests/known-refusals.ts'
import { isSimulated } from '../../../src/catalogue/served.ts'
import type { Provider } from '../../../src/domain/catalogue.ts'
import { isServiceAccount } from '../../../src/domain/service-account.ts'
import { createRedactor, secretsOf } from '../../../src/observe/redact.ts'
import { BUILT_IN_REGISTRY, protocolOf } from '../../../src/protocols/registry.ts'
import { headTo } from '../../../src/upstream/request.ts'
import { isToken } from '../../../src/upstream/tokens/exchange.ts'
import { createTokens } from '../../../src/upstream/tokens/tokens.ts'

const of_clock = diagnosesOf('clock')

const ANSWER_MS = 10_000

/** The result of a request with one provider key. */
interface KeyTrial {
  diagnosis: Diagnosis
  /** The lead of this machine's clock over the provider's; undefined if the answer has no date. */
  ahead_ms: number | undefined
}

export async function checkProviders({ catalogue, now }: ReadContext): Promise<Diagnosis[]> {
  const providers = [...catalogue.providers.values()]
  const simulated = providers.filter(isSimulated)
  const { hide } = createRedactor(secretsOf(catalogue)[0])
  const trials = await Promise.all(
    providers
      .filter((provider) => !simulated.includes(provider))
      .flatMap((provider) => provider.api_keys.map((_, key) => tryKey(provider, key, now))),
  )
  return [
    ...simulated.map(({ name }) => diagnosesOf(`provider ${name}`).ok('simulated: no connection needed')),
    ...trials.map(({ diagnosis }) => ({ ...diagnosis, found: hide(diagnosis.found) })),
    clock(trials),
  ]
}

/** Requests the provider's list of models, which is free at every provider. */
async function tryKey(provider: Provider, key: number, now: () => number): Promise<KeyTrial> {
  const check = `provider ${provider.name}#${provider.key_numbers?.[key] ?? key + 1}`
  const api_key = provider.api_keys[key] ?? ''
  if (isServiceAccount(api_key)) return await requestToken(check, api_key, now)
  const list = protocolOf(BUILT_IN_REGISTRY, provider).model_list
  const { url, headers } = headTo({ provider, model: '', api_key }, list ?? { path: '/', headers: {} }, {})
  const sent_ms = now()
  try {
    const answer = await fetch(url, {
      headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_MS),
    })
    const ahead_ms = aheadOf(answer.headers.get('date'), sent_ms, now())
    await answer.body?.cancel()
    return { diagnosis: diagnosisOfStatus(check, answer.status), ahead_ms }
  } catch (thrown) {
    const why = reasonUnreachable(thrown)
    const advice =
      knownAdvice(why, undefined) ??
      'Check base_url, the server behind it, and the connection from this machine (DNS, firewall, proxy).'
    return { diagnosis: diagnosesOf(check).fail(`it cannot be reached: ${why}`, advice), ahead_ms: undefined }
  }
}

/** Requests an access token. No free request checks the rights of a service account, but a token shows that Google knows it. */
async function requestToken(check: string, api_key: string, now: () => number): Promise<KeyTrial> {
  const { fail, ok } = diagnosesOf(check)
  const token = await createTokens({ fetch, now }).of(api_key)
  if (isToken(token))
    return {
      diagnosis: ok('it gets an access token; `tollgate providers test` asks its models'),
      ahead_ms: undefined,
    }
  const advice = knownAdvice(token.message, undefined) ?? 'Check the file of the service account (api_keys).'
  return { diagnosis: fail(token.message, advice), ahead_ms: undefined }
}

/** Returns the error code if there is one: Bun's message for a refused connection does not name the cause. */
function reasonUnreachable(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  if (thrown.name === 'TimeoutError') return `no answer within ${ANSWER_MS / 1_000} s`
  return 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : thrown.message
}

function diagnosisOfStatus(check: string, status: number): Diagnosis {
  const { fail, ok, warn } = diagnosesOf(check)
  if (status < 300) return ok(`status ${status}: it lists its models`)
  if (status === 401 || status === 403)
    return fail(
      `status ${status}: it refuses the key`,
      'Correct it in api_keys or its environment variable, and check the account at the provider.',
    )
  if (status === 404 || status === 405 || status === 501)
    return ok(`status ${status}: it has no list of models, so the key was not checked`)
  if (status === 429)
    return warn(`status ${status}: the key is rate limited`, 'Wait, or raise the limit at the provider.')
  if (status < 500)
    return warn(
      `status ${status}: it answers, but not as an API of this protocol`,
      'Check base_url and protocol; `tollgate providers test` sends a real request, which costs a little.',
    )
  return warn(`status ${status}: the provider has a problem`, 'Wait, then run this again.')
}

/** The `date` header has whole seconds, so on average it is half a second early. */
const HALF_A_SECOND_MS = 500

function aheadOf(date: string | null, sent_ms: number, answered_ms: number): number | undefined {
  const date_ms = date === null ? Number.NaN : Date.parse(date)
  if (Number.isNaN(date_ms)) return undefined
  return (sent_ms + answered_ms) / 2 - (date_ms + HALF_A_SECOND_MS)
}

const SUSPECT_MS = 30_000
const WRONG_MS = 300_000

/** Reports the smallest difference to a provider's clock, because one provider's clock may be wrong. */
function clock(trials: readonly KeyTrial[]): Diagnosis {
  const all = trials.flatMap(({ ahead_ms }) => (ahead_ms === undefined ? [] : [ahead_ms]))
  const [nearest_ms] = all.sort((one, other) => Math.abs(one) - Math.abs(other))
  if (nearest_ms === undefined) return of_clock.ok('not checked: no provider sent the time')
  const seconds = Math.round(Math.abs(nearest_ms) / 1_000)
  const found = `${seconds} s ${nearest_ms < 0 ? 'behind' : 'ahead of'} a provider's`
  if (Math.abs(nearest_ms) < SUSPECT_MS) return of_clock.ok(found)
  const advice =
    'Sync it with NTP (`timedatectl set-ntp true`): days of usage, limits and certificates depend on it.'
  return Math.abs(nearest_ms) < WRONG_MS ? of_clock.warn(found, advice) : of_clock.fail(found, advice)
}
