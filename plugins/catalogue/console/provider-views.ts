// Views of providers for the console: keys by their marks, cooldowns with their reasons, and routes.
import { type Static, Type } from '@sinclair/typebox'
import type { ConfigurationFile } from '../../../src/catalogue/configuration.ts'
import { isSimulated } from '../../../src/catalogue/served.ts'
import type { Catalogue, Provider } from '../../../src/domain/catalogue.ts'
import { knownServerOf, type ProviderAddress, writtenServer } from '../../../src/domain/servers/lookup.ts'
import { Nullable, OneOf } from '../../../src/http/schema.ts'
import { NullableTimeFields, time } from '../../../src/http/views.ts'
import { markOf } from '../../../src/observe/key-mark.ts'
import type { Cooldowns } from '../../../src/upstream/cooldowns.ts'
import {
  HealthView,
  healthView,
  LastFailureView,
  lastFailureView,
  type VisibleHealth,
} from '../../health/index.ts'

const KeyView = Type.Object({
  number: Type.Integer({ description: 'its number in the file, from 1' }),
  id: Type.String({ description: 'as the log names it: `google#1`' }),
  mark: Nullable(Type.String({ description: 'a fingerprint that identifies the key without revealing it' })),
  source: Type.String({
    description: '`env:NAME`, `file:PATH`, `in the file`, or `none` if the provider takes no key',
  }),
  state: OneOf(['ready', 'rejected', 'cooling', 'unset']),
  ...NullableTimeFields('ready'),
  failures: Type.Integer({ description: 'failures in a row' }),
  ...NullableTimeFields('failed'),
  failure_class: Nullable(Type.String()),
  words: Nullable(Type.String({ description: "the provider's message of the last failure" })),
  answered: Type.Integer({ description: 'attempts that were answered, since the start' }),
  failed: Type.Integer({ description: 'attempts that failed, since the start' }),
})

export const ProviderView = Type.Object({
  name: Type.String(),
  server: Nullable(Type.String({ description: 'title of its server, if known' })),
  protocol: Type.String(),
  base_url: Type.String(),
  responses: Type.Boolean(),
  state: OneOf(['ready', 'partly cooling', 'cooling', 'disabled']),
  why: Nullable(Type.String()),
  health: HealthView,
  last_failure: LastFailureView,
  place: Nullable(
    Type.Integer({
      description: 'in the file, from 0, for edits: ["providers", place]; null if the file has mistakes',
    }),
  ),
  settings: Type.Record(Type.String(), Type.Integer(), { description: 'times in milliseconds' }),
  headers: Type.Array(Type.String({ description: 'names only' })),
  keys: Type.Array(KeyView),
  routes: Type.Array(
    Type.Object({
      id: Type.String({ description: 'the model id that callers use' }),
      kind: Type.String(),
      model: Type.String({ description: "the provider's name for it" }),
      order: Type.Integer(),
      weight: Type.Integer(),
      health: HealthView,
    }),
  ),
})

interface ProviderContext extends Pick<VisibleHealth, 'health' | 'failures'> {
  cooldowns: Cooldowns
  now_ms: number
  /** Redacts secrets in a provider's messages. */
  publicWords: (words: string) => string
}

/** A provider's entry in the file. */
interface Entry {
  name: string
  place: number
  server: string | null
  protocol: string
  base_url: string
  /** Keys as written: `env:NAME`, or hidden. */
  api_keys: string[]
  headers: string[]
  why: string | undefined
}

/** Returns all providers: those in force, and disabled ones of the file. */
export function providersView(
  { providers, models }: Catalogue,
  file: ConfigurationFile,
  context: ProviderContext,
): Static<typeof ProviderView>[] {
  const { health, failures } = context
  const in_file = providersInFile(file)
  const disabled = in_file.filter(({ name }) => !providers.has(name))
  const routesTo = (name: string) =>
    [...models.values()].flatMap(({ id, kind, routes }) =>
      routes
        .filter(({ provider }) => provider === name)
        .map(({ model, order, weight }) => {
          const route_health = healthView(health.ofRoute(id, name, model))
          return { id, kind, model, order, weight, health: route_health }
        }),
    )
  const routesAndHealth = (name: string) => ({
    routes: routesTo(name),
    health: healthView(health.ofProvider(name)),
    last_failure: lastFailureView(failures, ({ provider }) => provider === name),
  })
  return [
    ...[...providers.values()].map((provider) => {
      const written = in_file.find(({ name }) => name === provider.name)
      return { ...activeView(provider, written, context), ...routesAndHealth(provider.name) }
    }),
    ...disabled.map((provider) => ({ ...disabledView(provider), ...routesAndHealth(provider.name) })),
  ]
}

type View = Omit<Static<typeof ProviderView>, 'routes' | 'health' | 'last_failure'>

function activeView(provider: Provider, written: Entry | undefined, context: ProviderContext): View {
  const numbers = provider.key_numbers ?? provider.api_keys.map((_, index) => index + 1)
  const keys = provider.api_keys.map((api_key, index) =>
    keyView(provider.name, { api_key, number: numbers[index] ?? index + 1 }, written, context),
  )
  const unset = (written?.api_keys ?? []).flatMap((source, index) =>
    numbers.includes(index + 1) || source === '' ? [] : [unsetKey(provider.name, index + 1, source)],
  )
  const cooling = keys.filter(({ ready_at_ms }) => ready_at_ms !== null).length
  const partly = cooling === 0 ? 'ready' : 'partly cooling'
  const { first_byte_timeout_ms, idle_timeout_ms, call_timeout_ms, cooldown_ms } = provider
  return {
    name: provider.name,
    server: serverTitle(provider),
    protocol: provider.protocol,
    base_url: provider.base_url,
    responses: provider.responses,
    state: cooling === keys.length ? 'cooling' : partly,
    why: null,
    place: written?.place ?? null,
    settings: { first_byte_timeout_ms, idle_timeout_ms, call_timeout_ms, cooldown_ms },
    headers: Object.keys(provider.headers),
    keys: [...keys, ...unset].sort((one, other) => one.number - other.number),
  }
}

function keyView(
  provider: string,
  { api_key, number }: { api_key: string; number: number },
  written: Entry | undefined,
  { cooldowns, health, now_ms, publicWords }: ProviderContext,
): Static<typeof KeyView> {
  const id = `${provider}#${number}`
  const cooldown = cooldowns.of(id)
  const is_cooling = cooldown !== undefined && cooldown.until_ms > now_ms
  const is_rejected = health.troubles.some(({ kind, subject }) => kind === 'key' && subject === id)
  const { reason } = cooldown ?? {}
  return {
    number,
    id,
    mark: api_key === '' ? null : markOf(api_key),
    source: api_key === '' ? 'none' : sourceOf(written?.api_keys[number - 1]),
    state: is_rejected ? 'rejected' : is_cooling ? 'cooling' : 'ready',
    ...time('ready', is_cooling ? cooldown.until_ms : null),
    failures: cooldown?.failures ?? 0,
    ...time('failed', cooldown?.failed_at_ms ?? null),
    failure_class: reason?.failure_class ?? null,
    words: reason ? publicWords(reason.message) : null,
    ...cooldowns.countsOf(id),
  }
}

/** Null for a simulated provider, which has no server. */
const serverTitle = (provider: ProviderAddress): string | null =>
  isSimulated(provider) ? null : (knownServerOf(provider)?.title ?? null)

const sourceOf = (written: string | undefined): string =>
  written !== undefined && /^(?:env|file):/.test(written) ? written : 'in the file'

const unsetKey = (provider: string, number: number, source: string): Static<typeof KeyView> => ({
  number,
  id: `${provider}#${number}`,
  mark: null,
  source,
  state: 'unset',
  ...time('ready', null),
  failures: 0,
  ...time('failed', null),
  failure_class: null,
  words: null,
  answered: 0,
  failed: 0,
})

const disabledView = ({ name, place, server, protocol, base_url, api_keys, headers, why }: Entry): View => ({
  name,
  server,
  protocol,
  base_url,
  responses: false,
  state: 'disabled',
  why: why ?? 'it is not in force yet: the file has changed, and is reloaded within a second or two',
  place,
  settings: {},
  headers,
  keys: api_keys.map((source, index) => unsetKey(name, index + 1, sourceOf(source))),
})

/** Empty if the file has mistakes: then it does not describe the catalogue in force. */
function providersInFile({ values, mistakes, warnings }: ConfigurationFile): Entry[] {
  if (!values || mistakes.length > 0 || !Array.isArray(values.providers)) return []
  return values.providers.map((block: Record<string, unknown>, place) => {
    const warned = warnings.find(
      ({ path, message }) => path.startsWith(`providers[${place}].`) && message.includes('is disabled'),
    )
    const written = writtenServer(block)
    const { protocol, base_url } = written
    return {
      name: String(block.name),
      place,
      server: serverTitle(written),
      protocol,
      base_url,
      api_keys: Array.isArray(block.api_keys) ? block.api_keys.map(String) : [],
      headers: Object.keys(block.headers ?? {}),
      why: warned && `it ${warned.message}`,
    }
  })
}
