// Refusals and failures of a server of S3 in words for operators: what is wrong, and what to do about it.
import type { Bucket } from '../../../domain/catalogue.ts'
import { GatewayError, notFound, permissionDenied, upstreamFailed } from '../../../domain/errors.ts'
import { codeOf } from '../../../utilities/thrown.ts'

const AMAZON = 'Amazon S3'

const REFUSED: Readonly<Record<string, string>> = {
  SignatureDoesNotMatch: 'the secret_access_key is wrong',
  InvalidAccessKeyId: 'the access_key_id is unknown there',
  // As versitygw says it.
  XAdminUserNotFound: 'the access_key_id is unknown there',
  AccessDenied: 'the key may not do that in this bucket',
  ERR_S3_MISSING_CREDENTIALS: 'access_key_id and secret_access_key are missing',
}

/** The place that names the bucket: a section of the catalogue, or the variables that programs of S3 read. */
export type NamedIn = 'backup' | 'storage' | 'environment'

const CHECK: Readonly<Record<NamedIn, string>> = {
  backup: 'Check [backup] in the catalogue.',
  storage: 'Check [storage] in the catalogue.',
  environment: 'Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
}

/** No failure of the bucket: it has no such object, or no longer. */
export const isAbsentObject = (failure: unknown): boolean => codeOf(failure) === 'NoSuchKey'

/** A bucket for people: `The bucket files at https://s3.example.com`. */
export const nameOf = ({ bucket, endpoint = AMAZON }: Pick<Bucket, 'bucket' | 'endpoint'>): string =>
  `The bucket ${bucket} at ${endpoint}`

/** A failure of the client as a GatewayError that says what to do; a failure that is not the server's stays as it is. */
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
  if (!isOfServer(failure)) return failure
  return upstreamFailed(
    `${at} (region ${bucket.region}) failed: check its address and region, and that it runs.`,
    { cause: failure },
  )
}

/** Reports whether the client threw it, be it of the server's answer or of the connection. */
const isOfServer = (failure: unknown): boolean =>
  failure instanceof Error &&
  (failure.name === 'S3Error' || /Connection|Timeout|FailedToOpen|ENOTFOUND|S3/i.test(codeOf(failure)))

/** Reports whether the same may succeed a moment later. */
export const isPassing = (failure: unknown): boolean =>
  isOfServer(failure) && REFUSED[codeOf(failure)] === undefined && !/^NoSuch|^Invalid/.test(codeOf(failure))
