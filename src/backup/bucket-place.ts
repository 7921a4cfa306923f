// A bucket of an S3-compatible server as the place of archives.
import type { BackupPlace } from '../domain/catalogue.ts'
import { conflict, GatewayError, notFound, permissionDenied, upstreamFailed } from '../domain/errors.ts'
import { type Archive, archivesAmong } from './archives.ts'
import type { Place } from './places.ts'

type Bucket = Extract<BackupPlace, { kind: 'bucket' }>

const MB = 1024 * 1024
/** S3 takes 10,000 parts of one object (https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html). */
const MAX_PARTS = 9_000
const MIN_PART_BYTES = 8 * MB
const MAX_PART_BYTES = 1_024 * MB
/** Parts that are sent at once, each of which is in memory. */
const PARTS_AT_ONCE = 2

export function bucketPlace(settings: Bucket): Place {
  const { bucket, endpoint, region, prefix, access_key_id, secret_access_key } = settings
  const client = new Bun.S3Client({
    bucket,
    region,
    ...(endpoint === undefined ? {} : { endpoint }),
    accessKeyId: access_key_id,
    secretAccessKey: secret_access_key,
  })
  const where = `s3://${bucket}/${prefix}`
  const told = <T>(work: Promise<T>): Promise<T> =>
    work.catch((failure: unknown) => {
      throw inWords(failure, settings)
    })
  // A list is answered only to who may read the bucket, and tells a wrong secret at once.
  const check = async () => void (await told(client.list({ prefix, maxKeys: 1 })))
  return {
    where,
    check,
    async put(name, content, expected_bytes) {
      if (await told(client.exists(prefix + name)))
        throw conflict(`There is already ${where}${name}: nothing is overwritten. Try again in a second.`)
      return await told(upload(client, { key: prefix + name, content, expected_bytes }))
    },
    async open(name) {
      if (!(await told(client.exists(prefix + name)))) {
        // A bucket that is not there, or may not be read, looks the same until it is listed.
        await check()
        throw notFound(`There is no ${where}${name}.`)
      }
      return client.file(prefix + name).stream()
    },
    list: () => told(listAll(client, prefix)),
    remove: (name) => told(client.delete(prefix + name)),
  }
}

interface Upload {
  key: string
  content: AsyncIterable<Uint8Array>
  expected_bytes: number
}

/** The object exists once all of its parts are there; where the content fails, the upload is given up. */
async function upload(client: Bun.S3Client, { key, content, expected_bytes }: Upload): Promise<number> {
  let bytes = 0
  let failure: unknown
  const iterator = content[Symbol.asyncIterator]()
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await iterator.next()
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
  const partSize = Math.min(MAX_PART_BYTES, Math.max(MIN_PART_BYTES, Math.ceil(expected_bytes / MAX_PARTS)))
  try {
    await client.write(key, new Response(stream), { partSize, queueSize: PARTS_AT_ONCE, retry: 3 })
  } catch (thrown) {
    throw failure ?? thrown
  }
  if (failure) throw failure
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
const ABSENT: Readonly<Record<string, string>> = { NoSuchBucket: 'there is no such bucket' }

/** What a server of S3 says, and what to do about it. */
function inWords(failure: unknown, { bucket, endpoint = 'Amazon S3', region }: Bucket): unknown {
  if (failure instanceof GatewayError || !(failure instanceof Error)) return failure
  const code = 'code' in failure ? String(failure.code) : ''
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
  failure.name === 'S3Error' ||
  ('code' in failure && /Connection|Timeout|FailedToOpen|ENOTFOUND|S3/i.test(String(failure.code)))
