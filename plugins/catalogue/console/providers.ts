// Providers in the console: their health, and trials: one real request over a route with a key, even before it is saved.

import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Viewer } from '../../../src/access/viewer.ts'
import { FAILURES, operatorCalls } from '../../../src/app/surface/console/calls.ts'
import { CsvFile, listCsv } from '../../../src/app/surface/console/list-csv.ts'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import type { Edit } from '../../../src/catalogue/edit.ts'
import type { Catalogue, Model, Provider } from '../../../src/domain/catalogue.ts'
import { invalidRequest, notFound } from '../../../src/domain/errors.ts'
import type { CsvColumns } from '../../../src/http/csv.ts'
import { Closed, Nullable } from '../../../src/http/schema.ts'
import { createCooldowns } from '../../../src/upstream/cooldowns.ts'
import { testAnswered, visibleHealth } from '../../health/index.ts'
import type { RouteToTest } from '../route-tests/route-test.ts'
import { keyNumber, testAndHide, testView } from '../route-tests/route-tests.ts'
import { DRAFT_FIELDS, draftOf, requireValidDraft } from './draft.ts'
import { ProviderView, providersView } from './provider-views.ts'

const ProvidersView = Type.Object({
  hash: Type.String({ description: "of the catalogue's file, for saving edits" }),
  protocols: Type.Array(Type.String()),
  providers: Type.Array(ProviderView),
})

const PROVIDER_COLUMNS: CsvColumns<Static<typeof ProviderView>> = {
  provider: ({ name }) => name,
  protocol: ({ protocol }) => protocol,
  base_url: ({ base_url }) => base_url,
  state: ({ state }) => state,
  why: ({ why }) => why,
  keys: ({ keys }) => keys.length,
  models: ({ routes }) => routes.map(({ id }) => id).join(' '),
}

const TrialBody = Closed({
  ...DRAFT_FIELDS,
  provider: Type.String({ maxLength: 128 }),
  model: Type.String({
    minLength: 1,
    maxLength: 256,
    must: "the provider's own ID of the model",
    description: "the provider's own ID of the model",
  }),
  key: Type.Optional(Type.Integer({ minimum: 1, description: 'its number in the file; 1 if absent' })),
  by_responses: Type.Optional(Type.Boolean({ description: 'whether to use the Responses API' })),
  image: Type.Optional(Type.Boolean({ description: 'whether to request an image, at its price' })),
  is_new: Type.Optional(
    Type.Boolean({ description: 'whether no model has this route yet: it is tested as a text model' }),
  ),
})

const TrialView = Type.Object({
  provider: Type.String(),
  protocol: Type.String(),
  provider_key: Type.String(),
  kind: Type.String(),
  model: Type.String(),
  ok: Type.Boolean(),
  result: Type.String(),
  address: Nullable(Type.String()),
  status: Nullable(Type.Integer()),
  words: Type.String({ description: "the provider's message, without secrets" }),
  latency_ms: Type.Integer(),
  advice: Nullable(Type.String({ description: 'advice for the operator' })),
})

/** Routes of providers, for the operator. To change a provider, the console edits the catalogue. */
export function providerRoutes(
  gateway: Pick<Gateway, 'calls' | 'requests' | 'people' | 'operations' | 'db'>,
) {
  const { calls } = gateway
  const { configuration } = gateway.operations
  const { catalogue, now } = calls
  const { fetch, cooldowns, deadlines, tokens, random } = calls.upstream

  /** A trial has its own cooldowns: its failure puts no key into cooldown. A success of a saved key ends the key's cooldown. */
  async function attempt(body: Static<typeof TrialBody>): Promise<Static<typeof TrialView>> {
    const trial_catalogue = await catalogueFor(body)
    const route = routeIn(trial_catalogue, body)
    const upstream = { fetch, cooldowns: createCooldowns(now), deadlines, tokens, now, random }
    const tested = await testAndHide(
      { ...upstream, protocols: calls.protocols, catalogue: trial_catalogue },
      route,
    )
    const view = testView(tested)
    const is_in_force = body.text === undefined && body.edits === undefined
    if (view.ok && is_in_force) {
      cooldowns.cleared(view.provider_key)
      const { provider, model, provider_key } = view
      testAnswered(gateway, { provider, upstream_model: model, key_id: provider_key })
    }
    return view
  }

  async function catalogueFor(body: Static<typeof TrialBody>): Promise<Catalogue> {
    const { text, edits = [], is_new = false } = body
    if (text === undefined && edits.length === 0 && !is_new) return catalogue()
    const draft = draftOf({ text, edits })
    const with_model = is_new ? [...(draft.edits ?? []), modelFor(body)] : draft.edits
    return (await requireValidDraft(configuration, { ...draft, edits: with_model })).catalogue
  }

  async function read(viewer: Viewer) {
    const file = await configuration.read()
    const { publicWords } = calls
    const condition = { ...(await visibleHealth(gateway, viewer)), cooldowns, now_ms: now(), publicWords }
    return { hash: file.hash, providers: providersView(catalogue(), file, condition) }
  }

  async function* rows(viewer: Viewer) {
    yield (await read(viewer)).providers
  }

  return new Elysia({ name: 'console-providers' })
    .use(operatorCalls(gateway))
    .get(
      '/console/api/providers',
      async ({ viewer }) => ({ ...(await read(viewer)), protocols: protocolNames(gateway) }),
      { response: { 200: ProvidersView, ...FAILURES } },
    )
    .get(
      '/console/api/providers.csv',
      ({ viewer }) =>
        listCsv(gateway, viewer, { list: 'providers', columns: PROVIDER_COLUMNS, parts: rows(viewer) }),
      { response: { 200: CsvFile, ...FAILURES } },
    )
    .post('/console/api/providers/try', ({ body }) => attempt(body), {
      body: TrialBody,
      response: { 200: TrialView, ...FAILURES },
    })
}

/** Returns the possible values of a provider's `protocol`. */
const protocolNames = ({ calls }: Pick<Gateway, 'calls'>): string[] =>
  [...calls.protocols].flatMap(([name, { isSpokenBy }]) => (isSpokenBy ? [] : [name]))

const TRIAL_MODEL = 'tollgate-trial'

/** Returns the edit that adds a temporary model, for a route that no model has. */
const modelFor = ({ provider, model }: Static<typeof TrialBody>): Edit => ({
  op: 'add',
  path: ['models'],
  value: { id: TRIAL_MODEL, kind: 'text', routes: [{ provider, model }], price: { input: 0, output: 0 } },
})

/** @throws GatewayError not_found without the provider, its key or a route to the model; invalid_request for an image without `image` */
function routeIn({ providers, models }: Catalogue, body: Static<typeof TrialBody>): RouteToTest {
  const provider = providers.get(body.provider)
  if (!provider)
    throw notFound(
      `Provider "${body.provider}" not found, or disabled because its environment variable is not set.`,
      { param: 'provider' },
    )
  const key = keyAt(provider, body.key ?? 1)
  const all = [...models.values()]
    .flatMap((model: Model) => model.routes.map((route) => ({ model, route })))
    .filter(({ route }) => route.provider === provider.name && route.model === body.model)
  // Models of several kinds may share the route: prefers the cheap request, unless the operator wants an image.
  const found =
    all.find(({ model }) => model.id === TRIAL_MODEL) ??
    all.find(({ model }) => (model.kind === 'image') === (body.image ?? false)) ??
    all[0]
  if (!found)
    throw notFound(`No model has a route to "${body.model}" of ${provider.name}.`, { param: 'model' })
  if (found.model.kind === 'image' && !body.image)
    throw invalidRequest(
      'This test generates an image and costs its full price. Set `image` to true to run it.',
      {
        param: 'image',
      },
    )
  return { provider, key, ...found, by_responses: body.by_responses }
}

function keyAt(provider: Provider, number: number): number {
  const key = provider.api_keys.findIndex((_, index) => keyNumber(provider, index) === number)
  if (key >= 0) return key
  throw notFound(
    `${provider.name} has no key ${number} in use. A key is left out while its environment variable is not set.`,
    { param: 'key' },
  )
}
