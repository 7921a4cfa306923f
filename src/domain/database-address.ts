// The URL of a PostgreSQL database: its parts, and the check that it states how the connection is encrypted.
import { isLoopback, withoutBrackets } from '../utilities/listen-address.ts'

interface DatabaseAddress {
  hostname: string
  /** With the port, if the URL has one. */
  host: string
  port: number
  user: string
  password: string
  database: string
  /** Undefined if the URL has none. */
  sslmode: string | undefined
  /** The file of the CA that signed the server's certificate. */
  ca_file: string | undefined
  channel_binding: ChannelBinding
}

type ChannelBinding = 'disable' | 'prefer' | 'require'

const DEFAULT_PORT = 5432
const MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full']

/** @returns undefined for anything but postgres://USER:PASSWORD@HOST:PORT/DATABASE */
export function parseDatabaseAddress(text: string): DatabaseAddress | undefined {
  const url = URL.parse(text)
  if (!url || !/^postgres(ql)?:$/.test(url.protocol) || url.hostname === '') return undefined
  const [user, password, database] = [url.username, url.password, url.pathname.slice(1)].map(decoded)
  if (!user || password === undefined || !database) return undefined
  return {
    hostname: withoutBrackets(url.hostname),
    host: url.host,
    port: Number(url.port || DEFAULT_PORT),
    user,
    password,
    database,
    sslmode: url.searchParams.get('sslmode') || undefined,
    ca_file: url.searchParams.get('sslrootcert') || undefined,
    channel_binding: bindingOf(url.searchParams.get('channel_binding')),
  }
}

/**
 * Returns the reason why a connection must not be opened, with advice; undefined if it may be. For another machine, the URL must state whether
 * the connection is encrypted: there is no default, so that a missing parameter never sends a password in clear text.
 */
export function faultOfTls({
  hostname,
  sslmode,
}: Pick<DatabaseAddress, 'hostname' | 'sslmode'>): string | undefined {
  if (sslmode === undefined && !isLoopback(hostname))
    return (
      `has no sslmode, and ${hostname} is another machine: add ?sslmode=verify-full, and &sslrootcert=FILE if your own CA ` +
      'signed its certificate; or ?sslmode=disable in a network that you trust'
    )
  if (sslmode === undefined || MODES.includes(sslmode)) return undefined
  return `has an unknown sslmode: use one of ${MODES.join(', ')}`
}

function bindingOf(text: string | null): ChannelBinding {
  return text === 'prefer' || text === 'require' ? text : 'disable'
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part)
  } catch {
    // Dropped: a malformed percent encoding.
    return undefined
  }
}
