// The two ways out: the network, and the simulated provider, which needs none.
import { OversizedAnswer, UpstreamFault } from '../domain/errors.ts'
import { messageOf } from '../utilities/thrown.ts'

/** A request as it is sent upstream. */
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

/** A name that never resolves (RFC 2606), for the simulator's URLs. */
const SIMULATOR_ORIGIN = 'http://simulator.invalid'

/**
 * A fetch that hands requests to the simulator to it, and all others to the network.
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
 * Work on an upstream's connection: whatever it fails with is the upstream's failure.
 * @throws UpstreamFault with the failure as its cause
 */
export const fromUpstream = <T>(work: Promise<T>): Promise<T> => work.catch(throwFault)

function throwFault(cause: unknown): never {
  throw faultOf(cause)
}

/** An exception of an upstream's connection, as the upstream's failure. */
export const faultOf = (cause: unknown): UpstreamFault => new UpstreamFault(messageOf(cause), { cause })

/** Codes of the runtime's failures before a connection stands: no address, nobody there, no trust. */
const CONNECTING =
  /^(?:ConnectionRefused|ECONNREFUSED|E(?:HOST|NET)UNREACH|ENOTFOUND|EAI_|EPROTO|ERR_TLS_|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_|HOSTNAME_MISMATCH)/

/** Whether a request failed before its provider could get any of it. @param thrown by `fromUpstream` */
export function couldNotConnect(thrown: unknown): boolean {
  const cause = thrown instanceof UpstreamFault ? thrown.cause : thrown
  return cause instanceof Error && 'code' in cause && CONNECTING.test(String(cause.code))
}

/**
 * All of an upstream's answer, but no more of it than the limit. The runtime expands what comes compressed: as a stream it
 * does so piece by piece, so that a small answer which expands without end is noticed at the limit.
 * @param limit_bytes of the answer as it is once expanded
 * @throws OversizedAnswer if it is longer, or UpstreamFault if its connection breaks; the reader of the answer then ends the connection
 */
export function readAnswer(response: Response, limit_bytes: number): Promise<Buffer<ArrayBuffer>> {
  const { headers } = response
  const declared = headers.get('content-length')
  // Nearly all answers: to read them as a stream costs 8 µs more.
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
 * An answer that was too long leaves garbage of its length, which the runtime would keep until much more has come: it is
 * collected at once (20 ms).
 */
export function reclaimOverlong(thrown: unknown): void {
  if (thrown instanceof OversizedAnswer) Bun.gc(true)
}
