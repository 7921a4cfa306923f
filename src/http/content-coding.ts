// Decoding of request bodies with a content coding, at the pace of their reader.
import type { Transform } from 'node:stream'
import { invalidRequest, unsupportedMedia } from '../domain/errors.ts'

/** RFC 9110, 8.4.1; zstd: RFC 8878. Codex sends zstd (codex-rs, `enable_request_compression`). */
const NAMES = { gzip: 'gzip', 'x-gzip': 'gzip', deflate: 'deflate', br: 'br', zstd: 'zstd' } as const
type Coding = (typeof NAMES)[keyof typeof NAMES]

const isName = (name: string): name is keyof typeof NAMES => Object.hasOwn(NAMES, name)

/**
 * Returns the coding of a request's body; undefined without one.
 * @throws GatewayError unsupported_media for an unknown coding, or several
 */
export function codingOf({ headers }: Pick<Request, 'headers'>): Coding | undefined {
  const header = headers.get('content-encoding')
  if (header === null) return undefined
  const names = header
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity')
  const [name, ...more] = names
  if (name === undefined) return undefined
  if (more.length === 0 && isName(name)) return NAMES[name]
  throw unsupportedMedia(
    'Content-Encoding: must be one of gzip, deflate, br and zstd, or be left out. Send the body in one of them, or as it is.',
  )
}

/** Whether the decoded length of a body is announced. */
export const isAnnounced = (request: Pick<Request, 'headers'>): boolean =>
  request.headers.has('content-length') && codingOf(request) === undefined

/**
 * Returns a request's decoded body.
 * @throws GatewayError as `codingOf`; reading it throws invalid_request for damaged bytes, and the source's error if it breaks off
 */
export function bodyOf(request: Request): ReadableStream<Uint8Array> | null {
  const coding = codingOf(request)
  return coding === undefined || request.body === null ? request.body : decoded(request.body, coding)
}

/** RFC 9659: the maximum window of a body over HTTP is 8 MB. */
const MAX_ZSTD_WINDOW_LOG = 23
const CHUNK_BYTES = 64 * 1024

/** Creates a decoder; the runtime's module is loaded with the first encoded body. */
async function decoderOf(coding: Coding, first: Uint8Array): Promise<Transform> {
  const zlib = await import('node:zlib')
  const options = { chunkSize: CHUNK_BYTES }
  switch (coding) {
    case 'gzip':
      return zlib.createGunzip(options)
    case 'br':
      return zlib.createBrotliDecompress(options)
    case 'zstd':
      return zlib.createZstdDecompress({
        ...options,
        params: { [zlib.constants.ZSTD_d_windowLogMax]: MAX_ZSTD_WINDOW_LOG },
      })
    case 'deflate':
      return isZlib(first) ? zlib.createInflate(options) : zlib.createInflateRaw(options)
  }
}

/** Whether the bytes begin with the header of RFC 1950, which some senders omit (RFC 9110, 8.4.1.2). */
const isZlib = ([first = 0, second = 0]: Uint8Array): boolean =>
  (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0

function decoded(body: ReadableStream<Uint8Array>, coding: Coding): ReadableStream<Uint8Array> {
  const source = body.getReader()
  let broken: { cause: unknown } | undefined
  let decoder: Transform | undefined
  let chunks: AsyncIterator<Uint8Array> | undefined

  const read = async (): Promise<Uint8Array | undefined> => {
    try {
      return (await source.read()).value
    } catch (cause) {
      broken = { cause }
      throw cause
    }
  }

  async function feed(into: Transform, first: Uint8Array): Promise<void> {
    for (let part: Uint8Array | undefined = first; part; part = await read())
      if (!into.write(part)) await drained(into)
    into.end()
  }

  async function begin(): Promise<AsyncIterator<Uint8Array> | undefined> {
    const first = await read()
    if (!first) return undefined
    const into = await decoderOf(coding, first)
    decoder = into
    feed(into, first).catch((thrown: Error) => into.destroy(thrown))
    return into[Symbol.asyncIterator]()
  }

  return new ReadableStream(
    {
      async pull(controller) {
        try {
          chunks ??= await begin()
          const next = await chunks?.next()
          if (next?.value) controller.enqueue(next.value)
          else controller.close()
        } catch (cause) {
          controller.error(broken?.cause ?? damaged(coding, cause))
        }
      },
      cancel: () => void decoder?.destroy(),
    },
    { highWaterMark: 0 },
  )
}

/** Resolves once more can be written, or nothing more will be read. */
const drained = (into: Transform): Promise<void> =>
  new Promise((resolve) => {
    into.once('drain', resolve)
    into.once('close', resolve)
  })

const damaged = (coding: Coding, cause: unknown) =>
  invalidRequest(`The request body is not valid ${coding}, as its Content-Encoding says. Send it again.`, {
    cause,
  })
