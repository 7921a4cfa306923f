// The shape of [backup] and [storage], each of which may name a bucket.
import { Type } from '@sinclair/typebox'
import { closed, OptionalText } from './schema-parts.ts'

/** As S3 and its likes allow: https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html */
const BUCKET = '[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]'
const SEGMENT = '[A-Za-z0-9._-]+'

/** How a bucket is reached. */
const access = {
  endpoint: Type.Optional(
    Type.String({
      pattern: '^https?://[^\\s/?#@]+/?$',
      must: 'the address of an S3 server, such as "https://s3.example.com"',
    }),
  ),
  region: Type.String({ default: 'us-east-1', minLength: 1, description: 'the region of the bucket' }),
  access_key_id: OptionalText('the key of the bucket; "env:NAME" reads a variable'),
  secret_access_key: OptionalText('its secret; "env:NAME" reads a variable'),
}

export const BackupSchema = Type.Object(
  {
    every: Type.Optional(
      Type.String({
        pattern: '^[1-9][0-9]{0,3}[mhd]$',
        must: 'a duration such as "24h", "90m" or "7d"',
        description: 'how often an archive is made',
      }),
    ),
    at: Type.Optional(
      Type.String({
        pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$',
        must: 'a time of the day in UTC, such as "03:00"',
        description: 'when an archive is made each day',
      }),
    ),
    keep: Type.Integer({
      default: 7,
      minimum: 1,
      maximum: 10_000,
      description: 'archives of the schedule that stay',
    }),
    folder: OptionalText('where archives go; a relative one is in the data folder'),
    bucket: Type.Optional(
      Type.String({ pattern: `^${BUCKET}$`, must: 'the name of a bucket, such as "backups"' }),
    ),
    prefix: Type.String({
      default: '',
      pattern: `^(${SEGMENT}(/${SEGMENT})*/?)?$`,
      must: 'a path within the bucket, such as "tollgate/"',
    }),
    ...access,
    passphrase: OptionalText('what archives are encrypted with; "env:NAME" reads a variable'),
    recipient: Type.Optional(
      Type.String({
        pattern: '^age1[a-z0-9]{20,4000}$',
        must: 'a public key of age, such as "age1…"',
        description: 'who can decrypt the archives',
      }),
    ),
  },
  closed,
)

export const StorageSchema = Type.Object(
  {
    database: OptionalText(
      'the address of a PostgreSQL database in place of tollgate.db; "env:NAME" reads a variable. Waits for a restart',
    ),
    files: Type.Optional(
      Type.String({
        pattern: `^s3://${BUCKET}(/${SEGMENT})*/?$`,
        must: 'the address of a bucket, such as "s3://tollgate-files/prod"',
        description:
          'a bucket for images, uploads, kept answers and responses, in place of the data folder. Waits for a restart',
      }),
    ),
    ...access,
  },
  closed,
)
