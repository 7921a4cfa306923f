// Options that commands of backups share: keys in files, and bounds of what is unpacked.
import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { readSize } from '../../../src/app/command-line/arguments.ts'
import type { Context } from '../../../src/app/command-line/context.ts'
import { naming } from '../../../src/app/command-line/failure.ts'
import type { CliDeps } from '../../../src/app/command-line/terminal.ts'
import { invalidRequest, notFound, unprocessable } from '../../../src/domain/errors.ts'
import { type ArchiveKeys, readKeyFile, readPassphraseFile } from '../archive/encryption.ts'
import { locate, requireAvailable, whereOptions } from '../places/where.ts'
import type { BackupLock, BackupSettings } from '../settings.ts'

export interface KeyFlags {
  passphraseFile?: string
  keyFile?: string
}

/** @param what is done with them, in the help */
export const withKeyOptions = (command: Command, what: string): Command =>
  command
    .option('--passphrase-file <file>', `${what} with the passphrase in its first line`)
    .option('--key-file <file>', `${what} with an age key, as age-keygen writes it`)

export interface UnpackFlags {
  maxBytes?: number
}

export const withUnpackOptions = (command: Command): Command =>
  command.option(
    '--max-bytes <size>',
    'refuse an archive that unpacks to more, such as 20GB (default: the free disk space minus a reserve)',
    readSize,
  )

/** An archive that is there, and what it is opened with. @param name as `locate` takes it */
export async function archiveNamed(name: string, flags: KeyFlags, context: Context, deps: CliDeps) {
  const options = await whereOptions(context, deps)
  const archive = await locate(name, options)
  return { archive, keys: await keysFor(flags, options.settings) }
}

/** The lock of a new archive: by its options, else by the catalogue. */
export async function lockFor(
  flags: KeyFlags,
  settings: BackupSettings | undefined,
): Promise<BackupLock | undefined> {
  refuseBoth(flags)
  if (flags.passphraseFile !== undefined)
    return { passphrase: await reading(flags.passphraseFile, readPassphraseFile) }
  if (flags.keyFile !== undefined) return { recipient: (await reading(flags.keyFile, readKeyFile)).recipient }
  if (settings?.lock && 'passphrase' in settings.lock) requireAvailable(settings)
  return settings?.lock
}

/** The keys that open an archive: by its options, else the catalogue's passphrase. */
async function keysFor(flags: KeyFlags, settings: BackupSettings | undefined): Promise<ArchiveKeys> {
  refuseBoth(flags)
  const lock = settings?.lock
  const passphrases = lock && 'passphrase' in lock && lock.passphrase !== '' ? [lock.passphrase] : []
  if (flags.passphraseFile !== undefined)
    return { passphrases: [await reading(flags.passphraseFile, readPassphraseFile)], identities: [] }
  if (flags.keyFile === undefined) {
    const unset = lock && passphrases.length === 0 ? settings.unavailable : undefined
    return { passphrases, identities: [], unset }
  }
  const { identities } = await reading(flags.keyFile, readKeyFile)
  if (identities.length === 0)
    throw unprocessable(
      `${flags.keyFile} has only a public key. Name the file with the secret key (AGE-SECRET-KEY-…).`,
    )
  return { passphrases: [], identities }
}

function refuseBoth({ passphraseFile, keyFile }: KeyFlags): void {
  if (passphraseFile !== undefined && keyFile !== undefined)
    throw invalidRequest('Give --passphrase-file or --key-file, not both.')
}

async function reading<T>(file: string, read: (file: string) => Promise<T>): Promise<T> {
  if (!existsSync(file)) throw notFound(`File not found: ${file}.`)
  try {
    return await read(file)
  } catch (failure) {
    throw naming(failure, file)
  }
}
