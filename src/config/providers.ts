// The reading of a provider: its secrets from the environment, its address, and whether it may go without a key.
import type { Provider } from '../domain/catalogue.ts'
import type { Report } from './mistakes.ts'
import type { Protocols } from './protocols.ts'
import type { ProviderText } from './schema.ts'
import type { TomlPath } from './toml.ts'

/** The environment, as `process.env` has it. */
export type Environment = Readonly<Record<string, string | undefined>>

/** The `base_url` of the simulated providers. */
export const SIMULATOR = 'simulator'

/** https://platform.openai.com/docs/api-reference/responses, https://openrouter.ai/docs/api-reference/responses-api */
const SPEAKS_RESPONSES = /^https:\/\/(?:[\w-]+\.)?(?:api\.openai\.com|openrouter\.ai)(?:[/:]|$)/

/**
 * Reads a provider whose shape has been checked.
 *
 * @param path where the provider stands in the file
 * @returns the provider; meaningless where a mistake was reported
 */
export function readProvider(
  text: ProviderText,
  path: TomlPath,
  { env, protocols }: { env: Environment; protocols: Protocols },
  report: Report,
): Provider {
  return {
    name: text.name,
    protocol: text.protocol,
    responses: readResponses(text, [...path, 'responses'], report),
    base_url: readBaseUrl(text.base_url, [...path, 'base_url'], report),
    api_keys: readApiKeys(text, mayGoWithoutKey(text, protocols), [...path, 'api_keys'], env, report),
    headers: readHeaders(text.headers ?? {}, [...path, 'headers'], env, report),
    first_byte_timeout_ms: text.first_byte_timeout_ms,
    idle_timeout_ms: text.idle_timeout_ms,
    call_timeout_ms: text.call_timeout_ms,
    cooldown_ms: text.rest_ms ?? text.cooldown_ms,
  }
}

/** OpenAI, OpenRouter and the simulator speak responses without being told so. */
function readResponses(
  { protocol, base_url, responses }: ProviderText,
  path: TomlPath,
  report: Report,
): boolean {
  const speaks_chat = protocol === 'openai'
  if (responses && !speaks_chat) report(path, 'is for providers with protocol = "openai" only')
  return speaks_chat && (responses ?? (base_url === SIMULATOR || SPEAKS_RESPONSES.test(base_url)))
}

function readBaseUrl(text: string, path: TomlPath, report: Report): string {
  if (text === SIMULATOR) return text
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url) report(path, 'must be a complete address, such as "https://api.example.com/v1"')
  else if (url.username !== '' || url.password !== '')
    report(path, 'must not hold a user name or password: put the secret in api_keys or headers')
  else if (url.search !== '' || url.hash !== '')
    report(path, 'must end with its path: a query or a fragment cannot be kept')
  return text.replace(/\/+$/, '')
}

/** The one empty key of a provider that asks for none. */
const NO_KEY = ['' as string] as const

function readApiKeys(
  text: ProviderText,
  optional: boolean,
  path: TomlPath,
  env: Environment,
  report: Report,
): Provider['api_keys'] {
  if (text.api_keys === undefined) {
    if (!optional)
      report(path, 'is missing: write api_keys = ["env:NAME"], or api_keys = [] if the server takes no key')
    return NO_KEY
  }
  const [first, ...rest] = text.api_keys.map((key, index) => readSecret(key, [...path, index], env, report))
  return first === undefined ? NO_KEY : [first, ...rest]
}

function mayGoWithoutKey({ protocol, base_url }: ProviderText, protocols: Protocols): boolean {
  if (base_url === SIMULATOR) return true
  return protocols.get(protocol)?.keyless_over_http === true && base_url.startsWith('http://')
}

const FROM_ENVIRONMENT = 'env:'

/** White space around a secret is not part of it: files that fill an environment often end in a newline. */
function readSecret(text: string, path: TomlPath, env: Environment, report: Report): string {
  if (!text.startsWith(FROM_ENVIRONMENT)) {
    if (text.trim() === '') report(path, 'must not be empty: write "env:NAME" or the secret itself')
    return text.trim()
  }
  const name = text.slice(FROM_ENVIRONMENT.length)
  const secret = env[name]?.trim() ?? ''
  if (secret === '') report(path, `needs the environment variable ${name}, which is not set`)
  return secret
}

function readHeaders(
  texts: Readonly<Record<string, string>>,
  path: TomlPath,
  env: Environment,
  report: Report,
): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, text] of Object.entries(texts)) {
    const value = readSecret(text, [...path, name], env, report)
    if (!isHeader(name, value))
      report([...path, name], 'must be a name and a value that HTTP allows (RFC 9110)')
    headers[name] = value
  }
  return headers
}

function isHeader(name: string, value: string): boolean {
  try {
    new Headers([[name, value]])
    return true
  } catch {
    // The runtime refuses the name or the value; the caller reports it.
    return false
  }
}
