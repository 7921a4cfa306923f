// The gateway on its socket: what it listens with, and how a renewed certificate takes over without ending a stream.
import type { AnyElysia } from 'elysia'
import type { CallParts } from '../../calls/parts.ts'
import { boundPipelining } from '../../http/pipelining.ts'
import type { ServerSockets } from '../../http/sockets.ts'
import { parseListenAddress } from '../../utilities/listen-address.ts'
import { messageOf } from '../../utilities/thrown.ts'
import type { Gateway } from '../surface/gateway.ts'
import { createApp } from './app.ts'
import { tellOf, warnOfEnd } from './certificate-end.ts'
import { listenRefusal } from './listen-refusal.ts'
import type { TlsFiles, TlsPair, TlsWatch } from './tls-files.ts'

/**
 * The runtime refuses nothing: it would answer without a body, whatever the surface, before the key is asked for. Each surface
 * has a limit of its own and reads no further; what nobody reads waits in the sockets.
 */
const MAX_BODY_BYTES = Number.MAX_SAFE_INTEGER
/**
 * Of WebSockets. Larger messages close theirs with 1009, as OpenAI's do (lidge-jun/opencodex pull request 2473 measured it). Who
 * answers no ping for the idle time-out is gone. What is sent waits for its reader (plugins/responses/socket/connection.ts), so that
 * no more than pongs can fill the buffer.
 */
const WEBSOCKET = {
  maxPayloadLength: 16 * 1024 * 1024,
  idleTimeout: 120,
  backpressureLimit: 1024 * 1024,
  perMessageDeflate: false,
}
/** When the process stops, the last bytes of settled answers have this long to leave. */
const LAST_BYTES_MS = 2_000

export interface ListenOptions {
  /** `address:port` */
  listen: string
  /** Where relative paths of certificates are. */
  data_folder: string
  socket_idle_timeout_s: number
}

type App = ReturnType<typeof createApp>

export interface Listening {
  url: URL
  app: App
  sockets: ServerSockets
  /** Reads the certificate again, now; nothing over plain HTTP. */
  renew(): Promise<void>
  /** Takes no more connections, lets the last bytes leave, and closes all; nothing if it was stopped already. */
  stop(): Promise<void>
}

/** @throws Error with a text for the operator where the address cannot be had, or the certificate cannot be used */
export async function listenWith(
  gateway: Gateway,
  routes: readonly AnyElysia[],
  options: ListenOptions,
): Promise<Listening> {
  const { listen, data_folder } = options
  const tls = await tlsWhereUsed(gateway.calls)
  const files = tls?.tlsFilesOf(gateway.calls.catalogue().server, data_folder)
  const first_pair = files && (await tls?.readTlsPair(files))
  const address = parseListenAddress(listen)
  const app = createApp(gateway, routes)
  const bounded = boundPipelining((request) => server.requestIP(request))
  app.wrap((serve) => bounded(serve as never))
  let server = orRefusal(listen, () => {
    if (first_pair) refuseTaken(address)
    return serverOf(app, address, options, first_pair)
  })
  /** With an older certificate: they end the connections that they have. */
  const former = new Map<typeof server, Promise<unknown>>()
  const { url } = server
  let used = first_pair

  function takeOver(pair: TlsPair): void {
    if (used && pair.cert === used.cert && pair.key === used.key) return
    const last = server
    server = serverOf(app, { ...address, port: Number(url.port || 443) }, options, pair)
    used = pair
    former.set(
      last,
      last.stop(false).then(() => former.delete(last)),
    )
    tellOf(gateway.calls, 'a renewed certificate is in use', pair)
  }

  if (first_pair) tellOf(gateway.calls, 'a certificate is in use', first_pair)
  const stopWarning = first_pair && warnOfEnd(gateway.calls, () => used ?? first_pair)

  const watch = tls && files && (await watchRenewals(gateway.calls, { ...tls, files }, takeOver))

  return {
    url,
    app,
    sockets: {
      requestIP: (request) => server.requestIP(request),
      timeout: (request, timeout_s) => server.timeout(request, timeout_s),
      // Elysia hands what comes over a WebSocket to the methods of its data.
      upgrade: (request, events, headers) => server.upgrade(request, { data: events, headers }),
    },
    renew: async () => await watch?.read(),
    async stop() {
      watch?.stop()
      stopWarning?.()
      if (!app.server) return
      const all = [server, ...former.keys()]
      // A caller who does not take them does not hold the process up.
      await Promise.race([Promise.all([app.stop(), ...former.values()]), Bun.sleep(LAST_BYTES_MS)])
      await Promise.all(all.map((each) => each.stop(true)))
    },
  }
}

type Tls = typeof import('./tls-files.ts')

/** Loaded only where it is used: what reads certificates takes a megabyte of memory. */
const tlsWhereUsed = async ({ catalogue }: Pick<CallParts, 'catalogue'>): Promise<Tls | undefined> =>
  catalogue().server.tls_certificate === undefined ? undefined : await import('./tls-files.ts')

/** A pair that cannot be used, or taken over, changes nothing. */
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
 * Listens. `server.reload` takes no certificate (Bun 1.4.5): a renewed one needs a server beside the last, on the same port, until
 * the last has ended what it serves. The port is closed at no moment; only a connection that the last had in its queue right
 * then, and that has sent nothing yet, is reset.
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
    // Otherwise the runtime shows callers its error pages, with our source, unless NODE_ENV says production.
    development: false,
  })
  // Elysia adds one each time it listens. This process ends by its own order, and renewals would heap them up.
  for (const added of process.listeners('beforeExit'))
    if (!listeners.has(added)) process.off('beforeExit', added)
  if (!app.server) throw new Error('The gateway could not listen.')
  return app.server
}

/** A port that may be shared is not refused to us by whoever shares it, too: it is taken alone first. */
export function refuseTaken({ hostname, port }: { hostname: string; port: number }): void {
  if (port !== 0) Bun.listen({ hostname, port, socket: { data() {} } }).stop(true)
}

function orRefusal<T>(listen: string, work: () => T): T {
  try {
    return work()
  } catch (cause) {
    throw listenRefusal(listen, cause)
  }
}
