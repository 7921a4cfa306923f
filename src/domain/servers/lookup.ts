// Which known server a provider is, and what follows from it: its protocol, its address, the header that shows its keys.
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
  /** As the catalogue names it. */
  readonly server?: string | undefined
}

/** The known server of a provider: the one that the catalogue names, else the one whose host it is; undefined for all others. */
export function serverNameOf({ protocol, base_url, server }: ProviderAddress): string | undefined {
  if (server !== undefined && KNOWN_SERVERS.has(server)) return server
  const url = URL.canParse(base_url) ? new URL(base_url) : undefined
  return url && [...KNOWN_SERVERS].find(([, row]) => accessOf(row, protocol) && isServedAt(row, url))?.[0]
}

/** Letters and digits alone: names are written with and without signs between their words. */
const plainName = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '')

/** The known server that is meant by a name that people or price lists have for it; undefined for other names. */
export function serverCalled(name: string): string | undefined {
  const plain = plainName(name)
  return [...KNOWN_SERVERS].find(([own, { title, price_names, also_called = [] }]) =>
    [own, title, ...price_names, ...also_called].some((each) => plainName(each) === plain),
  )?.[0]
}

const isServedAt = ({ hosts, port }: KnownServer, url: URL): boolean =>
  hosts?.test(url.hostname) === true || (port !== undefined && url.port === port)

/** The row of the same. */
export function knownServerOf(provider: ProviderAddress): KnownServer | undefined {
  const name = serverNameOf(provider)
  return name === undefined ? undefined : KNOWN_SERVERS.get(name)
}

/** How a server is reached in a protocol; undefined if it does not speak that. */
export const accessOf = ({ speaks }: KnownServer, protocol: string): Access | undefined =>
  Object.hasOwn(speaks, protocol) ? speaks[protocol as ServedProtocol] : undefined

/** The protocols of a server, the main one first. */
export const protocolsOf = ({ speaks }: KnownServer): readonly ServedProtocol[] =>
  Object.keys(speaks).filter(isServedProtocol)

const isServedProtocol = (name: string): name is ServedProtocol =>
  SERVED_PROTOCOLS.some((each) => each === name)

/** The protocol of a server's providers where the catalogue names none. */
export const mainProtocolOf = (row: KnownServer): string => protocolsOf(row)[0] ?? ''

/** The server fields in the block of a provider, whatever else is wrong with it. */
export interface WrittenServer {
  /** As it is written, or that of its server; empty if neither says it. */
  readonly protocol: string
  readonly base_url: string
  readonly server: string | undefined
}

/** @param block of the catalogue file, which may have mistakes */
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

/** How the server that the catalogue names is reached in a protocol. */
export function accessNamed(server: string | undefined, protocol: string): Access | undefined {
  const row = server === undefined ? undefined : KNOWN_SERVERS.get(server)
  return row && accessOf(row, protocol)
}
