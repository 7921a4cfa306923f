// The settings section [backup]: schedule, place and encryption of archives.
import { type Static, Type } from '@sinclair/typebox'
import { BucketName, BucketPrefix, bucket_access } from '../../src/catalogue/place-schemas.ts'
import { readSecret, warnUnusable } from '../../src/catalogue/providers.ts'
import { closed, OptionalText } from '../../src/catalogue/schema-parts.ts'
import { defineSection, type SectionContext } from '../../src/catalogue/sections.ts'
import type { Bucket } from '../../src/domain/catalogue.ts'
import { parseDuration } from '../../src/utilities/duration.ts'
import { withoutTrailing } from '../../src/utilities/text-ends.ts'

const DEFAULT_KEEP = 7
/** Relative to the data folder. */
const DEFAULT_FOLDER = 'backups'

const BackupSchema = Type.Object(
  {
    every: Type.Optional(
      Type.String({
        pattern: '^[1-9][0-9]{0,3}[mhd]$',
        must: 'a duration such as "24h", "90m" or "7d"',
        description: 'how often to back up',
      }),
    ),
    at: Type.Optional(
      Type.String({
        pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$',
        must: 'a time of the day in UTC, such as "03:00"',
        description: 'when to back up each day',
      }),
    ),
    keep: Type.Integer({
      default: DEFAULT_KEEP,
      minimum: 1,
      maximum: 10_000,
      description: 'scheduled backups to keep',
    }),
    folder: OptionalText('the folder for backups; a relative path is in the data folder'),
    bucket: Type.Optional(BucketName),
    prefix: BucketPrefix,
    ...bucket_access,
    passphrase: OptionalText('the passphrase that encrypts backups; "env:NAME" reads a variable'),
    recipient: Type.Optional(
      Type.String({
        pattern: '^age1[a-z0-9]{20,4000}$',
        must: 'a public key of age, such as "age1…"',
        description: 'the age key that can decrypt the backups',
      }),
    ),
  },
  closed,
)

/** The passphrase or public key that encrypts archives. */
export type BackupLock = { readonly passphrase: string } | { readonly recipient: string }

export type BackupPlace =
  | { readonly kind: 'folder'; readonly folder: string }
  | ({ readonly kind: 'bucket' } & Bucket)

export interface BackupSettings {
  /** Undefined for backups by hand only. */
  readonly schedule: { readonly every_ms: number } | { readonly at_minute: number } | undefined
  readonly keep: number
  readonly place: BackupPlace
  readonly lock: BackupLock | undefined
  /** Why no backup can be made, for the operator: an environment variable is not set. */
  readonly unavailable: string | undefined
}

type BackupText = Static<typeof BackupSchema>
type SecretName = 'access_key_id' | 'secret_access_key' | 'passphrase'

/** The settings of a catalogue without the section. */
export const DEFAULT_SETTINGS: BackupSettings = {
  schedule: undefined,
  keep: DEFAULT_KEEP,
  place: { kind: 'folder', folder: DEFAULT_FOLDER },
  lock: undefined,
  unavailable: undefined,
}

/** Reads the section after schema validation. An unset environment variable disables backups only. */
function readBackup(text: BackupText, { env, report, warn }: SectionContext): BackupSettings {
  const unset: string[] = []
  const secret = (name: SecretName): string => {
    const written = text[name]
    if (written === undefined) return ''
    const read = readSecret(written, ['backup', name], { env, report })
    if (typeof read === 'string') return read
    unset.push(read.variable)
    warnUnusable(read, 'no backups are made', warn)
    return ''
  }
  checkTogether(text, report)
  return {
    schedule: scheduleOf(text),
    keep: text.keep,
    place: placeOf(text, secret),
    lock: lockOf(text, secret),
    unavailable: unset.length === 0 ? undefined : `the environment variable ${unset.join(', ')} is not set`,
  }
}

function checkTogether(text: BackupText, report: SectionContext['report']): void {
  const { every, at, folder, bucket, passphrase, recipient } = text
  if (every !== undefined && at !== undefined)
    report(['backup', 'at'], 'must be left out if `every` is set: set only one of the two')
  if (folder !== undefined && bucket !== undefined)
    report(['backup', 'folder'], 'must be left out if `bucket` is set: archives go to one place')
  if (passphrase !== undefined && recipient !== undefined)
    report(['backup', 'recipient'], 'must be left out if `passphrase` is set: set only one of the two')
  if (bucket === undefined) return
  if (passphrase === undefined && recipient === undefined)
    report(
      ['backup', 'bucket'],
      'needs a `passphrase` or a `recipient`: an archive holds the providers\' keys and must be encrypted to leave this machine. Write passphrase = "env:BACKUP_PASSPHRASE", and keep it elsewhere, too',
    )
  for (const name of ['access_key_id', 'secret_access_key'] as const)
    if (text[name] === undefined)
      report(['backup', name], 'is missing: the bucket asks for it. Write "env:NAME" or the text itself')
}

function scheduleOf({ every, at }: BackupText): BackupSettings['schedule'] {
  if (every !== undefined) return { every_ms: parseDuration(every) }
  if (at === undefined) return undefined
  const [hours = 0, minutes = 0] = at.split(':').map(Number)
  return { at_minute: hours * 60 + minutes }
}

function placeOf(text: BackupText, secret: (name: SecretName) => string): BackupPlace {
  const { folder = DEFAULT_FOLDER, bucket, endpoint, region, prefix } = text
  if (bucket === undefined) return { kind: 'folder', folder }
  return {
    kind: 'bucket',
    bucket,
    endpoint: endpoint && withoutTrailing(endpoint, '/'),
    region,
    prefix: prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`,
    access_key_id: secret('access_key_id'),
    secret_access_key: secret('secret_access_key'),
  }
}

function lockOf(text: BackupText, secret: (name: SecretName) => string): BackupLock | undefined {
  if (text.passphrase !== undefined) return { passphrase: secret('passphrase') }
  return text.recipient === undefined ? undefined : { recipient: text.recipient }
}

const SECRETS: readonly unknown[] = ['access_key_id', 'secret_access_key', 'passphrase']

export const backup_section = defineSection({
  name: 'backup',
  schema: BackupSchema,
  before: 'storage',
  read: readBackup,
  secrets: {
    at: ([name]) => (SECRETS.includes(name) ? 'the backups' : undefined),
    in: ({ place, lock }) =>
      [
        ...(place.kind === 'bucket' ? [place.secret_access_key] : []),
        ...(lock && 'passphrase' in lock ? [lock.passphrase] : []),
      ].filter((secret) => secret !== ''),
  },
  of_machine: ['folder'],
  beyond_console: 'archives contain the keys of the providers, which the console does not show',
  within_console: ['every', 'at'],
})
