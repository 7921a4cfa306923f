// Reads [storage]: the database on a server and the bucket of files, which replace those in the data folder.
import { readFile } from 'node:fs/promises'
import type { Static } from '@sinclair/typebox'
import type { Bucket, StorageSettings } from '../domain/catalogue.ts'
import { faultOfTls, parseDatabaseAddress } from '../domain/database-address.ts'
import { withoutTrailing } from '../utilities/text-ends.ts'
import { codeOf } from '../utilities/thrown.ts'
import { formatMistake, type Mistake, Mistakes, type Report, validate } from './mistakes.ts'
import { StorageSchema } from './place-schemas.ts'
import { type Environment, readSecret } from './providers.ts'
import { readToml } from './toml.ts'

interface Context {
  env: Environment
  report: Report
}

type StorageText = Static<typeof StorageSchema>

const IN_FOLDER: StorageSettings = { database: undefined, files: undefined }

/** Reads the checked section. A missing variable is a mistake, since the gateway would otherwise store data in another place. */
export const readStorage = (text: StorageText, context: Context): StorageSettings => ({
  database: readDatabase(text, context),
  files: readFiles(text, context),
})

/** Reads the URL of the database; undefined if none exists. */
export function readDatabase(
  text: Pick<StorageText, 'database'>,
  { env, report }: Context,
): string | undefined {
  const path = ['storage', 'database']
  if (text.database === undefined) return undefined
  const database = readSecret(text.database, path, { env, report })
  if (typeof database !== 'string')
    report(
      path,
      `needs the environment variable ${database.variable}, which is not set: set it, or write the address itself`,
    )
  else {
    const fault = database === '' ? undefined : faultOf(database)
    if (fault === undefined) return database
    report(path, fault)
  }
  return undefined
}

function faultOf(text: string): string | undefined {
  const address = parseDatabaseAddress(text)
  if (address) return faultOfTls(address)
  return 'must be the address of a PostgreSQL database, such as "postgres://tollgate:password@db.internal/tollgate?sslmode=verify-full", or "env:NAME"'
}

const ADDRESS = /^s3:\/\/([^/]+)\/?(.*)$/
/** Such segments would lead out of the bucket on servers that store objects as files. */
const UPWARDS = /\/\.\.?(?:\/|$)/
const OF_A_BUCKET = ['endpoint', 'access_key_id', 'secret_access_key'] as const

/** Reads the bucket of the checked section; undefined if it names none. */
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

function secretOf(
  text: StorageText,
  name: 'access_key_id' | 'secret_access_key',
  { env, report }: Context,
): string {
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

/**
 * Reads only this section of a catalogue file, even if others have mistakes. A missing file counts as one without the section.
 *
 * @throws Error with a line for each mistake in it; the file system's error if the file cannot be read
 */
export async function storageIn(path: string, env: Environment): Promise<StorageSettings> {
  const text = await readIfThere(path)
  const refuse = (mistakes: readonly Mistake[]) => {
    if (mistakes.length > 0) throw new Error(mistakes.map((each) => formatMistake(path, each)).join('\n'))
  }
  const document = readToml(text)
  if (!document.ok) {
    const { line, message } = document
    refuse([{ path: '', line, message: `is not TOML: ${message}` }])
    return IN_FOLDER
  }
  const mistakes = new Mistakes(document)
  const { report } = mistakes
  const section = validate(StorageSchema, document.value.storage ?? {}, ['storage'], report)
  const storage = section && readStorage(section, { env, report })
  refuse(mistakes.list)
  return storage ?? IN_FOLDER
}

async function readIfThere(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return ''
    throw thrown
  }
}
