// The section [backup]: valid settings, mistakes, and variables that are not set.
import { describe, expect, test } from 'bun:test'
import { backup_section } from '../../plugins/backups/settings.ts'
import { secretsOf } from '../../src/observe/redact.ts'
import { CATALOGUE, catalogueOf, mistakesOf, read } from '../catalogue/catalogues.ts'
import { configured } from '../catalogue/configured.ts'

const KEY = 'access_key_id = "id"\nsecret_access_key = "secret"\n'
const BUCKET = `bucket = "backups"\n${KEY}`
const with_ = (lines: string) => `${CATALOGUE}\n[backup]\n${lines}\n`

function backupOf(lines: string, env: Record<string, string> = {}) {
  const reading = read(lines === '' ? CATALOGUE : with_(lines), env)
  if (!reading.ok) throw new Error(JSON.stringify(reading.mistakes))
  return { backup: backup_section.of(reading.catalogue), warnings: reading.warnings }
}

describe('valid settings', () => {
  test('by default there is no schedule, and backups by hand go into a folder of the data folder', () => {
    expect(backupOf('').backup).toEqual({
      schedule: undefined,
      keep: 7,
      place: { kind: 'folder', folder: 'backups' },
      lock: undefined,
      unavailable: undefined,
    })
  })

  test.each([
    ['every = "24h"', { every_ms: 86_400_000 }],
    ['every = "90m"', { every_ms: 5_400_000 }],
    ['every = "7d"', { every_ms: 604_800_000 }],
    ['at = "03:05"', { at_minute: 185 }],
    ['at = "00:00"', { at_minute: 0 }],
  ])('%s', (line, schedule) => {
    expect(backupOf(line).backup.schedule).toEqual(schedule)
  })

  test('a bucket, with its slashes in order and its secrets from the environment', () => {
    const { backup } = backupOf(
      `bucket = "backups"
endpoint = "https://s3.example.com/"
region = "eu-1"
prefix = "home/gateway"
access_key_id = "env:ID"
secret_access_key = "env:SECRET"
passphrase = "env:PASS"`,
      { ID: 'id', SECRET: 'secret', PASS: 'open sesame' },
    )
    expect(backup.place).toEqual({
      kind: 'bucket',
      bucket: 'backups',
      endpoint: 'https://s3.example.com',
      region: 'eu-1',
      prefix: 'home/gateway/',
      access_key_id: 'id',
      secret_access_key: 'secret',
    })
    expect(backup.lock).toEqual({ passphrase: 'open sesame' })
  })

  test('a variable that is not set is a warning: the gateway serves, and backups are not made', () => {
    const { backup, warnings } = backupOf(`${BUCKET}passphrase = "env:PASS"`)
    expect(backup.unavailable).toContain('PASS')
    expect(warnings.map(({ message }) => message).join()).toContain('no backups are made')
  })
})

describe('a mistake', () => {
  test.each([
    ['two times', 'every = "24h"\nat = "03:00"', 'backup.at: must be left out'],
    ['a time of no day', 'at = "24:00"', 'a time of the day in UTC'],
    ['a duration of zero', 'every = "0h"', 'a duration such as'],
    ['to keep none', 'keep = 0', 'backup.keep: must be'],
    ['a folder and a bucket', `folder = "x"\n${BUCKET}passphrase = "x"`, 'backup.folder: must be left out'],
    [
      'two locks',
      `passphrase = "x"\nrecipient = "age1${'q'.repeat(58)}"`,
      'backup.recipient: must be left out',
    ],
    ['a bucket and no lock', BUCKET, 'backup.bucket: needs a `passphrase` or a `recipient`'],
    ['a bucket without its key', 'bucket = "backups"\npassphrase = "x"', 'backup.access_key_id: is missing'],
    ['a bucket with an invalid name', `bucket = "Back Ups"\n${KEY}passphrase = "x"`, 'the name of a bucket'],
    [
      'an address without its scheme',
      `${BUCKET}passphrase = "x"\nendpoint = "s3.example.com"`,
      'the address of an S3 server',
    ],
    [
      'an address with a password',
      `${BUCKET}passphrase = "x"\nendpoint = "https://a:b@s3.example.com"`,
      'the address of an S3 server',
    ],
    ['a path upwards', `${BUCKET}passphrase = "x"\nprefix = "/etc"`, 'a path within the bucket'],
    ['an invalid recipient', 'recipient = "ssh-rsa AAAA"', 'a public key of age'],
    ['a field that does not exist', 'often = true', 'backup.often: unknown field'],
  ])('%s', (_, lines, message) => {
    expect(mistakesOf(with_(lines)).join('\n')).toContain(message)
  })
})

describe('its secrets', () => {
  const SECRETS = ['id-of-the-bucket', 'secret-of-the-bucket', 'passphrase-of-backups']
  const TEXT = with_(`bucket = "backups"
access_key_id = "${SECRETS[0]}"
secret_access_key = "${SECRETS[1]}"
passphrase = "${SECRETS[2]}"
# passphrase = "passphrase-of-before"`)

  test('are neither visible nor written to the log', async () => {
    const visible = JSON.stringify(await configured(TEXT, (configuration) => configuration.read()))
    for (const secret of [...SECRETS, 'passphrase-of-before']) expect(visible).not.toContain(secret)
    expect(visible).toContain('bucket = \\"backups')
    const [hidden] = secretsOf(catalogueOf(TEXT))
    expect(hidden).toContain('secret-of-the-bucket')
    expect(hidden).toContain('passphrase-of-backups')
  })

  test.each([
    ['another bucket', ['backup', 'bucket'], 'elsewhere'],
    ['another passphrase', ['backup', 'passphrase'], 'known to the thief'],
    ['another server', ['backup', 'endpoint'], 'https://thief.example'],
  ])('do not follow %s from the console: archives contain provider keys', async (_, path, value) => {
    const { mistakes } = await configured(TEXT, (configuration) =>
      configuration.check({ edits: [{ op: 'set', path, value }] }),
    )
    expect(mistakes.map(({ message }) => message).join()).toContain(
      'must be changed in the file on the server',
    )
  })

  test('do not hinder other changes', async () => {
    const { mistakes } = await configured(TEXT, (configuration) =>
      configuration.check({ edits: [{ op: 'set', path: ['models', 0, 'price', 'input'], value: '3' }] }),
    )
    expect(mistakes).toEqual([])
  })
})
