// The location of an archive: the file or bucket that a command names, or the place of [backup].
import { existsSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Context } from '../../../src/app/command-line/context.ts'
import { readCatalogueOf } from '../../../src/app/command-line/data-folder.ts'
import type { CliDeps } from '../../../src/app/command-line/terminal.ts'
import type { Environment } from '../../../src/catalogue/providers.ts'
import { invalidRequest, unprocessable } from '../../../src/domain/errors.ts'
import { refuseTarget, writeArchive } from '../../../src/store/new-archive.ts'
import type { NoteUnfinished } from '../../../src/store/work-folder.ts'
import { withoutTrailing } from '../../../src/utilities/text-ends.ts'
import { type ArchiveName, archiveName, readArchiveName } from '../archive/names.ts'
import { type BackupPlace, type BackupSettings, backup_section, DEFAULT_SETTINGS } from '../settings.ts'
import { bucketPlace } from './bucket.ts'
import { folderPlace, openArchive } from './folder.ts'
import type { Place } from './place.ts'

export interface WhereOptions {
  /** The section [backup] of the catalogue; the defaults if the catalogue cannot be read. */
  settings: BackupSettings
  data_folder: string
  env: Environment
}

/** Reads [backup] of the folder's catalogue; returns the defaults, with a warning, if it cannot be read. */
async function backupSettings({ folder, warn }: Context): Promise<BackupSettings> {
  if (!existsSync(folder.catalogue_path)) return DEFAULT_SETTINGS
  const read = await readCatalogueOf(folder)
  if ('catalogue' in read) return backup_section.of(read.catalogue)
  if (readFileSync(folder.catalogue_path, 'utf8').includes('backup'))
    warn(
      `${folder.catalogue_path} has mistakes, so its section [backup] is ignored. \`tollgate config check\` lists them.`,
    )
  return DEFAULT_SETTINGS
}

export async function whereOptions(context: Context, { env }: CliDeps): Promise<WhereOptions> {
  return { settings: await backupSettings(context), data_folder: context.folder.dir, env }
}

/** A new or existing archive and its location. */
export interface Located {
  /** The address in messages: a path, or `s3://bucket/key`. */
  where: string
  name: string
  /** See `Place.put`. */
  put(content: AsyncIterable<Uint8Array>, expected_bytes: number, goesWith?: NoteUnfinished): Promise<number>
  open(): Promise<AsyncIterable<Uint8Array>>
  /** See `Place.size`. */
  size(): Promise<number>
}

const BUCKET = /^s3:\/\/([^/]+)\/?(.*)$/

/** Returns the place of [backup]. @throws GatewayError unprocessable if a required environment variable is not set */
export function configuredPlace({ settings, data_folder }: Omit<WhereOptions, 'env'>): Place {
  const { place } = settings
  if (place.kind === 'folder') return folderPlace(place.folder, data_folder)
  requireAvailable(settings)
  return bucketPlace(place)
}

/** @throws GatewayError unprocessable */
export function requireAvailable({ unavailable }: BackupSettings): void {
  if (unavailable !== undefined)
    throw unprocessable(
      `[backup] cannot be used: ${unavailable}. Set it, or name the file that has it with --env-file, and try again.`,
    )
}

/**
 * Chooses and checks the location of a new archive: the named file or bucket, or a new name in the place of [backup].
 *
 * @throws GatewayError unprocessable if an unencrypted archive would leave this machine; errors of `Place.check`
 */
export async function locateNew(
  target: string | undefined,
  { made_at_ms, is_encrypted, is_scheduled, ...options }: WhereOptions & ArchiveName,
): Promise<Located> {
  const facts = { made_at_ms, is_encrypted, is_scheduled }
  const bucket = target === undefined ? undefined : BUCKET.exec(target)
  if (target !== undefined && !bucket) {
    refuseTarget(target)
    return atPath(target)
  }
  const leaves_machine = bucket !== undefined || options.settings.place.kind === 'bucket'
  if (leaves_machine && !is_encrypted) throw unencrypted(target ?? configuredPlace(options).where)
  const [, name = '', key = ''] = bucket ?? []
  const folder = key.slice(0, key.lastIndexOf('/') + 1)
  const place = bucket
    ? bucketPlace({ ...bucketOf(name, options), prefix: folder })
    : configuredPlace(options)
  await place.check()
  return inPlace(place, key.slice(folder.length) || (await freeName(place, facts)), leaves_machine)
}

/** Names an archive by its time, in seconds. If that name exists, takes the next free second. */
async function freeName(place: Place, facts: ArchiveName): Promise<string> {
  const taken = new Set((await place.list()).map(({ made_at_ms }) => made_at_ms))
  let made_at_ms = Math.floor(facts.made_at_ms / 1_000) * 1_000
  while (taken.has(made_at_ms)) made_at_ms += 1_000
  return archiveName({ ...facts, made_at_ms })
}

const unencrypted = (where: string) =>
  unprocessable(
    `${where}: an archive holds the providers' keys and must be encrypted to leave this machine. ` +
      'Give --passphrase-file FILE or --key-file FILE, or set `passphrase` in [backup].',
  )

/** Locates an existing archive: a file, an address in a bucket, or a name in the place of [backup]. */
export async function locate(archive: string, options: WhereOptions): Promise<Located> {
  if (BUCKET.test(archive)) return inBucket(archive, options)
  const is_name = readArchiveName(archive) !== undefined
  if (!is_name || (await Bun.file(archive).exists())) return atPath(archive)
  return inPlace(configuredPlace(options), archive, options.settings.place.kind === 'bucket')
}

const inPlace = (place: Place, name: string, leaves_machine: boolean): Located => ({
  where: leaves_machine ? `${place.where}${name}` : join(place.where, name),
  name,
  put: (content, expected_bytes, goesWith) => place.put(name, content, expected_bytes, goesWith),
  open: () => place.open(name),
  size: () => place.size(name),
})

const atPath = (path: string): Located => ({
  where: path,
  name: basename(path),
  put: (content, expected_bytes, goesWith) => writeArchive(path, content, { expected_bytes, goesWith }),
  open: async () => openArchive(path),
  size: async () => statSync(path).size,
})

function inBucket(address: string, options: WhereOptions): Located {
  const [, bucket = '', key = ''] = BUCKET.exec(address) ?? []
  const name = basename(key)
  if (name === '' || key.endsWith('/'))
    throw invalidRequest(`${address}: name an archive in it, such as ${withoutTrailing(address, '/')}/NAME.`)
  const folder = dirname(key)
  const prefix = folder === '.' ? '' : `${folder}/`
  return inPlace(bucketPlace({ ...bucketOf(bucket, options), prefix }), name, true)
}

/** The bucket of [backup], or another bucket with the AWS environment variables. */
function bucketOf(bucket: string, { settings, env }: WhereOptions): Extract<BackupPlace, { kind: 'bucket' }> {
  const { place } = settings
  if (place.kind === 'bucket' && place.bucket === bucket) {
    requireAvailable(settings)
    return place
  }
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION, AWS_ENDPOINT_URL } = env
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY)
    throw invalidRequest(
      `s3://${bucket} is not the bucket of [backup] in the catalogue: set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, ` +
        'AWS_REGION, and AWS_ENDPOINT_URL unless it is at Amazon.',
    )
  return {
    kind: 'bucket',
    bucket,
    endpoint: AWS_ENDPOINT_URL || undefined,
    region: AWS_REGION || 'us-east-1',
    prefix: '',
    access_key_id: AWS_ACCESS_KEY_ID,
    secret_access_key: AWS_SECRET_ACCESS_KEY,
  }
}
