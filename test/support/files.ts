// The file store of a test run: folders, or with TOLLGATE_TEST_FILES=s3 a bucket on a real S3 server.
import type { Bucket } from '../../src/domain/catalogue.ts'

export const FILES = process.env.TOLLGATE_TEST_FILES === 's3' ? 'bucket' : 'folders'

/** The bucket of one gateway; undefined for folders. */
export async function bucketOfRun(): Promise<Bucket | undefined> {
  if (FILES !== 'bucket') return undefined
  // The module reports a missing server on standard error, where processes that tests start must print nothing.
  const { partOf, sharedS3Server } = await import('./s3-server.ts')
  return partOf(await sharedS3Server())
}

/** The lines of [storage] for a bucket. */
export const filesLines = ({ bucket, prefix, endpoint, access_key_id, secret_access_key }: Bucket): string =>
  [
    `files = "s3://${bucket}/${prefix}"`,
    `endpoint = "${endpoint}"`,
    `access_key_id = "${access_key_id}"`,
    `secret_access_key = "${secret_access_key}"`,
    '',
  ].join('\n')
