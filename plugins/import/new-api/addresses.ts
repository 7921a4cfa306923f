// The address of a channel, as fields of a provider in the catalogue.
import type { TomlValue } from '../../../src/catalogue/toml-write.ts'
import { writtenServer } from '../../../src/domain/servers/lookup.ts'
import type { SourceRow } from '../source/rows.ts'
import { type ChannelType, channelTypeOf } from './channel-types.ts'
import type { Program } from './ratios.ts'
import { parseJsonObject, textOf, wholeOf } from './values.ts'

export interface Place {
  readonly fields: { readonly [field: string]: TomlValue }
  readonly protocol: 'openai' | 'anthropic' | 'gemini'
  /** The kinds of models served there; undefined: all of the protocol. */
  readonly kinds?: readonly string[]
  /** Returns the provider's name of a model, and the model behind it if that is a deployment's name. */
  modelOf?(model: string): { model: string; generation?: string }
}

type Placed = Place | { readonly reason: string }

/** Kinds of models that Tollgate serves by protocol (plugins/catalogue/providers.md). */
export const KINDS_OF_PROTOCOL: Readonly<Record<Place['protocol'], readonly string[]>> = {
  openai: ['text', 'embedding', 'image', 'speech', 'transcription', 'moderation', 'rerank'],
  anthropic: ['text'],
  gemini: ['text', 'embedding', 'image'],
}

/** Returns the address of a channel for one of its models: Vertex AI has several. @param model the provider's name */
export function placeOf(program: Program, row: SourceRow, model: string): Placed {
  const type = channelTypeOf(program, wholeOf(row, 'type'))
  if ('reason' in type) return type
  const written = textOf(row, 'base_url')
  const plan = program === 'new-api' ? PLANS[written] : undefined
  if (plan !== undefined)
    return { protocol: 'openai', fields: { protocol: 'openai', base_url: plan }, kinds: ['text'] }
  const own = parseAddress(written)
  if (typeof own === 'object') return own
  if ('special' in type) return special(type.special, program, row, own, model)
  return plain(type, own)
}

/** Words that stand for an address with its version: constant/channel.go of new-api, ChannelSpecialBases. */
const PLANS: Readonly<Record<string, string>> = {
  'glm-coding-plan': 'https://open.bigmodel.cn/api/coding/paas/v4',
  'glm-coding-plan-international': 'https://api.z.ai/api/coding/paas/v4',
  'kimi-coding-plan': 'https://api.kimi.com/coding/v1',
  'doubao-coding-plan': 'https://ark.cn-beijing.volces.com/api/coding/v3',
}

/** Returns the address without a trailing slash. @returns a reason if it is not valid */
function parseAddress(text: string): string | { readonly reason: string } {
  if (text === '') return ''
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol))
    return { reason: 'Its address does not begin with http:// or https://.' }
  if (url.username !== '' || url.search !== '' || url.hash !== '')
    return { reason: 'Its address has a password, a query or a fragment. Add a provider without it by hand.' }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '')
}

function plain(type: Extract<ChannelType, { protocol: string }>, own: string): Placed {
  const { protocol, server, address, path, kinds } = type
  const base = own === '' ? address : own
  if (base === undefined) return { reason: 'It has no address. Set its base_url in the source.' }
  const version = protocol === 'openai' ? path : ''
  // Some addresses already end in the version, and the program doubles it. A server that accepts that also accepts a single one.
  const bare = protocol === 'openai' ? base : base.replace(/\/v1(?:beta)?$/, '')
  const base_url = version !== '' && bare.endsWith(version) ? bare : `${bare}${version}`
  const is_servers_own =
    server !== undefined && isSameAddress(writtenServer({ server, protocol }).base_url, base_url)
  // Another company's compatible server may be behind the address of a channel for one of `IMITATED`.
  const keeps_server =
    server !== undefined && (is_servers_own || base === address || !IMITATED.includes(server))
  return {
    protocol,
    fields: {
      ...(keeps_server ? { server } : { protocol }),
      ...(is_servers_own ? {} : { base_url }),
    },
    ...(kinds === undefined ? {} : { kinds }),
  }
}

const IMITATED = ['openai', 'anthropic', 'google']

/** `localhost` is 127.0.0.1. DeepSeek accepts its address with and without the version. */
const isSameAddress = (one: string, other: string): boolean => comparable(one) === comparable(other)

const comparable = (address: string): string =>
  address.replace('//localhost', '//127.0.0.1').replace(/^(https:\/\/api\.deepseek\.com)\/v1$/, '$1')

function special(
  name: 'azure' | 'vertex' | 'cloudflare' | 'custom',
  program: Program,
  row: SourceRow,
  own: string,
  model: string,
): Placed {
  const config = parseJsonObject(textOf(row, 'config')) ?? {}
  const other = textOf(row, 'other')
  if (name === 'azure') return azure(program, row, own, other || String(config.api_version ?? ''))
  if (name === 'vertex') return vertex(other || String(config.region ?? ''), model)
  if (name === 'custom') return custom(program, own)
  const account = other || String(config.user_id ?? '')
  if (!/^[\w-]+$/.test(account)) return { reason: 'It has no Cloudflare account. Add a provider by hand.' }
  const base_url = `${own || 'https://api.cloudflare.com'}/client/v4/accounts/${account}/ai/v1`
  return { protocol: 'openai', fields: { protocol: 'openai', base_url }, kinds: ['text', 'embedding'] }
}

/** 10 May 2025: newer channels keep dots in model names (new-api constant/azure.go). one-api removes them in all channels. */
const KEEPS_DOTS_SINCE_S = Date.UTC(2025, 4, 10) / 1000
const API_VERSION = /^\d{4}-\d{2}-\d{2}(?:-preview)?$/

function azure(program: Program, row: SourceRow, own: string, version: string): Placed {
  const [, resource] = /^https:\/\/([A-Za-z0-9][A-Za-z0-9-]*)\.openai\.azure\.com$/.exec(own) ?? []
  if (own === '') return { reason: 'It has no address. Set its base_url in the source.' }
  const api_version = API_VERSION.test(version) ? { api_version: version } : {}
  const keeps_dots = program === 'new-api' && wholeOf(row, 'created_time') >= KEEPS_DOTS_SINCE_S
  return {
    protocol: 'openai',
    fields: {
      server: 'azure',
      ...(resource === undefined
        ? { base_url: `${own}/openai${'api_version' in api_version ? '' : '/v1'}` }
        : { resource }),
      ...api_version,
    },
    modelOf: (name) => {
      const deployment = keeps_dots ? name : name.replaceAll('.', '')
      return deployment === name ? { model: name } : { model: deployment, generation: name }
    },
  }
}

/** @param written a region, or JSON with a region for each model and a `default` */
function vertex(written: string, model: string): Placed {
  const by_model = parseJsonObject(written)
  const region = by_model ? String(by_model[model] ?? by_model.default ?? '') : written
  if (region !== '' && !/^[a-z][a-z0-9-]*$/.test(region)) return { reason: 'Its region is not valid.' }
  const is_claude = /claude/.test(model)
  if (!is_claude && !/^gemini/.test(model))
    return { reason: 'Tollgate serves only Gemini and Claude from Vertex AI.' }
  const at = region === '' || region === 'global' ? {} : { region }
  if (!is_claude) return { protocol: 'gemini', fields: { server: 'vertex', ...at }, kinds: ['text', 'image'] }
  return {
    protocol: 'anthropic',
    fields: { server: 'vertex', protocol: 'anthropic', ...at },
    // claude-3-5-sonnet-20241022 is claude-3-5-sonnet@20241022 there.
    modelOf: (name) => ({ model: name.replace(/-(\d{8})$/, '@$1') }),
  }
}

/** new-api calls the address unchanged, so it serves only chat completions; one-api adds /v1. */
function custom(program: Program, own: string): Placed {
  if (own === '') return { reason: 'It has no address. Set its base_url in the source.' }
  if (program === 'one-api') return plain({ title: 'custom', protocol: 'openai', path: '/v1' }, own)
  const ending = '/chat/completions'
  if (!own.endsWith(ending) || own.includes('{'))
    return { reason: `Its address does not end in ${ending}. Add a provider by hand.` }
  return {
    protocol: 'openai',
    fields: { protocol: 'openai', base_url: own.slice(0, -ending.length) },
    kinds: ['text'],
  }
}
