// Identification of a provider's known server, and the properties derived from it: protocol, URL and key header.
import {
  type Access,
  type KnownServer,
  SERVED_PROTOCOLS,
  SERVER_FIELDS,
  type ServedProtocol,
  type ServerFields,
} from './known-server.ts'
import { KNOWN_SERVERS } from './table.ts'

/** The facts that identify the server of a provider. */
export interface ProviderAddress {
  readonly protocol: string
  readonly base_url: string
  /** Its name in the catalogue. */
  readonly server?: string | undefined
}

/** Returns the known server of a provider: the one named in the catalogue, or the one of its host; undefined for others. */
export function serverNameOf({ protocol, base_url, server }: ProviderAddress): string | undefined {
  if (server !== undefined && KNOWN_SERVERS.has(server)) return server
  const url = URL.canParse(base_url) ? new URL(base_url) : undefined
  return url && [...KNOWN_SERVERS].find(([, row]) => accessOf(row, protocol) && isServedAt(row, url))?.[0]
}

/** Keeps letters and digits only, since names are written with and without separators. */
const plainName = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '')

/** Finds the known server of a common name or a price list's name; undefined for other names. */
export function serverCalled(name: string): string | undefined {
  const plain = plainName(name)
  return [...KNOWN_SERVERS].find(([own, { title, price_names, also_called = [] }]) =>
    [own, title, ...price_names, ...also_called].some((each) => plainName(each) === plain),
  )?.[0]
}

const isServedAt = ({ hosts, port }: KnownServer, url: URL): boolean =>
  hosts?.test(url.hostname) === true || (port !== undefined && url.port === port)

/** Returns the description of a provider's known server, as `serverNameOf`. */
export function knownServerOf(provider: ProviderAddress): KnownServer | undefined {
  const name = serverNameOf(provider)
  return name === undefined ? undefined : KNOWN_SERVERS.get(name)
}

/** Returns the access to a server in a protocol; undefined if it does not support it. */
export const accessOf = ({ speaks }: KnownServer, protocol: string): Access | undefined =>
  Object.hasOwn(speaks, protocol) ? speaks[protocol as ServedProtocol] : undefined

/** Returns the protocols of a server, the default first. */
export const protocolsOf = ({ speaks }: KnownServer): readonly ServedProtocol[] =>
  Object.keys(speaks).filter(isServedProtocol)

const isServedProtocol = (name: string): name is ServedProtocol =>
  SERVED_PROTOCOLS.some((each) => each === name)

/** Returns the default protocol of a server. */
export const mainProtocolOf = (row: KnownServer): string => protocolsOf(row)[0] ?? ''

/** The server fields of a provider's block in the catalogue file. */
export interface WrittenServer {
  /** As written, or its server's default; empty if neither is known. */
  readonly protocol: string
  readonly base_url: string
  readonly server: string | undefined
}

/** Reads the server fields. @param block may have mistakes in other fields */
export function writtenServer(block: object): WrittenServer {
  const text = (name: string): string | undefined => {
    const value: unknown = Reflect.get(block, name)
    return typeof value === 'string' ? value : undefined
  }
  const server = text('server')
  const row = server === undefined ? undefined : KNOWN_SERVERS.get(server)
  const protocol = text('protocol') ?? (row ? mainProtocolOf(row) : '')
  const fields: ServerFields = Object.fromEntries(SERVER_FIELDS.map((name) => [name, text(name)]))
  const base_url = text('base_url') ?? (row && accessOf(row, protocol)?.base_url(fields)) ?? ''
  return { protocol, base_url, server }
}

/** Returns the access to the server named in the catalogue. */
export function accessNamed(server: string | undefined, protocol: string): Access | undefined {
  const row = server === undefined ? undefined : KNOWN_SERVERS.get(server)
  return row && accessOf(row, protocol)
}
