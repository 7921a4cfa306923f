// A connection to a prefix of a bucket: puts, reads, lists and deletes its objects, and explains failures.
import type { Bucket } from '../../../domain/catalogue.ts'
import { atEnd } from '../../../utilities/at-end.ts'
import { codeOf } from '../../../utilities/thrown.ts'
import { explainBucketFailure, isAbsentObject, isPassing, type NamedIn, nameOf } from './failure.ts'
import { eachWithin, type Silence, withinSilence } from './silence.ts'

interface ConnectionOptions {
  named_in: NamedIn
  /** The time for an answer, and for the next bytes of an object that is read. */
  answer_ms: number
  /** The lowest speed of a connection that can upload: the server sends nothing while it receives a part. */
  least_bytes_per_s: number
}

interface BucketObject {
  /** Without the prefix. */
  key: string
  bytes: number
  /** NaN if the server does not report it. */
  modified_at_ms: number
}

/** Keys are relative to the prefix. All methods throw a GatewayError for the bucket's failures; others, such as of the content, pass unchanged. */
export interface Connection {
  /** For people: `s3://bucket/prefix`. */
  readonly where: string
  /** Returns the size of an object in bytes; undefined if it does not exist. */
  size(key: string): Promise<number | undefined>
  /** Stores bytes as an object, whole or not at all. */
  put(key: string, bytes: Uint8Array): Promise<void>
  /**
   * Stores an object that is sent in parts as the content arrives. It exists once all parts are stored; if the content fails, nothing stays.
   * @returns its size, once the bucket has all bytes
   */
  send(key: string, content: AsyncIterable<Uint8Array>, part_bytes: number): Promise<number>
  /** Reads a range of an object as it is consumed; without a range, all of it. */
  stream(key: string, range?: Range): AsyncGenerator<Uint8Array>
  /** Reads a range into memory. */
  bytes(key: string, range: Range): Promise<Uint8Array<ArrayBuffer>>
  /** Deletes an object; does nothing if it does not exist. */
  remove(key: string): Promise<void>
  /** Lists the objects whose keys have this prefix, in byte order. */
  list(beginning: string): AsyncGenerator<BucketObject>
  /** Requests a list of at most one object: this reports a wrong bucket, key or secret to a user who may list. */
  check(): Promise<void>
}

/** From one offset to before another. */
export type Range = readonly [start: number, end: number]

/** Parts that are sent at the same time, each held in memory. */
const PARTS_AT_ONCE = 2
const RETRIES = 3
/** The pauses before a request is repeated. */
const PAUSES_MS = [100, 400]

export function connectBucket(settings: Bucket, options: ConnectionOptions): Connection {
  const { bucket, endpoint, region, prefix, access_key_id, secret_access_key } = settings
  const { named_in, answer_ms, least_bytes_per_s } = options
  const client = new Bun.S3Client({
    bucket,
    region,
    ...(endpoint === undefined ? {} : { endpoint }),
    accessKeyId: access_key_id,
    secretAccessKey: secret_access_key,
  })
  const of = nameOf(settings)
  const within = (bytes: number): Silence => ({
    of,
    limit_ms: answer_ms + (1_000 * bytes) / least_bytes_per_s,
  })
  const throwExplained = (failure: unknown) => {
    throw explainBucketFailure(failure, settings, named_in)
  }
  /** @param bytes the bytes that are sent or received in the meantime */
  const request = <T>(send: () => Promise<T>, bytes = 0): Promise<T> =>
    patiently(() => withinSilence(within(bytes), send)).catch(throwExplained)
  const fileAt = (key: string, range?: Range) => {
    const file = client.file(prefix + key)
    return range ? file.slice(...range) : file
  }

  return {
    where: `s3://${bucket}/${prefix}`,
    size: (key) => request(() => sizeOf(client, prefix + key)),
    put: (key, bytes) =>
      request(async () => {
        await client.write(prefix + key, bytes)
        await assertKept(client, prefix + key, bytes.length)
      }, bytes.length),
    async send(key, content, part_bytes) {
      const sent = await withinSilence(within(PARTS_AT_ONCE * part_bytes), (onActivity) =>
        upload(client, { key: prefix + key, content, part_bytes, onActivity }),
      ).catch(throwExplained)
      await request(() => assertKept(client, prefix + key, sent))
      return sent
    },
    async *stream(key, range) {
      try {
        yield* eachWithin(fileAt(key, range).stream(), within(0))
      } catch (failure) {
        throwExplained(failure)
      }
    },
    bytes: (key, range) => request(() => fileAt(key, range).bytes(), range[1] - range[0]),
    remove: (key) => request(async () => void (await client.delete(prefix + key))),
    async *list(beginning) {
      for (let continuationToken: string | undefined; ; ) {
        const page = await request(() =>
          client.list({ prefix: prefix + beginning, ...(continuationToken ? { continuationToken } : {}) }),
        )
        for (const { key, size = 0, lastModified } of page.contents ?? [])
          yield {
            key: key.slice(prefix.length),
            bytes: Number(size),
            modified_at_ms: Date.parse(lastModified ?? ''),
          }
        if (!page.isTruncated || !page.nextContinuationToken) return
        continuationToken = page.nextContinuationToken
      }
    },
    check: () => request(async () => void (await client.list({ prefix, maxKeys: 1 }))),
  }
}

/** Repeats a request that may succeed a moment later. */
async function patiently<T>(send: () => Promise<T>): Promise<T> {
  for (const pause_ms of PAUSES_MS)
    try {
      return await send()
    } catch (failure) {
      if (!isPassing(failure)) throw failure
      await Bun.sleep(pause_ms)
    }
  return await send()
}

/** Returns an object's size. An answer to HEAD has no message, so the reason for a missing object comes from a second request, with one. */
async function sizeOf(client: Bun.S3Client, key: string): Promise<number | undefined> {
  try {
    return (await client.stat(key)).size
  } catch (failure) {
    if (!isAbsentObject(failure) && codeOf(failure) !== 'UnknownError') throw failure
  }
  try {
    await client.file(key).slice(0, 1).bytes()
  } catch (failure) {
    if (isAbsentObject(failure)) return undefined
    // An empty object has no first byte.
    if (codeOf(failure) !== 'InvalidRange') throw failure
  }
  return (await client.stat(key)).size
}

interface Upload {
  key: string
  content: AsyncIterable<Uint8Array>
  part_bytes: number
  /** Called when content is received, and while it is awaited. */
  onActivity(): void
}

/** Uploads an object, which exists once all its parts are stored; if the content fails, the upload is aborted. @returns its size */
async function upload(
  client: Bun.S3Client,
  { key, content, part_bytes, onActivity }: Upload,
): Promise<number> {
  let bytes = 0
  let failure: unknown
  const iterator = content[Symbol.asyncIterator]()
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await withActivity(onActivity, () => iterator.next())
        if (done) return controller.close()
        bytes += value.byteLength
        controller.enqueue(value)
      } catch (thrown) {
        failure = thrown
        controller.error(thrown)
      }
    },
    async cancel() {
      await iterator.return?.()
    },
  })
  try {
    await client.write(key, new Response(stream), {
      partSize: part_bytes,
      queueSize: PARTS_AT_ONCE,
      retry: RETRIES,
    })
  } catch (thrown) {
    throw failure ?? thrown
  }
  if (failure) throw failure
  return bytes
}

const ACTIVITY_INTERVAL_MS = 250

/** Reports activity while the content's source is silent, since that silence is not the bucket's. */
async function withActivity<T>(onActivity: () => void, work: () => Promise<T>): Promise<T> {
  onActivity()
  const timer = setInterval(onActivity, ACTIVITY_INTERVAL_MS)
  using _clearing = atEnd(() => clearInterval(timer))
  const result = await work()
  onActivity()
  return result
}

/** @throws Error if the bucket has another number of bytes; the object is deleted then */
async function assertKept(client: Bun.S3Client, key: string, bytes: number): Promise<void> {
  const size = (await sizeOf(client, key)) ?? 0
  if (size === bytes) return
  await client.delete(key)
  throw new Error(`The bucket kept ${size} of ${bytes} bytes, and the object was deleted: try again.`)
}
