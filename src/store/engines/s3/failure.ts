// Refusals and failures of an S3 server, explained to operators with a remedy.
import type { Bucket } from '../../../domain/catalogue.ts'
import { GatewayError, notFound, permissionDenied, upstreamFailed } from '../../../domain/errors.ts'
import { codeOf } from '../../../utilities/thrown.ts'

const AMAZON = 'Amazon S3'

const REFUSED: Readonly<Record<string, string>> = {
  SignatureDoesNotMatch: 'the secret_access_key is wrong',
  InvalidAccessKeyId: 'the access_key_id is unknown there',
  // The code of versitygw.
  XAdminUserNotFound: 'the access_key_id is unknown there',
  AccessDenied: 'the key may not do that in this bucket',
  ERR_S3_MISSING_CREDENTIALS: 'access_key_id and secret_access_key are missing',
}

/** The place of the bucket's configuration: a section of the catalogue, or the environment variables that S3 programs read. */
export type NamedIn = 'backup' | 'storage' | 'environment'

const CHECK: Readonly<Record<NamedIn, string>> = {
  backup: 'Check [backup] in the catalogue.',
  storage: 'Check [storage] in the catalogue.',
  environment: 'Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
}

/** Whether the bucket lacks the object, which is not a failure of the bucket. */
export const isAbsentObject = (failure: unknown): boolean => codeOf(failure) === 'NoSuchKey'

/** Names a bucket for people: `The bucket files at https://s3.example.com`. */
export const nameOf = ({ bucket, endpoint = AMAZON }: Pick<Bucket, 'bucket' | 'endpoint'>): string =>
  `The bucket ${bucket} at ${endpoint}`

/** Converts a failure of the client to a GatewayError with a remedy; other failures are returned unchanged. */
export function explainBucketFailure(failure: unknown, bucket: Bucket, named_in: NamedIn): unknown {
  if (failure instanceof GatewayError || !(failure instanceof Error) || isAbsentObject(failure))
    return failure
  const code = codeOf(failure)
  const at = nameOf(bucket)
  const refused = REFUSED[code]
  if (refused !== undefined)
    return permissionDenied(`${at} refused: ${refused}. ${CHECK[named_in]}`, {
      cause: failure,
    })
  if (code === 'NoSuchBucket')
    return notFound(
      `${at}: bucket not found. Create it, or name another${named_in === 'environment' ? '' : ` in [${named_in}]`}.`,
      {
        cause: failure,
      },
    )
  if (!isFromClient(failure)) return failure
  return upstreamFailed(
    `${at} (region ${bucket.region}) failed: check its address and region, and that it runs.`,
    { cause: failure },
  )
}

/** Whether the client threw the error, for an answer of the server or for the connection. */
const isFromClient = (failure: unknown): boolean =>
  failure instanceof Error &&
  (failure.name === 'S3Error' || /Connection|Timeout|FailedToOpen|ENOTFOUND|S3/i.test(codeOf(failure)))

/** Whether the same request may succeed a moment later. */
export const isPassing = (failure: unknown): boolean =>
  isFromClient(failure) && REFUSED[codeOf(failure)] === undefined && !/^NoSuch|^Invalid/.test(codeOf(failure))
