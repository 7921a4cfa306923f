// Shared parts of the backup commands: options for keys and size limits, and the progress line of unpacking.
import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { readSize } from '../../../src/app/command-line/arguments.ts'
import type { Context } from '../../../src/app/command-line/context.ts'
import { withPath } from '../../../src/app/command-line/failure.ts'
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

/** @param verb the purpose of the keys in the help: `encrypt` or `decrypt` */
export const withKeyOptions = (command: Command, verb: string): Command =>
  command
    .option('--passphrase-file <file>', `${verb} with the passphrase in its first line`)
    .option('--key-file <file>', `${verb} with an age key, as age-keygen writes it`)

export interface UnpackFlags {
  maxBytes?: number
}

export const withUnpackOptions = (command: Command): Command =>
  command.option(
    '--max-bytes <size>',
    'refuse an archive that unpacks to more, such as 20GB (default: the free disk space minus a reserve)',
    readSize,
  )

/** Finds an existing archive and the keys to open it. @param name as for `locate` */
export async function archiveNamed(name: string, flags: KeyFlags, context: Context, deps: CliDeps) {
  const options = await whereOptions(context, deps)
  const archive = await locate(name, options)
  return { archive, keys: await keysFor(flags, options.settings) }
}

/** The encryption of a new archive: from the options, otherwise from the catalogue. */
export async function lockFor(flags: KeyFlags, settings: BackupSettings): Promise<BackupLock | undefined> {
  refuseBoth(flags)
  if (flags.passphraseFile !== undefined)
    return { passphrase: await readNamedFile(flags.passphraseFile, readPassphraseFile) }
  if (flags.keyFile !== undefined)
    return { recipient: (await readNamedFile(flags.keyFile, readKeyFile)).recipient }
  if (settings.lock && 'passphrase' in settings.lock) requireAvailable(settings)
  return settings.lock
}

/** The keys to open an archive: from the options, otherwise the catalogue's passphrase. */
async function keysFor(flags: KeyFlags, { lock, unavailable }: BackupSettings): Promise<ArchiveKeys> {
  refuseBoth(flags)
  const passphrases = lock && 'passphrase' in lock && lock.passphrase !== '' ? [lock.passphrase] : []
  if (flags.passphraseFile !== undefined)
    return { passphrases: [await readNamedFile(flags.passphraseFile, readPassphraseFile)], identities: [] }
  if (flags.keyFile === undefined) {
    const unset = lock && passphrases.length === 0 ? unavailable : undefined
    return { passphrases, identities: [], unset }
  }
  const { identities } = await readNamedFile(flags.keyFile, readKeyFile)
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

async function readNamedFile<T>(file: string, read: (file: string) => Promise<T>): Promise<T> {
  if (!existsSync(file)) throw notFound(`File not found: ${file}.`)
  try {
    return await read(file)
  } catch (failure) {
    throw withPath(failure, file)
  }
}

interface Unpacking {
  archive: Pick<Located, 'size'>
  /** The bytes of the archive. */
  content: AsyncIterable<Uint8Array>
  json: boolean
  deps: CliDeps
}

/** Runs work that unpacks and then audits an archive, with a progress line. */
export const withUnpacking = <T>(
  { archive, content, json, deps }: Unpacking,
  work: (content: AsyncIterable<Uint8Array>, onAudit: OnAudit) => Promise<T>,
): Promise<T> =>
  withProgress(deps, json, async (show) => {
    // A pipe has the size 0, which means unknown.
    const of = deps.terminal.progress && !json ? (await archive.size()) || undefined : undefined
    return await work(readWithProgress(content, of, show), (progress) =>
      show({ what: 'Checking', ...progress, unit: 'rules' }),
    )
  })

/** @param of the length of the content; undefined if unknown */
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
