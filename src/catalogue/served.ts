// Reads a provider's server: its protocol, its URL, and the fields that the URL is built from.
import type { Provider } from '../domain/catalogue.ts'
import { FIELD_WORDS, type FieldWords } from '../domain/servers/field-words.ts'
import {
  type KeyHeader,
  type KnownServer,
  SERVER_FIELDS,
  type ServerField,
} from '../domain/servers/known-server.ts'
import { accessOf, knownServerOf, mainProtocolOf, serverCalled } from '../domain/servers/lookup.ts'
import { KNOWN_SERVERS } from '../domain/servers/table.ts'
import { withoutTrailing } from '../utilities/text-ends.ts'
import { listed, type Report, unknown } from './mistakes.ts'
import type { Protocols } from './protocols.ts'
import type { ProviderText } from './schema.ts'
import type { TomlPath } from './toml.ts'

/** The `base_url` of simulated providers. */
export const SIMULATOR = 'simulator'

export const isSimulated = ({ base_url }: Pick<Provider, 'base_url'>): boolean =>
  base_url === SIMULATOR || base_url.startsWith(`${SIMULATOR}/`)

/** The server that simulated providers of its protocol imitate by default. */
const SIMULATED_SERVER = 'openai'

/** The identity of a provider. Meaningless if a mistake was reported. */
export interface Served {
  readonly protocol: string
  readonly server: string | undefined
  readonly base_url: string
  readonly key_header: KeyHeader
}

interface ServedContext {
  protocols: Protocols
  report: Report
  warn: Report
}

/** @param path of the provider in the file */
export function readServed(text: ProviderText, path: TomlPath, context: ServedContext): Served {
  const row = readServer(text, [...path, 'server'], context.report)
  const protocol = readProtocol(text, row, [...path, 'protocol'], context)
  checkFields(text, row, path, context.report)
  const own_header = context.protocols.get(protocol)?.key_header ?? 'authorization'
  if (text.base_url === SIMULATOR)
    return {
      ...simulated(text, protocol, row, [...path, 'server'], context.report),
      protocol,
      key_header: own_header,
    }
  const base_url =
    text.base_url === undefined
      ? ownAddress(text, protocol, row, [...path, 'base_url'], context.report)
      : readBaseUrl(text.base_url, protocol, [...path, 'base_url'], context)
  const { server } = text
  const known = knownServerOf({ protocol, base_url, server })
  const key_header = (known && accessOf(known, protocol)?.key_header) ?? own_header
  return { protocol, server, base_url, key_header }
}

const NAMES = [...KNOWN_SERVERS.keys()]
const SIMULATED_NAMES = [...KNOWN_SERVERS].flatMap(([name, row]) => (row.simulated ? name : []))
const NAME_ONE = 'or name a known server, such as server = "mistral"'

function readServer({ server }: ProviderText, path: TomlPath, report: Report): KnownServer | undefined {
  if (server === undefined) return undefined
  const row = KNOWN_SERVERS.get(server)
  const meant = row ? undefined : serverCalled(server)
  if (meant !== undefined) report(path, `unknown server; did you mean "${meant}"?`)
  else if (!row) report(path, unknown('server', server, NAMES))
  return row
}

function readProtocol(
  { protocol, server }: ProviderText,
  row: KnownServer | undefined,
  path: TomlPath,
  { protocols, report }: ServedContext,
): string {
  if (protocol === undefined) {
    if (row) return mainProtocolOf(row)
    const names = [...protocols].flatMap(([name, { isSpokenBy }]) => (isSpokenBy ? [] : name))
    if (server === undefined) report(path, `is missing: write ${listed(names, 'or')}, ${NAME_ONE}`)
    return ''
  }
  if (row && !accessOf(row, protocol))
    report(path, `is not spoken by server = "${server}": write ${listed(Object.keys(row.speaks), 'or')}`)
  return protocol
}

function checkFields(text: ProviderText, row: KnownServer | undefined, path: TomlPath, report: Report): void {
  const { needs = [], takes = [] } = row ?? {}
  const has_base_url = text.base_url !== undefined
  for (const field of SERVER_FIELDS) {
    const at = [...path, field]
    if (text[field] === undefined) {
      if (needs.includes(field) && !has_base_url) report(at, missing(FIELD_WORDS[field]))
    } else if (!row) {
      if (text.server === undefined)
        report(at, `needs a known server: write ${listed(serversWith(field), 'or')} as server`)
    } else if (needs.includes(field) && has_base_url)
      report(at, 'is part of the address, which base_url says already: leave one of the two out')
    else if (!needs.includes(field) && !takes.includes(field))
      report(at, `is not for server = "${text.server}": leave it out`)
  }
}

const missing = ({ what, example }: FieldWords): string => `is missing: write ${what}, such as ${example}`

const serversWith = (field: ServerField): string[] =>
  [...KNOWN_SERVERS].flatMap(([name, { needs = [], takes = [] }]) =>
    needs.includes(field) || takes.includes(field) ? name : [],
  )

/** Each imitated server of chat completions has its own URL; other protocols have one simulation. */
function simulated(
  { server }: ProviderText,
  protocol: string,
  row: KnownServer | undefined,
  path: TomlPath,
  report: Report,
): Pick<Served, 'server' | 'base_url'> {
  if (row && !row.simulated)
    report(path, `cannot be simulated: write ${listed(SIMULATED_NAMES, 'or')}, or leave it out`)
  const played = protocol === 'openai' ? (server ?? SIMULATED_SERVER) : server
  const has_own = protocol === 'openai' && played !== SIMULATED_SERVER
  return { server: played, base_url: has_own ? `${SIMULATOR}/${played}` : SIMULATOR }
}

/** Returns the server's default URL. */
function ownAddress(
  { server, ...fields }: ProviderText,
  protocol: string,
  row: KnownServer | undefined,
  path: TomlPath,
  report: Report,
): string {
  if (!row && server === undefined)
    report(
      path,
      `is missing: write an address that begins with https:// or http://, "simulator", ${NAME_ONE}`,
    )
  return (row && accessOf(row, protocol)?.base_url(fields)) ?? ''
}

function readBaseUrl(
  text: string,
  protocol: string,
  path: TomlPath,
  { report, warn, protocols }: ServedContext,
): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url) report(path, 'must be a complete address, such as "https://api.example.com/v1"')
  else if (url.username !== '' || url.password !== '')
    report(path, 'must not hold a user name or password: put the secret in api_keys or headers')
  else if (url.search !== '' || url.hash !== '')
    report(path, 'must end with its path: a query or a fragment cannot be kept')
  const advice = url && protocols.get(protocol)?.baseUrlAdvice?.(url)
  if (advice !== undefined) warn(path, advice)
  return withoutTrailing(text, '/')
}
