// Reads a provider: its secrets from the environment, its URL, and whether it may have no key.

import type { Provider } from '../domain/catalogue.ts'
import { KNOWN_SERVERS } from '../domain/servers/table.ts'
import { isServiceAccount, readServiceAccount } from '../domain/service-account.ts'
import { FROM_FILE, keyFileIn, type ReadKeyFile } from './key-files.ts'
import type { Report } from './mistakes.ts'
import type { Protocols } from './protocols.ts'
import type { ProviderText } from './schema.ts'
import { isSimulated, readServed, type Served } from './served.ts'
import type { TomlPath } from './toml.ts'

/** Environment variables, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>

interface ReadProvider {
  /** Meaningless if a mistake was reported. */
  provider: Provider
  /** The missing environment variables that disable it; empty if it is enabled. */
  missing: readonly string[]
}

interface ProviderContext {
  env: Environment
  protocols: Protocols
  read_key_file: ReadKeyFile
  report: Report
  /** Reports warnings, which are no mistakes. */
  warn: Report
}

/**
 * Reads a provider that matches its schema. A key whose environment variable is not set is left out. A provider without
 * another key, or with a header of such a variable, is disabled.
 *
 * @param path of the provider in the file
 */
export function readProvider(text: ProviderText, path: TomlPath, context: ProviderContext): ReadProvider {
  const served = readServed(text, path, context)
  const { keys, key_numbers, unset } = readApiKeys(text, served, [...path, 'api_keys'], context)
  const headers = readHeaders(text.headers ?? {}, [...path, 'headers'], context)
  const [first, ...rest] = keys
  const missing = first === undefined ? [...unset, ...headers.unset] : headers.unset
  warnOfUnusable([...unset, ...headers.unset], text.name, missing.length > 0, context)
  const { rest_ms, server: _, ...settings } = text
  checkFields(text, path, context)
  const { protocol, server, base_url, key_header } = served
  const responses = readResponses(text.responses, served, [...path, 'responses'], context)
  if (responses) warnOfStored(text, path, context)
  const provider: Provider = {
    ...settings,
    protocol,
    ...(server === undefined ? {} : { server }),
    key_header,
    responses,
    base_url,
    api_keys: first === undefined ? NO_KEY : [first, ...rest],
    ...(unset.length > 0 ? { key_numbers } : {}),
    headers: headers.values,
    cooldown_ms: rest_ms ?? settings.cooldown_ms,
  }
  return { provider, missing: missing.map(({ variable }) => variable) }
}

/** The fields that determine the price of a call. With another value than the held one a provider could bill more. */
const PRICED_FIELDS = new Set(
  `model stream messages contents input prompt system instructions tools max_tokens max_completion_tokens max_output_tokens
  maxOutputTokens n best_of candidateCount generationConfig generation_config service_tier serviceTier`.split(
    /\s+/,
  ),
)
/** Nested fields that determine the price, in both spellings. */
const PRICED_PATH =
  /^generation(?:Config|_config)\.(?:max(?:OutputTokens|_output_tokens)|candidate(?:Count|_count))$/

function checkFields(
  { drop_fields = [], set_fields = {} }: ProviderText,
  path: TomlPath,
  { report }: ProviderContext,
): void {
  const mistake = (name: string, verb: string) =>
    `cannot ${verb} "${name}": a call is priced by it, or is made of it. Leave it out`
  for (const [index, name] of drop_fields.entries())
    if (PRICED_FIELDS.has(name) || PRICED_PATH.test(name))
      report([...path, 'drop_fields', index], mistake(name, 'drop'))
  for (const name of Object.keys(set_fields)) {
    if (PRICED_FIELDS.has(name)) report([...path, 'set_fields', name], mistake(name, 'set'))
    else if (JSON.stringify(set_fields[name]) === undefined)
      report([...path, 'set_fields', name], 'must be a value that JSON has')
  }
}

/** https://platform.openai.com/docs/api-reference/responses/create: `store` is true by default. */
function warnOfStored({ drop_fields = [] }: ProviderText, path: TomlPath, { warn }: ProviderContext): void {
  const index = drop_fields.indexOf('store')
  if (index >= 0)
    warn(
      [...path, 'drop_fields', index],
      'makes the provider store every response, because the gateway tells it by "store" not to. Leave it out, or set responses = false',
    )
}

/** A reference in the file to a variable that is not set, a file that cannot be read, or an unusable key. */
interface UnusableReference {
  path: TomlPath
  /** The name of the variable, or `file:PATH`; for an unusable key the reference as written, also `env:NAME`. */
  variable: string
  /** The reason why the file cannot be read. */
  unreadable?: string
  /** The fault of an unusable key, as a sentence without its subject. */
  problem?: string
}

function warnOfUnusable(
  all: readonly UnusableReference[],
  name: string,
  is_disabled: boolean,
  { warn }: ProviderContext,
): void {
  const so = is_disabled ? `the provider "${name}" is disabled` : 'this key is left out'
  for (const unset of all) warnUnusable(unset, so, warn)
}

/** @param so the consequence, as a sentence */
export function warnUnusable(unset: UnusableReference, so: string, warn: Report): void {
  const { path, variable, unreadable, problem } = unset
  if (problem !== undefined) {
    warn(path, `names a key that cannot be used: ${so}. ${variable} ${problem}`)
    return
  }
  const [what, fix] =
    unreadable === undefined
      ? [`the environment variable ${variable}, which is not set`, 'Set it, and start again']
      : [
          `the file ${variable.slice(FROM_FILE.length)}, which cannot be read (${unreadable})`,
          'Put it there, readable for the user that runs the gateway',
        ]
  warn(path, `needs ${what}: ${so}. ${fix}`)
}

const ONLY_OPENAI = 'is for providers with protocol = "openai" only'

/** By default its server determines it. */
function readResponses(
  responses: boolean | undefined,
  served: Served,
  path: TomlPath,
  { protocols, report }: ProviderContext,
): boolean {
  const speaksResponses = protocols.get(served.protocol)?.speaksResponses
  if (responses && !speaksResponses) report(path, ONLY_OPENAI)
  return speaksResponses !== undefined && (responses ?? speaksResponses(served))
}

/** The single empty key of a provider that requires none. */
const NO_KEY = ['' as string] as const

function readApiKeys(
  text: ProviderText,
  served: Served,
  path: TomlPath,
  context: ProviderContext,
): { keys: string[]; key_numbers: number[]; unset: UnusableReference[] } {
  const keys: string[] = []
  const key_numbers: number[] = []
  const unset: UnusableReference[] = []
  if (text.api_keys === undefined && !mayGoWithoutKey(served, context.protocols))
    context.report(
      path,
      'is missing: write api_keys = ["env:NAME"], or api_keys = [] if the server takes no key',
    )
  for (const [index, written] of (text.api_keys ?? []).entries()) {
    const key = readKey(written, served, [...path, index], context)
    if (typeof key === 'string') {
      keys.push(key)
      key_numbers.push(index + 1)
    } else unset.push(key)
  }
  return { keys, key_numbers, unset }
}

function mayGoWithoutKey(served: Served, protocols: Protocols): boolean {
  if (isSimulated(served)) return true
  return protocols.get(served.protocol)?.keyless_over_http === true && served.base_url.startsWith('http://')
}

/** @returns as `readSecret` */
function readKey(
  written: string,
  { server, protocol }: Pick<Served, 'server' | 'protocol'>,
  path: TomlPath,
  context: ProviderContext,
): string | UnusableReference {
  const takes_accounts = server !== undefined && KNOWN_SERVERS.get(server)?.takes_accounts === true
  const file = keyFileIn(written)
  if (file === undefined && written.trim().toLowerCase().startsWith(FROM_FILE)) context.report(path, NO_PATH)
  const key = file === undefined ? readSecret(written, path, context) : readFromFile(file, path, context)
  if (typeof key !== 'string') return key
  if (!takes_accounts) {
    if (file !== undefined || isServiceAccount(key)) context.report(path, ONLY_VERTEX)
    return key
  }
  const problem = accountProblem(key, file !== undefined || protocol !== 'gemini')
  if (problem === undefined) return key
  // A file or variable can change between two starts, so its fault only disables the provider.
  if (file !== undefined || isFromEnvironment(written)) return { path, variable: written.trim(), problem }
  context.report(path, problem)
  return key
}

/** Returns the fault of a key of a server that accepts service accounts. @param must_be_account whether an API key is a fault, too */
function accountProblem(key: string, must_be_account: boolean): string | undefined {
  if (!isServiceAccount(key))
    return must_be_account ? "must be the JSON file of a service account's key" : undefined
  const account = readServiceAccount(key)
  return 'problem' in account ? account.problem : undefined
}

const NO_PATH = 'must be "file:" and the path of a file, without braces and quotes'
const ONLY_VERTEX =
  'is for server = "vertex", which takes service accounts: write the key itself, or "env:NAME"'

function readFromFile(
  file: string,
  path: TomlPath,
  { read_key_file }: Pick<ProviderContext, 'read_key_file'>,
): string | UnusableReference {
  const read = read_key_file(file)
  return 'text' in read ? read.text : { path, variable: `${FROM_FILE}${file}`, ...read }
}

const FROM_ENVIRONMENT = 'env:'
const isFromEnvironment = (text: string): boolean => text.startsWith(FROM_ENVIRONMENT)
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/
/** The syntax of variables in shells and other gateways, which would otherwise be sent as the secret itself. */
const FOREIGN_VARIABLE =
  /^(?:%(\w+)%|(?:env:|env\.|secret:|\$|\$\{|\$\{env:|os\.environ\/|process\.env\.|\{env:|\{env\.)\s*([A-Za-z_]\w*)(?::?[-?=+][^}]*)?\}?)$/i

/**
 * Reads a secret, without white space around it, since environment files often end in a newline.
 *
 * @returns the secret, or the reference to a variable that is not set
 */
export function readSecret(
  text: string,
  path: TomlPath,
  { env, report }: Pick<ProviderContext, 'env' | 'report'>,
): string | UnusableReference {
  if (!isFromEnvironment(text)) {
    const [, windows, variable = windows] = FOREIGN_VARIABLE.exec(text.trim()) ?? []
    if (text.trim() === '') report(path, 'must not be empty: write "env:NAME" or the secret itself')
    else if (variable !== undefined)
      report(path, `would be the secret itself: write "env:${variable}" for the environment variable`)
    return text.trim()
  }
  const variable = text.slice(FROM_ENVIRONMENT.length).trim()
  if (!VARIABLE.test(variable)) {
    report(path, 'must name an environment variable after "env:", such as "env:GEMINI_API_KEY"')
    return ''
  }
  const secret = env[variable]?.trim() ?? ''
  return secret === '' ? { path, variable } : secret
}

/** Reads the headers of each request, without those whose variable is not set. */
export function readHeaders(
  texts: Readonly<Record<string, string>>,
  path: TomlPath,
  context: Pick<ProviderContext, 'env' | 'report'>,
): { values: Record<string, string>; unset: UnusableReference[] } {
  const values: Record<string, string> = {}
  const unset: UnusableReference[] = []
  for (const [name, text] of Object.entries(texts)) {
    const value = readSecret(text, [...path, name], context)
    if (typeof value !== 'string') {
      unset.push(value)
      continue
    }
    if (!isHeader(name, value))
      context.report([...path, name], 'must be a name and a value that HTTP allows (RFC 9110)')
    values[name] = value
  }
  return { values, unset }
}

/** Whether HTTP allows a name and a value (RFC 9110). */
function isHeader(name: string, value: string): boolean {
  try {
    new Headers([[name, value]])
    return true
  } catch {
    // Dropped: the name or the value is invalid, which the caller reports.
    return false
  }
}
