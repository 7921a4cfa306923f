// The transport of upstream requests: the network, or the simulated provider in this process.
import { OversizedAnswer, UpstreamFault } from '../domain/errors.ts'
import { messageOf } from '../utilities/thrown.ts'

export interface UpstreamRequest {
  url: string
  headers: Record<string, string>
  body: Uint8Array | string
}

export type Fetch = (url: string, init: UpstreamInit) => Promise<Response>
export interface UpstreamInit {
  method: 'POST'
  headers: Record<string, string>
  body: Uint8Array | string
  signal: AbortSignal
  redirect: 'manual'
}

/** For the simulator's URLs: a host name that never resolves (RFC 2606). */
const SIMULATOR_ORIGIN = 'http://simulator.invalid'

/**
 * Creates a fetch that routes the simulator's URLs to the simulator, and all others to the network.
 * @param network the runtime's fetch
 * @param simulator `base_url`: the prefix of its URLs
 */
export function createTransport(
  network: Fetch,
  simulator: { base_url: string; fetch(request: Request): Promise<Response> },
): Fetch {
  return (url, init) =>
    url.startsWith(simulator.base_url)
      ? simulator.fetch(new Request(SIMULATOR_ORIGIN + url.slice(simulator.base_url.length), init))
      : network(url, init)
}

/**
 * Awaits work on an upstream's connection.
 * @throws UpstreamFault for every failure of the work, with the failure as its cause
 */
export const fromUpstream = <T>(work: Promise<T>): Promise<T> => work.catch(throwFault)

function throwFault(cause: unknown): never {
  throw faultOf(cause)
}

/** Wraps an exception of an upstream's connection. */
export const faultOf = (cause: unknown): UpstreamFault => new UpstreamFault(messageOf(cause), { cause })

/** The runtime's error codes before a connection is established: unknown host, connection refused, untrusted certificate. */
const CONNECTING =
  /^(?:ConnectionRefused|ECONNREFUSED|E(?:HOST|NET)UNREACH|ENOTFOUND|EAI_|EPROTO|ERR_TLS_|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_|HOSTNAME_MISMATCH)/

/** Whether a request failed before its provider could receive any of it. @param thrown by `fromUpstream` */
export function couldNotConnect(thrown: unknown): boolean {
  const cause = thrown instanceof UpstreamFault ? thrown.cause : thrown
  return cause instanceof Error && 'code' in cause && CONNECTING.test(String(cause.code))
}

/**
 * Reads an upstream's answer up to a limit. The runtime decompresses answers. A compressed one is read as a stream, so that
 * a small answer which expands endlessly is noticed at the limit.
 * @param limit_bytes of the decompressed answer
 * @throws OversizedAnswer if it is longer, or UpstreamFault if the connection breaks; the caller then closes the connection
 */
export function readAnswer(response: Response, limit_bytes: number): Promise<Buffer<ArrayBuffer>> {
  const { headers } = response
  const declared = headers.get('content-length')
  // The usual case: to read it as a stream costs 8 µs more.
  return declared !== null && Number(declared) <= limit_bytes && !headers.has('content-encoding')
    ? response.arrayBuffer().then(bufferOf, throwFault)
    : readPieces(response, limit_bytes)
}

const bufferOf = (bytes: ArrayBuffer): Buffer<ArrayBuffer> => Buffer.from(bytes)

async function readPieces(response: Response, limit_bytes: number): Promise<Buffer<ArrayBuffer>> {
  if (Number(response.headers.get('content-length')) > limit_bytes) throw tooLong(limit_bytes)
  const reader = response.body?.getReader()
  const parts: Uint8Array[] = []
  let read_bytes = 0
  while (reader) {
    const { value } = await fromUpstream(reader.read())
    if (!value) break
    read_bytes += value.length
    if (read_bytes > limit_bytes) throw tooLong(limit_bytes)
    parts.push(value)
  }
  return Buffer.concat(parts, read_bytes)
}

const tooLong = (limit_bytes: number): OversizedAnswer =>
  new OversizedAnswer(
    `its answer is longer than ${limit_bytes} bytes. Where the provider may send that much, raise max_answer_bytes in [server].`,
  )

/**
 * Collects the garbage of a too long answer at once (20 ms): the runtime would keep it in memory until much more has come.
 */
export function reclaimOverlong(thrown: unknown): void {
  if (thrown instanceof OversizedAnswer) Bun.gc(true)
}
