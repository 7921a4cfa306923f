// A bucket of an S3-compatible server as a place for archives.

import type { Bucket } from '../../../src/domain/catalogue.ts'
import { conflict, notFound } from '../../../src/domain/errors.ts'
import { connectBucket } from '../../../src/store/engines/s3/connection.ts'
import { archivesAmong, type Place } from './place.ts'

const MB = 1024 * 1024
/** S3 allows 10,000 parts per object (https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html). */
const MAX_PARTS = 9_000
const MIN_PART_BYTES = 8 * MB
const MAX_PART_BYTES = 1_024 * MB

interface BucketLimits {
  /** Timeout of a request, and of the next bytes of an archive that is read. */
  answer_ms: number
  /** The slowest accepted upload: the time limit of a request grows with its bytes at this rate. */
  least_bytes_per_s: number
}
const LIMITS: BucketLimits = { answer_ms: 60_000, least_bytes_per_s: 50_000 }

export function bucketPlace(settings: Bucket, limits = LIMITS): Place {
  const connection = connectBucket(settings, { named_in: 'backup', ...limits })
  const { where, check } = connection
  return {
    where,
    check,
    async put(name, content, expected_bytes) {
      if ((await connection.size(name)) !== undefined)
        throw conflict(`${where}${name} already exists and is not overwritten. Try again in a second.`)
      return await connection.send(name, content, partBytes(expected_bytes))
    },
    async open(name) {
      if ((await connection.size(name)) === undefined) throw notFound(`Not found: ${where}${name}.`)
      return connection.stream(name)
    },
    async size(name) {
      const bytes = await connection.size(name)
      if (bytes === undefined) throw notFound(`Not found: ${where}${name}.`)
      return bytes
    },
    async list() {
      const files: { name: string; bytes: number }[] = []
      for await (const { key, bytes } of connection.list('')) files.push({ name: key, bytes })
      return archivesAmong(files)
    },
    remove: connection.remove,
  }
}

const partBytes = (expected_bytes: number): number =>
  Math.min(MAX_PART_BYTES, Math.max(MIN_PART_BYTES, Math.ceil(expected_bytes / MAX_PARTS)))
