// The schema of [storage], and of a bucket in any section.
import { Type } from '@sinclair/typebox'
import { closed, OptionalText } from './schema-parts.ts'

/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html */
const NAME = '[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]'
const SEGMENT = '[A-Za-z0-9._-]+'

/** The fields for access to a bucket. */
export const bucket_access = {
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

/** The name of a bucket. */
export const BucketName = Type.String({
  pattern: `^${NAME}$`,
  must: 'the name of a bucket, such as "backups"',
})

/** A path within a bucket. */
export const BucketPrefix = Type.String({
  default: '',
  pattern: `^(${SEGMENT}(/${SEGMENT})*/?)?$`,
  must: 'a path within the bucket, such as "tollgate/"',
})

export const StorageSchema = Type.Object(
  {
    database: OptionalText(
      'the URL of a PostgreSQL database, used instead of tollgate.db; "env:NAME" reads a variable. Takes effect after a restart',
    ),
    files: Type.Optional(
      Type.String({
        pattern: `^s3://${NAME}(/${SEGMENT})*/?$`,
        must: 'the address of a bucket, such as "s3://tollgate-files/prod"',
        description:
          'a bucket for images, uploads, kept answers and responses, used instead of the data folder. Takes effect after a restart',
      }),
    ),
    ...bucket_access,
  },
  closed,
)
