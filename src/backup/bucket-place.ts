// A bucket of an S3-compatible server as the place of archives.
import type { BackupPlace } from '../domain/catalogue.ts'
import { conflict, GatewayError, notFound, permissionDenied, upstreamFailed } from '../domain/errors.ts'
import { codeOf } from '../utilities/thrown.ts'
import { type Archive, archivesAmong, type Place } from './archives.ts'
import { eachWithin, withinSilence } from './silence.ts'

type Bucket = Extract<BackupPlace, { kind: 'bucket' }>

const AMAZON = 'Amazon S3'
const MB = 1024 * 1024
/** S3 takes 10,000 parts of one object (https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html). */
const MAX_PARTS = 9_000
const MIN_PART_BYTES = 8 * MB
const MAX_PART_BYTES = 1_024 * MB
/** Parts that are sent at once, each of which is in memory. */
const PARTS_AT_ONCE = 2

export interface BucketLimits {
  /** To an answer, and to the next bytes of an archive that is read. */
  answer_ms: number
  /** Of a connection that a backup can be sent by: nothing is heard while a part is on its way. */
  least_bytes_per_s: number
}
const LIMITS: BucketLimits = { answer_ms: 60_000, least_bytes_per_s: 50_000 }

export function bucketPlace(settings: Bucket, limits = LIMITS): Place {
  const { bucket, endpoint, region, prefix, access_key_id, secret_access_key } = settings
  const client = new Bun.S3Client({
    bucket,
    region,
    ...(endpoint === undefined ? {} : { endpoint }),
    accessKeyId: access_key_id,
    secretAccessKey: secret_access_key,
  })
  const where = `s3://${bucket}/${prefix}`
  const answering = { of: `The bucket ${bucket} at ${endpoint ?? AMAZON}`, limit_ms: limits.answer_ms }
  const inTheirWords = (failure: unknown) => {
    throw inWords(failure, settings)
  }
  const told = <T>(ask: () => Promise<T>): Promise<T> => withinSilence(answering, ask).catch(inTheirWords)
  // A list is answered only to who may read the bucket, and tells a wrong secret at once.
  const check = async () => void (await told(() => client.list({ prefix, maxKeys: 1 })))
  return {
    where,
    check,
    async put(name, content, expected_bytes) {
      if (await told(() => client.exists(prefix + name)))
        throw conflict(`${where}${name} already exists and is not overwritten. Try again in a second.`)
      const part_bytes = partBytes(expected_bytes)
      const on_its_way_ms = (1_000 * PARTS_AT_ONCE * part_bytes) / limits.least_bytes_per_s
      const silence = { ...answering, limit_ms: limits.answer_ms + on_its_way_ms }
      const sent = await withinSilence(silence, (heard) =>
        upload(client, { key: prefix + name, content, part_bytes, heard }),
      ).catch(inTheirWords)
      return await told(() => kept(client, prefix + name, sent))
    },
    async open(name) {
      if (!(await told(() => client.exists(prefix + name)))) {
        // A bucket that is not there, or may not be read, looks the same until it is listed.
        await check()
        throw notFound(`Not found: ${where}${name}.`)
      }
      return eachWithin(client.file(prefix + name).stream(), answering)
    },
    size: (name) => told(async () => (await client.stat(prefix + name)).size),
    list: () => told(() => listAll(client, prefix)),
    remove: (name) => told(() => client.delete(prefix + name)),
  }
}

const partBytes = (expected_bytes: number): number =>
  Math.min(MAX_PART_BYTES, Math.max(MIN_PART_BYTES, Math.ceil(expected_bytes / MAX_PARTS)))

interface Upload {
  key: string
  content: AsyncIterable<Uint8Array>
  part_bytes: number
  /** Called as the content is taken. */
  heard(): void
}

/** The object exists once all of its parts are there; where the content fails, the upload is given up. @returns its bytes */
async function upload(client: Bun.S3Client, { key, content, part_bytes, heard }: Upload): Promise<number> {
  let bytes = 0
  let failure: unknown
  const iterator = content[Symbol.asyncIterator]()
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        heard()
        const { done, value } = await iterator.next()
        heard()
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
      retry: 3,
    })
  } catch (thrown) {
    throw failure ?? thrown
  }
  if (failure) throw failure
  return bytes
}

/** @returns the bytes that were sent, once the bucket has them all */
async function kept(client: Bun.S3Client, key: string, bytes: number): Promise<number> {
  const { size } = await client.stat(key)
  if (size === bytes) return bytes
  await client.delete(key)
  throw new Error(`The bucket kept ${size} of ${bytes} bytes, and the object was deleted: try again.`)
}

async function listAll(client: Bun.S3Client, prefix: string): Promise<Archive[]> {
  const files: { name: string; bytes: number }[] = []
  for (let continuationToken: string | undefined; ; ) {
    const page = await client.list({ prefix, ...(continuationToken ? { continuationToken } : {}) })
    for (const { key, size = 0 } of page.contents ?? [])
      files.push({ name: key.slice(prefix.length), bytes: Number(size) })
    if (!page.isTruncated || !page.nextContinuationToken) return archivesAmong(files)
    continuationToken = page.nextContinuationToken
  }
}

const REFUSED: Readonly<Record<string, string>> = {
  SignatureDoesNotMatch: 'the secret_access_key is wrong',
  InvalidAccessKeyId: 'the access_key_id is unknown there',
  // As versitygw says it.
  XAdminUserNotFound: 'the access_key_id is unknown there',
  AccessDenied: 'the key may not do that in this bucket',
  ERR_S3_MISSING_CREDENTIALS: 'access_key_id and secret_access_key are missing',
}
const ABSENT: Readonly<Record<string, string>> = { NoSuchBucket: 'bucket not found' }

/** What a server of S3 says, and what to do about it. */
function inWords(failure: unknown, { bucket, endpoint = AMAZON, region }: Bucket): unknown {
  if (failure instanceof GatewayError || !(failure instanceof Error)) return failure
  const code = codeOf(failure)
  const at = `The bucket ${bucket} at ${endpoint}`
  const refused = REFUSED[code]
  if (refused !== undefined)
    return permissionDenied(`${at} refused: ${refused}. Check [backup] in the catalogue.`, { cause: failure })
  if (ABSENT[code] !== undefined)
    return notFound(`${at}: ${ABSENT[code]}. Create it, or name another in [backup].`, { cause: failure })
  if (!isOfServer(failure)) return failure
  return upstreamFailed(`${at} (region ${region}) failed: check its address and region, and that it runs.`, {
    cause: failure,
  })
}

/** What the client throws, be it of the server's answer or of the connection. */
const isOfServer = (failure: Error): boolean =>
  failure.name === 'S3Error' || /Connection|Timeout|FailedToOpen|ENOTFOUND|S3/i.test(codeOf(failure))
