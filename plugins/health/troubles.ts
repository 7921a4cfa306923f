// Current failures: rejected keys, failing providers, models and routes, each reported once, for its cause, with a sentence. Pure.
import type { Catalogue, Provider } from '../../src/domain/catalogue.ts'
import { DAY_MS } from '../../src/domain/ranges.ts'
import { markOf } from '../../src/observe/key-mark.ts'
import { keyIds } from '../../src/upstream/routes.ts'
import { CALLS, keySubject, type RouteName, routeSubject } from './gathered.ts'
import {
  type Failures,
  impairmentOf,
  isRejected,
  type KeyState,
  type Outage,
  outageOf,
  type RouteState,
} from './outage.ts'
import type { RecentStates } from './recent-answers.ts'

export interface Trouble {
  kind: 'key' | 'provider' | 'model' | 'route'
  /** Identifies the failure together with `kind`: `acme#1`, `acme`, `gpt-5`, `gpt-5 acme:gpt-5-mini`. */
  subject: string
  /** `acme`, or `acme:gpt-5-mini of gpt-5`. */
  name: string
  /** "rejects your key", "is failing". */
  verb: string
  /** "6 calls failed.", "12 of 14 calls in the last 5 minutes failed: timeout (9), status 500 (3)." */
  detail: string
  since_ms: number
  /** The provider to check, and one of its routes to test; null for a model with several providers. */
  provider: string | null
  model: string | null
  upstream_model: string | null
  /** The number of the key to test. */
  key_number: number
}

/** Current outages of the catalogue's routes, providers and models. */
interface Outages {
  ofRoute(model: string, provider: string, upstream_model: string): Outage | undefined
  ofProvider(provider: string): Outage | undefined
  ofModel(model: string): Outage | undefined
  /** The reason for partly failing, as a sentence; undefined otherwise. */
  partly: {
    ofRoute(model: string, provider: string, upstream_model: string): string | undefined
    /** Set if one of its keys or routes fails or partly fails. */
    ofProvider(provider: string): string | undefined
    /** By calls: a model with a second route works while its first route fails. */
    ofModel(model: string): string | undefined
  }
  troubles: Trouble[]
}

interface RejectedKey extends KeyState {
  provider: string
  key_id: string
  number: number
  is_only: boolean
}

type Routed = Pick<Catalogue, 'models' | 'providers'>

export function outagesOf({ models, providers }: Routed, states: RecentStates, now_ms: number): Outages {
  const rejected = [...providers.values()].flatMap((provider) => rejectedKeys(provider, states, now_ms))
  const all_rejected = new Map(
    [...providers.values()].flatMap(({ name, api_keys }): [string, Outage][] => {
      const keys = rejected.filter((key) => key.provider === name)
      return keys.length > 0 && keys.length === api_keys.length ? [[name, outageOfKeys(keys)]] : []
    }),
  )
  const routes = [...models.values()].flatMap(({ id, routes }) =>
    routes.map(({ provider, model }): RouteName => ({ model: id, provider, upstream_model: model })),
  )
  const stateOf = (route: RouteName) => states.routes.get(routeSubject(route))
  const wasCalled = (route: RouteName) => (stateOf(route)?.last.at(-1)?.at_ms ?? 0) > now_ms - DAY_MS
  const of = (route: RouteName): Outage | undefined => {
    const state = stateOf(route)
    return all_rejected.get(route.provider) ?? (state && outageOf(state, now_ms))
  }
  /** Returns the outage of several routes, if all that were called in the last day fail. */
  const ofRoutes = (
    some: readonly RouteName[],
    since: (...times: number[]) => number,
  ): Outage | undefined => {
    const known = some.filter((route) => wasCalled(route) || all_rejected.has(route.provider))
    const outages = known.map(of).filter((outage) => outage !== undefined)
    return known.length > 0 && outages.length === known.length ? sumOf(outages, since) : undefined
  }
  const ofProvider = (name: string) =>
    all_rejected.get(name) ??
    ofRoutes(
      routes.filter(({ provider }) => provider === name),
      Math.min,
    )
  const ofModel = (id: string) =>
    ofRoutes(
      routes.filter(({ model }) => model === id),
      Math.max,
    )
  const providerFails = ({ provider }: RouteName) =>
    all_rejected.has(provider) || ofProvider(provider) !== undefined
  const failing = routes.filter((route) => of(route) !== undefined)
  return {
    ofRoute: (model, provider, upstream_model) => of({ model, provider, upstream_model }),
    ofProvider,
    ofModel,
    partly: partlyOf({ routes, rejected, of, impairmentOf: (route) => impairment(stateOf(route), now_ms) }),
    troubles: [
      ...rejected.map((key) => keyTrouble(key, routes)),
      ...[...providers.keys()].flatMap((name) => {
        const outage = all_rejected.has(name) ? undefined : ofProvider(name)
        const route = failing.find(({ provider }) => provider === name)
        return outage ? [troubleOf('provider', name, name, outage, route)] : []
      }),
      ...[...models.keys()].flatMap((id) => {
        const own = failing.filter(({ model }) => model === id)
        const outage = own.every(providerFails) ? undefined : ofModel(id)
        const [first, ...others] = own
        return outage ? [troubleOf('model', id, id, outage, others.length === 0 ? first : undefined, id)] : []
      }),
      ...failing.flatMap((route) => {
        const outage = of(route)
        if (!outage || providerFails(route) || ofModel(route.model)) return []
        const name = `${route.provider}:${route.upstream_model}`
        return [troubleOf('route', `${route.model} ${name}`, `${name} of ${route.model}`, outage, route)]
      }),
    ],
  }
}

const impairment = (state: RouteState | undefined, now_ms: number): Failures | undefined =>
  state && impairmentOf(state, now_ms)

interface Parts {
  routes: readonly RouteName[]
  rejected: readonly RejectedKey[]
  of: (route: RouteName) => Outage | undefined
  impairmentOf: (route: RouteName) => Failures | undefined
}

function partlyOf({ routes, rejected, of, impairmentOf }: Parts): Outages['partly'] {
  const sentenceOf = (failures: Failures | undefined) => failures && outageSentence(failures)
  return {
    ofRoute: (model, provider, upstream_model) =>
      sentenceOf(impairmentOf({ model, provider, upstream_model })),
    ofModel: (model) => sentenceOf(impairmentOf({ model, ...CALLS })),
    ofProvider(name) {
      const keys = rejected.filter(({ provider }) => provider === name)
      const own = routes.filter(({ provider }) => provider === name)
      return partsOf([
        ...keys.map(({ number }) => `Key ${number} is rejected.`),
        ...own.flatMap((route) => {
          const sentence = sentenceOf(of(route) ?? impairmentOf(route))
          return sentence === undefined ? [] : [`${route.upstream_model}: ${sentence}`]
        }),
      ])
    },
  }
}

function rejectedKeys(provider: Provider, { keys }: RecentStates, now_ms: number): RejectedKey[] {
  if (keys.size === 0) return []
  const names = keyIds(provider)
  return provider.api_keys.flatMap((api_key, index) => {
    const key_id = names[index] ?? ''
    const state = keys.get(keySubject({ key_id, mark: markOf(api_key) }))
    if (!state || !isRejected(state, now_ms)) return []
    const number = provider.key_numbers?.[index] ?? index + 1
    return [{ ...state, provider: provider.name, key_id, number, is_only: provider.api_keys.length === 1 }]
  })
}

function outageOfKeys(keys: readonly RejectedKey[]): Outage {
  const failed = keys.reduce((sum, { rejected }) => sum + rejected, 0)
  const since_ms = Math.max(...keys.map((key) => key.since_ms))
  return { since_ms, of: 'row', answers: failed, failed, causes: { bad_key: failed } }
}

/** Sums outages: those by their windows if there are any, else those by their last answers. */
function sumOf(outages: readonly Outage[], since: (...times: number[]) => number): Outage {
  const of = outages.some((outage) => outage.of === 'window') ? 'window' : 'row'
  const summed = outages.filter((outage) => outage.of === of)
  const causes: Record<string, number> = {}
  for (const outage of summed)
    for (const [cause, count] of Object.entries(outage.causes)) causes[cause] = (causes[cause] ?? 0) + count
  return {
    since_ms: since(...outages.map(({ since_ms }) => since_ms)),
    of,
    answers: summed.reduce((sum, { answers }) => sum + answers, 0),
    failed: summed.reduce((sum, { failed }) => sum + failed, 0),
    causes,
  }
}

function keyTrouble(
  { provider, key_id, number, is_only, since_ms, rejected }: RejectedKey,
  routes: readonly RouteName[],
): Trouble {
  const own = routes.filter((one) => one.provider === provider)
  const [route] = own
  // The call could continue with another key or at another provider.
  const goes_on =
    !is_only ||
    routes.some((one) => one.provider !== provider && own.some(({ model }) => model === one.model))
  const what = goes_on ? ['request', rejected === 1 ? 'was rejected' : 'were rejected'] : ['call', 'failed']
  return {
    kind: 'key',
    subject: key_id,
    name: provider,
    verb: `rejects ${is_only ? 'your key' : `key ${number}`}`,
    detail: `${rejected} ${what[0]}${rejected === 1 ? '' : 's'} ${what[1]}.`,
    since_ms,
    provider,
    model: route?.model ?? null,
    upstream_model: route?.upstream_model ?? null,
    key_number: number,
  }
}

function troubleOf(
  kind: Trouble['kind'],
  subject: string,
  name: string,
  outage: Outage,
  route: RouteName | undefined,
  model: string | undefined = route?.model,
): Trouble {
  return {
    kind,
    subject,
    name,
    verb: 'is failing',
    detail: outageSentence(outage),
    since_ms: outage.since_ms,
    provider: route?.provider ?? null,
    model: model ?? null,
    upstream_model: route?.upstream_model ?? null,
    key_number: 1,
  }
}

const CAUSES: Readonly<Record<string, string>> = {
  timed_out: 'timeout',
  bad_key: 'key rejected',
  rate_limited: 'rate limited',
  upstream_error: 'connection failed',
  broke_off: 'interrupted',
  failed: 'no route tried',
}
const MAX_CAUSES = 3
const MAX_PARTS = 3

/** "12 of 14 calls in the last 5 minutes failed: timeout (9), status 500 (3)." */
export function outageSentence({ of, answers, failed, causes }: Failures): string {
  const calls = answers === 1 ? 'call' : `${answers} calls`
  const whole = failed === answers ? `The last ${calls} failed` : `${failed} of the last ${calls} failed`
  const lead = of === 'row' ? whole : `${failed} of ${answers} calls in the last 5 minutes failed`
  return `${lead}: ${causeWords(causes)}.`
}

/** Joins the first few sentences about partial failures. */
function partsOf(sentences: readonly string[]): string | undefined {
  const more = sentences.length - MAX_PARTS
  const words = [...sentences.slice(0, MAX_PARTS), ...(more > 0 ? [`And ${more} more.`] : [])]
  return words.length === 0 ? undefined : words.join(' ')
}

/** A status below 400 is an error inside of an answer that had started with a success status, such as a stream. */
const causeWord = (cause: string): string =>
  CAUSES[cause] ?? (Number(cause) < 400 ? 'error in the answer' : cause.replace(/^\d/, 'status $&'))

function causeWords(causes: Record<string, number>): string {
  const most = Object.entries(causes).sort(([, one], [, other]) => other - one)
  const others = most.slice(MAX_CAUSES).reduce((sum, [, count]) => sum + count, 0)
  const words = most.slice(0, MAX_CAUSES).map(([cause, count]) => `${causeWord(cause)} (${count})`)
  return [...words, ...(others > 0 ? [`other (${others})`] : [])].join(', ')
}
