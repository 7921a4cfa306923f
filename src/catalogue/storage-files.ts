// The reading of the bucket of files in [storage].
import type { Static } from '@sinclair/typebox'
import type { Bucket } from '../domain/catalogue.ts'
import { withoutTrailing } from '../utilities/text-ends.ts'
import type { Report } from './mistakes.ts'
import type { StorageSchema } from './place-schemas.ts'
import { type Environment, readSecret } from './providers.ts'

interface Context {
  env: Environment
  report: Report
}

type StorageText = Static<typeof StorageSchema>
type SecretName = 'access_key_id' | 'secret_access_key'

const ADDRESS = /^s3:\/\/([^/]+)\/?(.*)$/
/** Servers that keep objects as files would leave the bucket by them. */
const UPWARDS = /\/\.\.?(?:\/|$)/
const OF_A_BUCKET = ['endpoint', 'access_key_id', 'secret_access_key'] as const

/** The bucket that a section names, whose shape has been checked; undefined if it names none. */
export function readFiles(text: StorageText, context: Context): Bucket | undefined {
  const { report } = context
  const { files, endpoint, region } = text
  if (files === undefined) {
    for (const name of OF_A_BUCKET)
      if (text[name] !== undefined)
        report(
          ['storage', name],
          'is for a bucket: write files = "s3://BUCKET/PREFIX" beside it, or leave it out',
        )
    return undefined
  }
  if (UPWARDS.test(files))
    report(['storage', 'files'], 'must not have "." or ".." as a part of its path: write the path itself')
  const [, bucket = '', path = ''] = ADDRESS.exec(files) ?? []
  const prefix = withoutTrailing(path, '/')
  return {
    bucket,
    endpoint: endpoint && withoutTrailing(endpoint, '/'),
    region,
    prefix: prefix === '' ? '' : `${prefix}/`,
    access_key_id: secretOf(text, 'access_key_id', context),
    secret_access_key: secretOf(text, 'secret_access_key', context),
  }
}

function secretOf(text: StorageText, name: SecretName, { env, report }: Context): string {
  const path = ['storage', name]
  const written = text[name]
  const read = written === undefined ? '' : readSecret(written, path, { env, report })
  if (written === undefined)
    report(path, 'is missing: the bucket asks for it. Write "env:NAME" or the text itself')
  if (typeof read === 'string') return read
  report(
    path,
    `needs the environment variable ${read.variable}, which is not set: set it, or write the text itself`,
  )
  return ''
}
