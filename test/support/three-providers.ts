// A scene with three providers, one for each protocol, who replay recordings; and models of each, at one price.
import type { BuiltInProtocol } from '../../src/protocols/registry.ts'
import { fileScene, type Scene, type SceneOptions } from './scene.ts'
import { modelSection, providerSection } from './sections.ts'

export const PROTOCOLS: readonly BuiltInProtocol[] = ['gemini', 'anthropic', 'openai']

/** A model of each provider, with the same name for callers and the provider. */
export const MODELS: Readonly<Record<BuiltInProtocol, string>> = {
  gemini: 'gemini-2.5-flash',
  anthropic: 'claude-haiku-4-5',
  openai: 'gpt-5',
}
/** The same models under other names for callers. */
export const ALIASES: Readonly<Record<BuiltInProtocol, string>> = {
  gemini: 'our-gemini',
  anthropic: 'our-claude',
  openai: 'our-gpt',
}
/** A model with routes to two providers: first to Anthropic's, then to OpenAI's. */
export const TWO_PROVIDERS = 'two-providers'

/** USD per million tokens. */
const PRICE = 'input = 1, output = 4, cache_read = 0.1, cache_write_5m = 1.25, cache_write_1h = 2'

/** The same, in nano-dollars per token. */
export const INPUT_NANOS = 1_000
export const OUTPUT_NANOS = 4_000
export const CACHE_READ_NANOS = 100
export const CACHE_WRITE_5M_NANOS = 1_250
export const CACHE_WRITE_1H_NANOS = 2_000

const providerOf = (protocol: BuiltInProtocol, url: string): string =>
  providerSection(
    protocol,
    protocol,
    `${url}/${protocol}${protocol === 'openai' ? '/v1' : ''}`,
    'cooldown_ms = 0',
  )

const modelOf = (id: string, ...routes: readonly BuiltInProtocol[]): string =>
  modelSection(id, Object.fromEntries(routes.map((to) => [to, MODELS[to]])), {
    price: PRICE,
    more: 'max_output_tokens = 16384',
  })

/** The id of a model whose provider has only 60 ms to answer. */
export const hastyModel = (protocol: BuiltInProtocol): string => `hasty-${protocol}`

const HASTY = 'call_timeout_ms = 60\nfirst_byte_timeout_ms = 60\ncooldown_ms = 0'
const hasty = (protocol: BuiltInProtocol, url: string): string =>
  providerSection(`hasty-${protocol}`, protocol, `${url}/${protocol}`, HASTY, []) +
  modelSection(hastyModel(protocol), { [`hasty-${protocol}`]: MODELS[protocol] })

/** An account of this name may make one request per minute. */
export const limitedAccount = (protocol: BuiltInProtocol): string => `limited-${protocol}`

const catalogueOf = (url: string, server: string): string =>
  [
    `[server]\nlog_level = "debug"\n${server}`,
    ...PROTOCOLS.map((protocol) => providerOf(protocol, url)),
    ...PROTOCOLS.flatMap((to) => [modelOf(MODELS[to], to), modelOf(ALIASES[to], to)]),
    modelOf(TWO_PROVIDERS, 'anthropic', 'openai'),
    ...PROTOCOLS.map((protocol) => hasty(protocol, url)),
    modelSection('retired', { gemini: 'x' }, { price: PRICE, more: 'retired = true' }),
    ...PROTOCOLS.map((protocol) => `[limits.accounts.${limitedAccount(protocol)}]\nrequests_per_minute = 1`),
  ].join('\n')

/** The scene, shared by all tests of a file. */
export const threeProviders = ({
  server = '',
  ...options
}: Omit<SceneOptions, 'catalogue'> = {}): Promise<Scene> =>
  fileScene({ ...options, catalogue: (url) => catalogueOf(url, server) })
