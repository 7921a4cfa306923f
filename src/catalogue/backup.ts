// The reading of [backup]: when archives are made, where they go, and what they are encrypted with.

import type { Static } from '@sinclair/typebox'
import type { BackupLock, BackupPlace, BackupSettings } from '../domain/catalogue.ts'
import { parseDuration } from '../utilities/duration.ts'
import { withoutTrailing } from '../utilities/text-ends.ts'
import type { BackupSchema } from './place-schemas.ts'
import { type ProviderContext, readSecret, warnNotSet } from './providers.ts'

type BackupText = Static<typeof BackupSchema>
type SecretName = 'access_key_id' | 'secret_access_key' | 'passphrase'
type Context = Pick<ProviderContext, 'env' | 'report' | 'warn'>

/** Within the data folder, where neither a folder nor a bucket is named. */
const DEFAULT_FOLDER = 'backups'

/** Reads the section, whose shape has been checked. A variable that is not set disables backups, and nothing else. */
export function readBackup(text: BackupText, { env, report, warn }: Context): BackupSettings {
  const unset: string[] = []
  const secret = (name: SecretName): string => {
    const written = text[name]
    if (written === undefined) return ''
    const read = readSecret(written, ['backup', name], { env, report })
    if (typeof read === 'string') return read
    unset.push(read.variable)
    warnNotSet(read, 'no backups are made', warn)
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

function checkTogether(text: BackupText, report: ProviderContext['report']): void {
  const { every, at, folder, bucket, passphrase, recipient } = text
  if (every !== undefined && at !== undefined)
    report(['backup', 'at'], 'must be left out where `every` is given: one of the two says when')
  if (folder !== undefined && bucket !== undefined)
    report(['backup', 'folder'], 'must be left out where `bucket` is given: archives go to one place')
  if (passphrase !== undefined && recipient !== undefined)
    report(['backup', 'recipient'], 'must be left out where `passphrase` is given: one of the two encrypts')
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
