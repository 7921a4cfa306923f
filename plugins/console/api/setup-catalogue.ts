// The first visit's part of the catalogue: a provider tried before it is saved, a provider and a model added to the file.
import type { Static } from '@sinclair/typebox'
import type { CheckedDraft } from '../../../src/config/configuration.ts'
import type { Edit } from '../../../src/config/edit.ts'
import type { Mistake } from '../../../src/config/mistakes.ts'
import type { Catalogue } from '../../../src/domain/catalogue.ts'
import { internal, invalidRequest, notFound, unprocessable } from '../../../src/domain/errors.ts'
import { testRoute } from '../../../src/exchange/route-test.ts'
import { createRedactor, redactUrl, secretsOf } from '../../../src/observe/redact.ts'
import type { Gateway } from '../../../src/surface/gateway.ts'
import { createCooldowns } from '../../../src/upstream/cooldowns.ts'
import { KNOWN_PROVIDERS } from './setup-known.ts'
import type { ModelBody, ProviderBody, TrialBody, TrialView } from './setup-views.ts'

type GatewayParts = Pick<Gateway, 'catalogue' | 'configuration' | 'exchange' | 'now'>

/** What a provider says in a trial is shown up to this length. */
const MAX_WORDS_CHARS = 600
/** The model of a trial, which is saved nowhere. */
const TRIAL = 'console-trial'

/**
 * Sends one small real request to a provider, saved or not, with its first key.
 *
 * @returns what came of it; secrets are hidden
 * @throws GatewayError invalid_request where the provider is malformed, not_found where none of its name is saved
 */
export async function tryProvider(
  gateway: GatewayParts,
  { model: asked, ...form }: Static<typeof TrialBody>,
): Promise<Static<typeof TrialView>> {
  const routes = [{ provider: form.name, model: asked }]
  const trial = { id: TRIAL, kind: 'text', routes, price: { input: 0, output: 0 } }
  const catalogue = await checked(gateway, [
    ...(form.base_url === undefined ? [] : [addProvider(form)]),
    { op: 'add', path: ['models'], value: trial },
  ])
  const provider = catalogue.providers.get(form.name)
  const model = catalogue.models.get(TRIAL)
  const route = model?.routes[0]
  if (!provider || !model || !route)
    throw notFound(`There is no provider "${form.name}" in the catalogue. Reload the page.`, { param: 'name' })
  const { upstream, protocols } = gateway.exchange
  const deps = { ...upstream, cooldowns: createCooldowns(gateway.now), protocols, catalogue }
  const tested = await testRoute(deps, { provider, key: 0, model, route })
  const { hide } = createRedactor(secretsOf(catalogue)[0])
  const { result, address, status, words, latency_ms } = tested
  return {
    ok: result === 'ok',
    result,
    address: address === undefined ? null : hide(redactUrl(address)),
    status: status ?? null,
    words: hide(words).slice(0, MAX_WORDS_CHARS),
    latency_ms,
  }
}

/** @throws GatewayError invalid_request where it is malformed or its name taken; conflict, unprocessable as `save` of Configuration */
export const saveProvider = (gateway: GatewayParts, form: Static<typeof ProviderBody>): Promise<void> =>
  save(gateway, addProvider(form))

/**
 * Saves a model at this price; a known one also with its limits, and at list price with that of its cache.
 *
 * @throws as `saveProvider`
 */
export async function saveModel(
  gateway: GatewayParts,
  { id, provider, model, input, output }: Static<typeof ModelBody>,
): Promise<void> {
  const known = KNOWN_PROVIDERS.flatMap(({ models }) => models).find((one) => one.model === model)
  const limits = known && { context: known.context, max_output_tokens: known.max_output_tokens }
  const cache = known?.input === input && known.cache_read ? { cache_read: known.cache_read } : {}
  const value = { id, kind: 'text', ...limits, routes: [{ provider, model }], price: { input, output, ...cache } }
  await save(gateway, { op: 'add', path: ['models'], value })
}

function addProvider({ name, protocol = 'openai', base_url = '', api_key = '' }: Static<typeof ProviderBody>): Edit {
  const needs_key = KNOWN_PROVIDERS.some((known) => known.takes_key === 'yes' && known.base_url === base_url)
  if (api_key === '' && needs_key)
    throw invalidRequest('api_key: is missing. Paste the key that the provider gave you.', { param: 'api_key' })
  const api_keys = api_key === '' ? [] : [api_key]
  return { op: 'add', path: ['providers'], value: { name, protocol, base_url, api_keys } }
}

async function save(gateway: GatewayParts, edit: Edit): Promise<void> {
  await checked(gateway, [edit])
  const { configuration } = gateway
  const { hash } = await configuration.read()
  await configuration.save({ edits: [edit] }, hash)
}

/**
 * The catalogue as it would be with these edits.
 *
 * @throws GatewayError invalid_request that names the field at fault, unprocessable for a mistake elsewhere in the file
 */
async function checked({ configuration }: GatewayParts, edits: readonly Edit[]): Promise<Catalogue> {
  const draft = await configuration.check({ edits })
  const { catalogue, mistakes, warnings } = draft
  const last_provider = placeOfLast(draft, 'providers')
  const [mistake] = mistakes
  if (mistake) throw refusalOf(mistake, [last_provider, placeOfLast(draft, 'models')])
  const is_new = edits.some(({ path }) => path[0] === 'providers')
  const unset = is_new && warnings.find(({ path }) => path.startsWith(`${last_provider}.api_keys`))
  if (unset) throw refusalOf(unset, [last_provider])
  if (!catalogue) throw internal('The catalogue cannot be read. Try again.')
  return catalogue
}

/** The path of what was added: `models[7]`. */
const placeOfLast = ({ values }: CheckedDraft, list: 'providers' | 'models'): string => {
  const all = values?.[list]
  return `${list}[${Array.isArray(all) ? all.length - 1 : 0}]`
}

/** The fields of the forms, by the paths of the file. */
const FIELDS: readonly (readonly [path: RegExp, field: string])[] = [
  [/^\.name/, 'name'],
  [/^\.base_url/, 'base_url'],
  [/^\.api_keys/, 'api_key'],
  [/^\.id/, 'id'],
  [/^\.routes\[0\]\.provider/, 'provider'],
  [/^\.routes/, 'model'],
  [/^\.price\.input/, 'input'],
  [/^\.price\.output/, 'output'],
]

function refusalOf({ path, line, message }: Mistake, added: readonly string[]) {
  const place = added.find((begin) => path.startsWith(begin))
  const field = place && FIELDS.find(([begins]) => begins.test(path.slice(place.length)))?.[1]
  if (field) return invalidRequest(`${field}: ${message}.`, { param: field })
  return unprocessable(`The catalogue file has a mistake, line ${line}: ${path} ${message}. Put it right first.`)
}
