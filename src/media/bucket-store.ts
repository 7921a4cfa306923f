// File stores in a bucket. An object exists completely or not at all, and clients never get its URL in the bucket.
import type { Bucket } from '../domain/catalogue.ts'
import { StorageFailure } from '../domain/storage-failure.ts'
import type { StoredBytes } from '../domain/stored-bytes.ts'
import { type Connection, connectBucket, type Range } from '../store/engines/s3/connection.ts'
import type { NamedIn } from '../store/engines/s3/failure.ts'
import { type BucketHealth, createBucketHealth, toStorageFailure } from './bucket-health.ts'
import { assertFileKey, isFileKey } from './keys.ts'
import { type FileStore, type PutOptions, type PutResult, tooLarge } from './store.ts'

export interface BucketFiles {
  readonly connection: Connection
  /** Returns the store of the objects below a name, such as `images`. */
  store(name: string): FileStore
  /** Whether nothing can be stored now. Cheap, since it runs at every call that stores something. */
  isFailing(): boolean
  /** Writes an object and deletes it. @throws as the connection, if that is not allowed */
  tryOut(): Promise<void>
  /** Stops the trials of a failing bucket. */
  stop(): void
}

export interface BucketFilesOptions {
  /** Called with the failure when the bucket begins to fail, and without one when it works again. */
  onChange?: (failure: StorageFailure | undefined) => void
  limits?: BucketFilesLimits
  /** The setting that names the bucket. Default: [storage] of the catalogue. */
  named_in?: NamedIn
}

export interface BucketFilesLimits {
  /** The timeout of an answer, and of the next bytes of an object, since callers wait for it. */
  answer_ms: number
  least_bytes_per_s: number
  /** The interval of trials of a failing bucket. */
  try_every_ms: number
}
const LIMITS: BucketFilesLimits = { answer_ms: 5_000, least_bytes_per_s: 1_000_000, try_every_ms: 1_000 }

/** The minimum that S3 accepts for a part except the last. Smaller content is written in one request, and retried on failure. */
const PART_BYTES = 5 * 1024 * 1024
/** The prefix of trials. Each has its own object, since several gateways may run one at the same time. */
export const TRIALS = 'tollgate-trial/'

export function openBucketFiles(
  bucket: Bucket,
  { onChange = () => {}, limits = LIMITS, named_in = 'storage' }: BucketFilesOptions = {},
): BucketFiles {
  const connection = connectBucket(bucket, { named_in, ...limits })
  async function tryOut(): Promise<void> {
    const key = TRIALS + crypto.randomUUID()
    await connection.put(key, new TextEncoder().encode('on trial'))
    await connection.remove(key)
  }
  const health = createBucketHealth({
    tryOut,
    onChange,
    every_ms: limits.try_every_ms,
  })
  return {
    connection,
    store: (name) => storeBelow(`${name}/`, connection, health),
    isFailing: () => health.is_failing,
    tryOut,
    stop: health.stop,
  }
}

function storeBelow(beginning: string, connection: Connection, health: BucketHealth): FileStore {
  const nameOf = (key: string): string => {
    assertFileKey(key)
    return beginning + key
  }
  const sizeOf = (name: string) => health.run(() => connection.size(name))

  async function* list(below: string) {
    try {
      for await (const { key, ...entry } of connection.list(below)) {
        const own = key.slice(beginning.length)
        if (isFileKey(own)) yield { key: own, ...entry }
      }
    } catch (failure) {
      throw health.failed(failure)
    }
  }

  return {
    async put(key, content, options) {
      const name = nameOf(key)
      if (health.is_failing) throw stillFailing()
      return await put(name, content, options, { connection, health })
    },
    async open(key) {
      const name = nameOf(key)
      const size = await sizeOf(name)
      return size === undefined
        ? undefined
        : new ObjectBytes({ connection, health, name, start: 0, end: size })
    },
    async remove(key) {
      const name = nameOf(key)
      // The removal after a failed write would wait as long again.
      if (health.is_failing) throw stillFailing()
      await health.run(() => connection.remove(name))
    },
    has: async (key) => (await sizeOf(nameOf(key))) !== undefined,
    async removeAllOf(segment) {
      assertFileKey(segment)
      for await (const { key } of list(`${beginning}${segment}/`))
        await health.run(() => connection.remove(beginning + key))
    },
    list: () => list(beginning),
    folder: undefined,
  }
}

type BucketConnection = { connection: Connection; health: BucketHealth }

async function put(
  name: string,
  content: Uint8Array | AsyncIterable<Uint8Array>,
  { cap_bytes = Number.POSITIVE_INFINITY }: PutOptions = {},
  { connection, health }: BucketConnection,
): Promise<PutResult> {
  const hash = new Bun.CryptoHasher('sha256')
  let bytes = 0
  /** The failure of reading the content, or its refusal. */
  let refusal: { thrown: unknown } | undefined
  async function* counted() {
    try {
      for await (const chunk of content instanceof Uint8Array ? [content] : content) {
        bytes += chunk.byteLength
        if (bytes > cap_bytes) throw tooLarge(cap_bytes)
        hash.update(chunk)
        // A copy, since the buffer may be freed when the next chunk is requested, before this one is sent.
        yield content instanceof Uint8Array ? chunk : new Uint8Array(chunk)
      }
    } catch (thrown) {
      refusal = { thrown }
      throw thrown
    }
  }
  const { first, rest } = await firstPart(counted())
  try {
    if (rest) await connection.send(name, rest, PART_BYTES)
    else await connection.put(name, first)
  } catch (failure) {
    throw refusal ? refusal.thrown : health.failed(failure)
  }
  return { bytes, sha256: hash.digest('hex') }
}

/** Reads up to a part. @returns the whole content if it is no larger, otherwise a stream of everything */
async function firstPart(
  content: AsyncGenerator<Uint8Array>,
): Promise<{ first: Uint8Array; rest: AsyncIterable<Uint8Array> | undefined }> {
  const chunks: Uint8Array[] = []
  for (let bytes = 0; ; ) {
    const { done, value } = await content.next()
    if (done) {
      const [only = new Uint8Array()] = chunks
      return { first: chunks.length > 1 ? Buffer.concat(chunks) : only, rest: undefined }
    }
    chunks.push(value)
    bytes += value.byteLength
    if (bytes > PART_BYTES && chunks.length > 1) break
  }
  async function* all() {
    yield* chunks.splice(0)
    yield* content
  }
  return { first: new Uint8Array(), rest: all() }
}

/** An object, or a part of one. The S3 client's file object is not exposed, since a `Response` of it would redirect to the bucket. */
class ObjectBytes implements StoredBytes {
  readonly size: number
  readonly #of: BucketConnection & { name: string; start: number; end: number }

  constructor(of: BucketConnection & { name: string; start: number; end: number }) {
    this.#of = of
    this.size = of.end - of.start
  }

  stream(): ReadableStream<Uint8Array> {
    const { connection, name } = this.#of
    const chunks = this.size === 0 ? undefined : connection.stream(name, this.#range)
    return new ReadableStream(
      {
        async pull(controller) {
          try {
            const { value } = (await chunks?.next()) ?? {}
            if (value) controller.enqueue(value)
            else controller.close()
          } catch (failure) {
            // Does not mark the bucket as failing: it closes connections of slow readers, and a slow client must not stop all others.
            controller.error(toStorageFailure(failure))
          }
        },
        async cancel() {
          await chunks?.return(undefined)
        },
      },
      { highWaterMark: 0 },
    )
  }

  bytes(): Promise<Uint8Array<ArrayBuffer>> {
    const { connection, health, name } = this.#of
    if (this.size === 0) return Promise.resolve(new Uint8Array())
    return health.run(() => connection.bytes(name, this.#range))
  }

  slice(start: number, end: number): StoredBytes {
    const { start: from, end: to } = this.#of
    return new ObjectBytes({
      ...this.#of,
      start: Math.min(from + start, to),
      end: Math.min(from + end, to),
    })
  }

  body(): ReadableStream<Uint8Array> {
    return this.stream()
  }

  get #range(): Range {
    return [this.#of.start, this.#of.end]
  }
}

const stillFailing = () =>
  new StorageFailure('unreachable', {
    code: 'BUCKET_FAILED',
    message: 'the bucket of files fails: it is tried again every second',
  })
