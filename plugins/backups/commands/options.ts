// What commands of backups share: options for keys in files and for bounds, and the progress line of what is unpacked.
import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { readSize } from '../../../src/app/command-line/arguments.ts'
import type { Context } from '../../../src/app/command-line/context.ts'
import { naming } from '../../../src/app/command-line/failure.ts'
import type { CliDeps } from '../../../src/app/command-line/terminal.ts'
import { type ShowStep, withProgress } from '../../../src/app/commands/progress.ts'
import type { OnAudit } from '../../../src/app/process/full-audit.ts'
import { invalidRequest, notFound, unprocessable } from '../../../src/domain/errors.ts'
import { type ArchiveKeys, readKeyFile, readPassphraseFile } from '../archive/encryption.ts'
import { type Located, locate, requireAvailable, whereOptions } from '../places/where.ts'
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
export async function lockFor(flags: KeyFlags, settings: BackupSettings): Promise<BackupLock | undefined> {
  refuseBoth(flags)
  if (flags.passphraseFile !== undefined)
    return { passphrase: await reading(flags.passphraseFile, readPassphraseFile) }
  if (flags.keyFile !== undefined) return { recipient: (await reading(flags.keyFile, readKeyFile)).recipient }
  if (settings.lock && 'passphrase' in settings.lock) requireAvailable(settings)
  return settings.lock
}

/** The keys that open an archive: by its options, else the catalogue's passphrase. */
async function keysFor(flags: KeyFlags, { lock, unavailable }: BackupSettings): Promise<ArchiveKeys> {
  refuseBoth(flags)
  const passphrases = lock && 'passphrase' in lock && lock.passphrase !== '' ? [lock.passphrase] : []
  if (flags.passphraseFile !== undefined)
    return { passphrases: [await reading(flags.passphraseFile, readPassphraseFile)], identities: [] }
  if (flags.keyFile === undefined) {
    const unset = lock && passphrases.length === 0 ? unavailable : undefined
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

interface Unpacking {
  archive: Pick<Located, 'size'>
  /** Of the archive. */
  content: AsyncIterable<Uint8Array>
  json: boolean
  deps: CliDeps
}

/** Runs work that reads an archive to its end and then audits what was in it, with a progress line. */
export const withUnpacking = <T>(
  { archive, content, json, deps }: Unpacking,
  work: (content: AsyncIterable<Uint8Array>, onAudit: OnAudit) => Promise<T>,
): Promise<T> =>
  withProgress(deps, json, async (show) => {
    // A pipe has no size.
    const of = deps.terminal.progress && !json ? (await archive.size()) || undefined : undefined
    return await work(readWithProgress(content, of, show), (progress) =>
      show({ what: 'Checking', ...progress, unit: 'rules' }),
    )
  })

/** @param of the bytes of the content, where they are known */
async function* readWithProgress(
  content: AsyncIterable<Uint8Array>,
  of: number | undefined,
  show: ShowStep,
): AsyncGenerator<Uint8Array> {
  const step = { what: 'Unpacking', of, unit: 'bytes' } as const
  let done = 0
  show({ ...step, done })
  for await (const block of content) {
    done += block.length
    show({ ...step, done })
    yield block
  }
}
