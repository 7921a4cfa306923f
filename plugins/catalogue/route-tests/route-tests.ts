// The plan and the run of route tests. Secrets are removed from the results.

import { knownAdvice } from '../../../src/app/route-tests/known-refusals.ts'
import type { Catalogue, Model, Provider, Route } from '../../../src/domain/catalogue.ts'
import { serverNameOf } from '../../../src/domain/servers/lookup.ts'
import { createRedactor, redactUrl, secretsOf } from '../../../src/observe/redact.ts'
import { endpointsOf } from '../../../src/protocols/openai/endpoint.ts'
import {
  type RouteTest,
  type RouteTestDeps,
  type RouteToTest,
  type TestResult,
  testRoute,
} from './route-test.ts'

/** The result of a tested route. */
export interface TestedRoute extends RouteToTest, RouteTest {
  /** Advice for the operator; null for a good result. */
  advice: string | null
}

/** A route that is not tested, or a provider without routes. */
export interface UntestedRoute {
  provider: string
  model: string | null
  reason: 'image' | 'no route'
}

/** Returns a key's number in the file, from 1, as in the log: `google#1`. */
export const keyNumber = ({ key_numbers }: Provider, key: number): number => key_numbers?.[key] ?? key + 1

/** Returns the kind of a test: the model's kind, or `responses`. */
export const kindOf = ({ model, by_responses }: RouteToTest): string =>
  by_responses ? 'responses' : model.kind

/** Advice by result, for messages without specific advice. */
const ADVICE: Readonly<Record<Exclude<TestResult, 'ok'>, string>> = {
  'bad key':
    'bad key: check the key (api_keys), and that its account at the provider may use this model and has credit.',
  'not found':
    'not found: look up the name of the model at the provider, and check the version in the address (base_url).',
  'rate limited': 'rate limited: the key is at its limit. Wait, or raise the limit at the provider.',
  refused: 'refused: the provider does not accept this request for this model. Its answer says why.',
  failed: 'failed: the provider had an error, or its address (base_url) has no API of this protocol.',
  unreachable:
    'unreachable: check the address (base_url), and that the server runs and this machine can reach it.',
  'too slow':
    'too slow: the provider did not answer in time. Try again, and check that the server is not overloaded.',
}

/** Plans one test for each key and model of a provider, even if several models of the catalogue have the route. */
export function planTests(
  { providers, models }: Catalogue,
  name: string | undefined,
  images: boolean,
): { routes: RouteToTest[]; untested: UntestedRoute[] } {
  const routes: RouteToTest[] = []
  const untested: UntestedRoute[] = []
  for (const provider of providers.values()) {
    if (name !== undefined && provider.name !== name) continue
    const seen = new Set<string>()
    for (const model of models.values())
      for (const route of model.routes) {
        const id = `${model.kind} ${route.model}`
        if (route.provider !== provider.name || seen.has(id)) continue
        seen.add(id)
        if (model.kind === 'image' && !images) untested.push({ ...namesOf(route), reason: 'image' })
        else
          for (const choice of endpointChoices(provider, model, route))
            routes.push(...provider.api_keys.map((_, key) => ({ provider, key, model, route, ...choice })))
      }
    if (seen.size === 0) untested.push({ provider: provider.name, model: null, reason: 'no route' })
  }
  return { routes, untested }
}

/** Returns a test for each endpoint that calls of the route use. */
const endpointChoices = (provider: Provider, { kind }: Model, route: Route): { by_responses?: boolean }[] =>
  kind === 'text'
    ? endpointsOf({ ...route, provider }).map((endpoint) =>
        endpoint === 'responses' ? { by_responses: true } : {},
      )
    : [{}]

const namesOf = ({ provider, model }: Route) => ({ provider, model })

/** Tests a route, and removes secrets from the result. @param deps with their own cooldowns, which the test may change */
export async function testAndHide(deps: RouteTestDeps, tested: RouteToTest): Promise<TestedRoute> {
  const [secrets] = secretsOf(deps.catalogue)
  const { hide } = createRedactor(secrets)
  const { words, address, ...rest } = await testRoute(deps, tested)
  const advice =
    rest.result === 'ok' ? null : (knownAdvice(words, serverNameOf(tested.provider)) ?? ADVICE[rest.result])
  const public_address = address === undefined ? undefined : hide(redactUrl(address))
  return { ...tested, ...rest, words: hide(words), address: public_address, advice }
}

/** A test as JSON. */
export function testView(tested: TestedRoute) {
  const { provider, key, route, result, address, status, words, latency_ms, advice } = tested
  return {
    provider: provider.name,
    protocol: provider.protocol,
    provider_key: `${provider.name}#${keyNumber(provider, key)}`,
    kind: kindOf(tested),
    model: route.model,
    ok: result === 'ok',
    result,
    address: address ?? null,
    status: status ?? null,
    words,
    latency_ms,
    advice,
  }
}
