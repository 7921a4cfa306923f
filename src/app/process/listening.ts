// The gateway's listening socket, and the switch to a renewed certificate without ending a stream.
import type { AnyElysia } from 'elysia'
import type { CallParts } from '../../calls/parts.ts'
import { boundPipelining } from '../../http/pipelining.ts'
import type { ServerSockets } from '../../http/sockets.ts'
import { parseListenAddress } from '../../utilities/listen-address.ts'
import { messageOf } from '../../utilities/thrown.ts'
import type { Gateway } from '../surface/gateway.ts'
import { createApp } from './app.ts'
import { logCertificate, watchExpiry } from './certificate-end.ts'
import { listenRefusal } from './listen-refusal.ts'
import type { TlsFiles, TlsPair, TlsWatch } from './tls-files.ts'

/**
 * No limit in the runtime: it would answer without a body in the surface's format, and before the key is checked. Each surface
 * has its own limit and stops reading there; unread bytes wait in the socket.
 */
const MAX_BODY_BYTES = Number.MAX_SAFE_INTEGER
/**
 * Settings of WebSockets. A larger message closes the socket with 1009, as OpenAI's do (measured in lidge-jun/opencodex pull request 2473).
 * A peer that answers no ping within the idle timeout is disconnected. Sends wait for the reader (plugins/responses/socket/connection.ts),
 * so that only pongs can fill the backpressure buffer.
 */
const WEBSOCKET = {
  maxPayloadLength: 16 * 1024 * 1024,
  idleTimeout: 120,
  backpressureLimit: 1024 * 1024,
  perMessageDeflate: false,
}
/** The time at a stop for sending the last bytes of settled answers. */
const LAST_BYTES_MS = 2_000

export interface ListenOptions {
  /** `address:port` */
  listen: string
  /** The base of relative certificate paths. */
  data_folder: string
  socket_idle_timeout_s: number
}

type App = ReturnType<typeof createApp>

export interface Listening {
  url: URL
  app: App
  sockets: ServerSockets
  /** Reads the certificate again now; does nothing for plain HTTP. */
  renew(): Promise<void>
  /** Accepts no more connections, sends the last bytes, and closes all connections. A second call does nothing. */
  stop(): Promise<void>
}

/** @throws Error for the operator if the address or the certificate cannot be used */
export async function listenWith(
  gateway: Gateway,
  routes: readonly AnyElysia[],
  options: ListenOptions,
): Promise<Listening> {
  const { listen, data_folder } = options
  const tls = await loadTlsIfUsed(gateway.calls)
  const files = tls?.tlsFilesOf(gateway.calls.catalogue().server, data_folder)
  const first_pair = files && (await tls?.readTlsPair(files))
  const address = parseListenAddress(listen)
  const app = createApp(gateway, routes)
  const bounded = boundPipelining((request) => server.requestIP(request))
  app.wrap((serve) => bounded(serve as never))
  let server = orRefusal(listen, () => {
    if (first_pair) refusePortInUse(address)
    return serverOf(app, address, options, first_pair)
  })
  /** Servers with an older certificate, which finish their open connections. */
  const former = new Map<typeof server, Promise<unknown>>()
  const { url } = server
  let current_pair = first_pair

  function takeOver(pair: TlsPair): void {
    if (current_pair && pair.cert === current_pair.cert && pair.key === current_pair.key) return
    const last = server
    server = serverOf(app, { ...address, port: Number(url.port || 443) }, options, pair)
    current_pair = pair
    former.set(
      last,
      last.stop(false).then(() => former.delete(last)),
    )
    logCertificate(gateway.calls, 'a renewed certificate is in use', pair)
  }

  if (first_pair) logCertificate(gateway.calls, 'a certificate is in use', first_pair)
  const stopWarning = first_pair && watchExpiry(gateway.calls, () => current_pair ?? first_pair)

  const watch = tls && files && (await watchRenewals(gateway.calls, { ...tls, files }, takeOver))

  return {
    url,
    app,
    sockets: {
      requestIP: (request) => server.requestIP(request),
      timeout: (request, timeout_s) => server.timeout(request, timeout_s),
      // Elysia passes WebSocket events to the methods of the socket's data.
      upgrade: (request, events, headers) => server.upgrade(request, { data: events, headers }),
    },
    renew: async () => await watch?.read(),
    async stop() {
      watch?.stop()
      stopWarning?.()
      if (!app.server) return
      const all = [server, ...former.keys()]
      // A caller that does not read does not delay the stop.
      await Promise.race([Promise.all([app.stop(), ...former.values()]), Bun.sleep(LAST_BYTES_MS)])
      await Promise.all(all.map((each) => each.stop(true)))
    },
  }
}

type Tls = typeof import('./tls-files.ts')

/** Loads the code only if HTTPS is on: it takes a megabyte of memory. */
const loadTlsIfUsed = async ({ catalogue }: Pick<CallParts, 'catalogue'>): Promise<Tls | undefined> =>
  catalogue().server.tls_certificate === undefined ? undefined : await import('./tls-files.ts')

/** Watches the certificate's files. If a new pair cannot be used, the old one stays. */
function watchRenewals(
  { log }: Pick<CallParts, 'log'>,
  { watchTls, files }: Pick<Tls, 'watchTls'> & { files: TlsFiles },
  takeOver: (pair: TlsPair) => void,
): Promise<TlsWatch> {
  const keepOld = (trouble: unknown) =>
    log.error(
      { reason: messageOf(trouble) },
      'the changed certificate cannot be used: the one before stays in use',
    )
  const onPair = (pair: TlsPair) => {
    try {
      takeOver(pair)
    } catch (refusal) {
      keepOld(refusal)
    }
  }
  return watchTls(files, { onPair, onTrouble: keepOld })
}

/**
 * Starts a server. `server.reload` cannot change the certificate (Bun 1.4.5), so a renewed one needs a second server on the same port,
 * until the first has finished its connections. The port is never closed; only a connection that is in the first server's queue at
 * that moment, and has sent nothing yet, is reset.
 */
function serverOf(
  app: App,
  address: { hostname: string; port: number },
  { socket_idle_timeout_s }: Pick<ListenOptions, 'socket_idle_timeout_s'>,
  pair: TlsPair | undefined,
) {
  const listeners = new Set(process.listeners('beforeExit'))
  app.listen({
    ...address,
    idleTimeout: socket_idle_timeout_s,
    maxRequestBodySize: MAX_BODY_BYTES,
    websocket: WEBSOCKET,
    reusePort: pair !== undefined,
    ...(pair ? { tls: { cert: pair.cert, key: pair.key } } : {}),
    // Otherwise the runtime sends callers its error pages, with our source, unless NODE_ENV is production.
    development: false,
  })
  // Elysia adds a listener at each start of a server: with renewals they would accumulate. This process has its own order of stopping.
  for (const added of process.listeners('beforeExit'))
    if (!listeners.has(added)) process.off('beforeExit', added)
  if (!app.server) throw new Error('The gateway could not listen.')
  return app.server
}

/** With `reusePort` the system does not refuse a port that another process shares as well, so it is first tried without. */
export function refusePortInUse({ hostname, port }: { hostname: string; port: number }): void {
  if (port !== 0) Bun.listen({ hostname, port, socket: { data() {} } }).stop(true)
}

function orRefusal<T>(listen: string, work: () => T): T {
  try {
    return work()
  } catch (cause) {
    throw listenRefusal(listen, cause)
  }
}
