// The targets of `migrate` from the command line.
import { validate } from '../../src/catalogue/mistakes.ts'
import { StorageSchema } from '../../src/catalogue/place-schemas.ts'
import type { Environment } from '../../src/catalogue/providers.ts'
import { readDatabase, readFiles } from '../../src/catalogue/storage.ts'
import type { Bucket } from '../../src/domain/catalogue.ts'
import { invalidRequest } from '../../src/domain/errors.ts'

export type Target = Server | { folder: string }

export interface Server {
  url: string
  /** The value of `database` in [storage], without a password. */
  setting: string
}

export type FilesTarget = NamedBucket | { folder: string }

interface NamedBucket {
  bucket: Bucket
  /** Lines for [storage]; keys by the names of their variables. */
  lines: string[]
}

const SERVER = /^(env:|postgres(ql)?:)/
const ADDRESS = /^[a-z][a-z0-9+]+:\/\//

/** @param env the environment for `env:NAME` @throws GatewayError invalid_request with advice */
export function readTarget(text: string, env: Environment): Target {
  if (ADDRESS.test(text) && !SERVER.test(text))
    throw invalidRequest(
      `--to: ${text} must be a PostgreSQL database ("postgres://USER@HOST/NAME") or a folder.${
        text.startsWith('s3:') ? ' Name a bucket for the files in --files.' : ''
      }`,
    )
  if (!SERVER.test(text)) return { folder: text }
  const mistakes: string[] = []
  const url = readDatabase({ database: text }, { env, report: (_, message) => void mistakes.push(message) })
  if (mistakes.length > 0 || url === undefined) throw invalidRequest(`--to: ${mistakes.join('; ')}.`)
  return { url, setting: text.startsWith('env:') ? text : withoutPassword(url) }
}

/** Returns the setting for an address: one with a password belongs in an environment variable. */
const withoutPassword = (url: string): string => (new URL(url).password === '' ? url : 'env:DATABASE_URL')

const KEYS = { access_key_id: 'env:AWS_ACCESS_KEY_ID', secret_access_key: 'env:AWS_SECRET_ACCESS_KEY' }
const DEFAULT_REGION = 'us-east-1'

/**
 * Reads a bucket, with keys, region and address from the usual variables of S3 clients, or a folder.
 * @throws GatewayError invalid_request with advice, or with the variables to set
 */
export function readFilesTarget(text: string, env: Environment): FilesTarget {
  if (!ADDRESS.test(text)) return { folder: text }
  const section = {
    files: text,
    ...(env.AWS_ENDPOINT_URL ? { endpoint: env.AWS_ENDPOINT_URL } : {}),
    region: env.AWS_REGION || DEFAULT_REGION,
    ...KEYS,
  }
  const mistakes: string[] = []
  const report = ([, name]: readonly (string | number)[], message: string) =>
    void mistakes.push(`${name === 'endpoint' ? 'AWS_ENDPOINT_URL' : '--files'}: ${message}`)
  const read = validate(StorageSchema, section, ['storage'], report)
  const are_keys_set = Boolean(env.AWS_ACCESS_KEY_ID && env.AWS_SECRET_ACCESS_KEY)
  const bucket = read && are_keys_set ? readFiles(read, { env, report }) : undefined
  if (mistakes.length > 0) throw invalidRequest(`${mistakes.join('; ')}.`)
  if (!bucket)
    throw invalidRequest(
      `--files ${text}: set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION, and AWS_ENDPOINT_URL unless it is at Amazon.`,
    )
  return { bucket, lines: linesOf(section) }
}

const linesOf = ({ region, ...section }: Record<string, string>): string[] =>
  Object.entries({ ...section, ...(region === DEFAULT_REGION ? {} : { region }) }).map(
    ([name, value]) => `${name} = ${JSON.stringify(value)}`,
  )
