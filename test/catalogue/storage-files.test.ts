// The bucket of files in [storage]: valid settings, mistakes, and settings that the console may not change.
import { describe, expect, test } from 'bun:test'
import { secretsOf } from '../../src/observe/redact.ts'
import { CATALOGUE, catalogueOf, mistakesOf } from './catalogues.ts'
import { configured } from './configured.ts'

const KEY = 'access_key_id = "id"\nsecret_access_key = "secret"\n'
const with_ = (lines: string) => `${CATALOGUE}\n[storage]\n${lines}\n`
const storageOf = (lines: string) => catalogueOf(with_(lines)).storage

describe('the bucket', () => {
  test('is absent by default: files are in folders', () => {
    expect(catalogueOf(CATALOGUE).storage).toMatchObject({ files: undefined })
  })

  test.each([
    ['s3://tollgate-files', 'tollgate-files', ''],
    ['s3://tollgate-files/', 'tollgate-files', ''],
    ['s3://tollgate-files/prod', 'tollgate-files', 'prod/'],
    ['s3://tollgate.files/prod/eu-1/', 'tollgate.files', 'prod/eu-1/'],
  ])('%s', (address, bucket, prefix) => {
    expect(storageOf(`files = "${address}"\n${KEY}`)).toMatchObject({
      files: {
        bucket,
        prefix,
        endpoint: undefined,
        region: 'us-east-1',
        access_key_id: 'id',
        secret_access_key: 'secret',
      },
    })
  })

  test('a server of its own, and secrets from the environment', () => {
    const { storage } = catalogueOf(
      with_(
        'files = "s3://files/a"\nendpoint = "https://s3.example.com/"\nregion = "eu-1"\naccess_key_id = "env:ID"\nsecret_access_key = "env:SECRET"',
      ),
      { ID: 'id', SECRET: 'secret' },
    )
    expect(storage.files).toEqual({
      bucket: 'files',
      prefix: 'a/',
      endpoint: 'https://s3.example.com',
      region: 'eu-1',
      access_key_id: 'id',
      secret_access_key: 'secret',
    })
  })
})

test.each([
  ['a folder', `files = "data/files"\n${KEY}`, 'the address of a bucket'],
  ['a bucket with an invalid name', `files = "s3://Files"\n${KEY}`, 'the address of a bucket'],
  ['a path upwards', `files = "s3://files/../other"\n${KEY}`, 'storage.files: must not'],
  ['a path with an empty part', `files = "s3://files//other"\n${KEY}`, 'the address of a bucket'],
  ['a bucket without its key', 'files = "s3://files"', 'storage.access_key_id: is missing'],
  [
    'a bucket without its secret',
    'files = "s3://files"\naccess_key_id = "id"',
    'storage.secret_access_key: is missing',
  ],
  ['an empty key', 'files = "s3://files"\naccess_key_id = " "\nsecret_access_key = "x"', 'must not be empty'],
  [
    'a variable that is not set',
    'files = "s3://files"\naccess_key_id = "x"\nsecret_access_key = "env:NOT_SET"',
    'needs the environment variable NOT_SET',
  ],
  ['a key and no bucket', KEY, 'storage.access_key_id: is for a bucket'],
  ['an address and no bucket', 'endpoint = "https://s3.example.com"', 'storage.endpoint: is for a bucket'],
  [
    'an address with a password',
    `files = "s3://files"\nendpoint = "https://a:b@s3.example.com"\n${KEY}`,
    'the address of an S3 server',
  ],
  ['a field that does not exist', 'bucket = "files"', 'storage.bucket: unknown field'],
])('%s is a mistake', (_, lines, message) => {
  expect(mistakesOf(with_(lines)).join('\n')).toContain(message)
})

describe('its secrets', () => {
  const SECRETS = ['id-of-the-bucket', 'secret-of-the-bucket']
  const TEXT = with_(
    `files = "s3://files"\naccess_key_id = "${SECRETS[0]}"\nsecret_access_key = "${SECRETS[1]}"`,
  )

  test('are neither visible nor written to the log', async () => {
    const visible = JSON.stringify(await configured(TEXT, (configuration) => configuration.read()))
    for (const secret of SECRETS) expect(visible).not.toContain(secret)
    expect(visible).toContain('s3://files')
    expect(secretsOf(catalogueOf(TEXT))[0]).toContain('secret-of-the-bucket')
  })

  test.each([
    ['another bucket', ['storage', 'files'], 's3://elsewhere'],
    ['another server', ['storage', 'endpoint'], 'https://thief.example'],
  ])('do not follow %s from the console', async (_, path, value) => {
    const { mistakes } = await configured(TEXT, (configuration) =>
      configuration.check({ edits: [{ op: 'set', path, value }] }),
    )
    expect(mistakes.map(({ message }) => message).join()).toContain(
      'must be changed in the file on the server',
    )
  })
})
