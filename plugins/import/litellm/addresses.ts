// The address of a deployment as a provider of the catalogue: its server, or its protocol and base URL, and the model's id there.
import type { TomlValue } from '../../../src/catalogue/toml-write.ts'
import { KNOWN_SERVERS } from '../../../src/domain/servers/table.ts'
import { withoutTrailing } from '../../../src/utilities/text-ends.ts'
import { hyphenated } from '../taken-names.ts'
import type { Deployment, Settings } from './deployments.ts'
import { PREFIXES, type Prefix, protocolFor } from './prefixes.ts'
import { textOf } from './values.ts'

/** A provider without its name, keys and headers. */
export interface Address {
  readonly fields: { readonly [field: string]: TomlValue }
  /** The provider's id of the model. */
  readonly model: string
  /** The model behind `model`, if the operator chose that name. */
  readonly generation?: string
  /** The name that the provider gets if it is free. */
  readonly name: string
  readonly prefix: Prefix
}

type AddressOrReason = Address | { readonly reason: string }

/** @returns the address, or the reason why the catalogue cannot have it */
export function addressOf(deployment: Deployment, settings: Settings): AddressOrReason {
  const prefix = PREFIXES.get(deployment.prefix)
  if (!prefix) return { reason: `Tollgate does not support the provider "${deployment.prefix}".` }
  const written = settings.read(deployment.params.api_base ?? deployment.params.base_url)
  if (written.missing !== undefined) return unsetReason(written.missing, 'its address')
  const variable = settings.firstSet(prefix.base_variables ?? [])
  const base =
    written.text ?? (variable === undefined ? undefined : settings.read(`os.environ/${variable}`).text)
  if (base !== undefined && !isAddress(base))
    return {
      reason:
        'Its api_base is not an address that begins with https:// or http://, without user name and query. Correct it.',
    }
  const place: AddressParts = { deployment, settings, prefix, base }
  if (deployment.prefix === 'azure' || deployment.prefix === 'azure_text') return azureAddress(place)
  if (prefix.server !== undefined) return knownAddress(place, prefix.server)
  return otherAddress(place)
}

interface AddressParts {
  readonly deployment: Deployment
  readonly settings: Settings
  readonly prefix: Prefix
  readonly base: string | undefined
}

const unsetReason = (variable: string, what: string): { reason: string } => ({
  reason: `The environment variable ${variable} holds ${what} and is not set here. Set it, and import again.`,
})

const isAddress = (text: string): boolean => /^https?:\/\/[^@?#]+$/.test(text) && URL.canParse(text)

/** Values of api_version that select the newer addresses, which have no version in the query: https://docs.litellm.ai/docs/providers/azure */
const NEWER_VERSIONS = ['v1', 'latest', 'preview']
const VERSION = /^\d{4}-\d{2}-\d{2}(-preview)?$/
/** LiteLLM's default version: litellm 1.72.6 __init__.py. */
const DEFAULT_VERSION = '2025-02-01-preview'

function azureAddress({ deployment, settings, prefix, base }: AddressParts): AddressOrReason {
  if (base === undefined) return { reason: 'It has no api_base. Write the address of your Azure resource.' }
  const version = settings.read(deployment.params.api_version)
  if (version.missing !== undefined) return unsetReason(version.missing, 'its api_version')
  const api_version = version.text ?? settings.read('os.environ/AZURE_API_VERSION').text ?? DEFAULT_VERSION
  const is_newer = NEWER_VERSIONS.includes(api_version) || /\/openai\/v1\/?$/.test(base)
  if (!is_newer && !VERSION.test(api_version))
    return { reason: 'Its api_version is not a date, such as "2024-10-21". Correct it.' }
  const [, resource] =
    /^https:\/\/([A-Za-z0-9-]+)\.openai\.azure\.com\/?(?:openai(?:\/v1)?\/?)?$/.exec(base) ?? []
  const root = base.replace(/\/(?:openai(?:\/v1)?\/?)?$/, '')
  const place = resource === undefined ? { base_url: `${root}/openai${is_newer ? '/v1' : ''}` } : { resource }
  const fields = { server: 'azure', ...place, ...(is_newer ? {} : { api_version }) }
  return { fields, model: deployment.model, ...generationOf(deployment), name: 'azure', prefix }
}

/** Reads the model of a deployment from `base_model`, such as `azure/gpt-4o`. */
function generationOf({ info, params, model }: Deployment): { generation?: string } {
  const base_model = textOf(info.base_model) ?? textOf(params.base_model)
  const generation = base_model?.slice(base_model.lastIndexOf('/') + 1)
  return generation === undefined || generation === model ? {} : { generation }
}

const IN_FRONT_OF_BEDROCK = /^(?:(?:converse|converse_like|invoke)\/)?(?:([a-z]{2}(?:-[a-z]+)+-\d)\/)?/
const REGION_VARIABLES = ['AWS_REGION_NAME', 'AWS_REGION', 'AWS_DEFAULT_REGION']

function knownAddress(place: AddressParts, server: string): AddressOrReason {
  const { deployment, prefix, base } = place
  const { model, in_path } = modelAt(server, deployment.model)
  const protocol = protocolFor(server, model)
  if (server === 'vertex' && !/^(?:gemini|claude)/i.test(model))
    return {
      reason: 'Tollgate serves only Gemini and Claude from Vertex AI. Use another provider for this model.',
    }
  const is_main = protocol === undefined || protocol === mainProtocol(server)
  const protocol_field = is_main ? {} : { protocol }
  const common = {
    model,
    prefix,
    name: is_main ? server : `${server}-${protocol}`,
    ...generationOf(deployment),
  }
  if (server === 'bedrock' && base === undefined) {
    const region = regionOf(place, ['aws_region_name'], REGION_VARIABLES)
    if ('reason' in region) return region
    const at = in_path ?? region.region
    if (at === undefined)
      return { reason: 'It has no aws_region_name. Write the region of its models, or set AWS_REGION.' }
    return { ...common, fields: { server, ...protocol_field, region: at } }
  }
  if (server === 'vertex' && base === undefined) {
    const region = regionOf(
      place,
      ['vertex_location', 'vertex_ai_location'],
      ['VERTEXAI_LOCATION', 'VERTEX_LOCATION'],
    )
    if ('reason' in region) return region
    const at = region.region === undefined ? {} : { region: region.region }
    return { ...common, fields: { server, ...protocol_field, ...at } }
  }
  if (server === 'foundry') return foundryAddress(place, { ...common, fields: { server, ...protocol_field } })
  const url = base === undefined ? undefined : ownAddress(server, base)
  // A server at another address is not OpenAI itself: it gets OpenAI's protocol and a base_url, not OpenAI's settings.
  if (server === 'openai' && url !== undefined && !isHostOf(server, url))
    return { ...common, name: hostName(url), fields: { protocol: 'openai', base_url: url } }
  return { ...common, fields: { server, ...protocol_field, ...(url === undefined ? {} : { base_url: url }) } }
}

const mainProtocol = (server: string): string => Object.keys(KNOWN_SERVERS.get(server)?.speaks ?? {})[0] ?? ''

const isHostOf = (server: string, url: string): boolean =>
  KNOWN_SERVERS.get(server)?.hosts?.test(new URL(url).hostname) === true

function modelAt(server: string, written: string): { model: string; in_path?: string } {
  if (server !== 'bedrock') return { model: written }
  const [front = '', in_path] = IN_FRONT_OF_BEDROCK.exec(written) ?? []
  const model = written.slice(front.length)
  return in_path === undefined ? { model } : { model, in_path }
}

function regionOf(
  { deployment, settings }: AddressParts,
  names: readonly string[],
  variables: readonly string[],
): { region?: string } | { reason: string } {
  const name = names.find((each) => textOf(deployment.params[each]) !== undefined)
  const variable = settings.firstSet(variables)
  const written =
    name === undefined
      ? variable === undefined
        ? undefined
        : `os.environ/${variable}`
      : deployment.params[name]
  const { text, missing } = settings.read(written)
  if (missing !== undefined) return unsetReason(missing, 'its region')
  return text === undefined ? {} : { region: text }
}

function foundryAddress({ base }: AddressParts, address: Address): AddressOrReason {
  if (base === undefined) return { reason: 'It has no api_base. Write the address of your Foundry resource.' }
  const [, resource] = /^https:\/\/([A-Za-z0-9-]+)\.services\.ai\.azure\.com(?:\/.*)?$/.exec(base) ?? []
  const where = resource === undefined ? { base_url: withoutTrailing(base, '/') } : { resource }
  return { ...address, fields: { ...address.fields, ...where } }
}

/** LiteLLM's address of Ollama has no version, Tollgate's has one: https://docs.ollama.com/api/openai-compatibility */
function ownAddress(server: string, base: string): string {
  const url = withoutTrailing(base, '/')
  if (server === 'ollama') return /\/v1$/.test(url) ? url : `${url}/v1`
  if (server === 'anthropic') return url.replace(/\/v1(?:\/messages)?$/, '')
  return url
}

/** Cohere's OpenAI-compatible endpoints have no rerank: https://docs.cohere.com/reference/rerank */
const COHERE_RERANK_URL = 'https://api.cohere.com/v2'

function otherAddress({ deployment, prefix, base }: AddressParts): AddressOrReason {
  const is_cohere_rerank = deployment.prefix.startsWith('cohere') && isRerank(deployment)
  const url = base ?? (is_cohere_rerank ? COHERE_RERANK_URL : prefix.base_url)
  if (url === undefined || url === '')
    return { reason: 'It has no api_base. Write the address of the server, with its version.' }
  return {
    fields: { protocol: 'openai', base_url: withoutTrailing(url, '/') },
    model: deployment.model,
    ...generationOf(deployment),
    name:
      prefix.base_url === '' || base !== undefined ? hostName(url) : deployment.prefix.replaceAll('_', '-'),
    prefix,
  }
}

const isRerank = ({ info, model }: Deployment): boolean =>
  textOf(info.mode) === 'rerank' || model.startsWith('rerank')

/** A provider's name, made from its host: "llm-example-com". */
const hostName = (url: string): string => hyphenated(new URL(url).hostname) || 'server'
