// An upgrade: fetches and checks the archive, tries its executable, and then replaces this one.
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import type { DataFolder } from '../../src/app/command-line/data-folder.ts'
import { conflict } from '../../src/domain/errors.ts'
import { sha256OfFile } from '../../src/utilities/file-hash.ts'
import { changesBetween, type VersionChanges } from './changes.ts'
import { type CheckedArchive, fetchArchive } from './checked.ts'
import { createWorkFolder, keptPath, replaceExecutable } from './replace.ts'
import type { Source } from './source.ts'
import { type Finding, requireReadableData, requireRunnable } from './trial.ts'
import { unpackArchive } from './unpack.ts'

export interface UpgradeOptions {
  source: Source
  /** This program's file, which the upgrade replaces. */
  executable: string
  folder: DataFolder
  /** The releases' key in minisign's format; undefined if none is known. */
  public_key: string | undefined
  /** Stops before the replacement. */
  is_dry: boolean
  now_ms: number
}

export interface Upgrade {
  from: string
  to: string
  executable: string
  /** The previous executable; null if nothing was replaced. */
  kept: string | null
  /** Whether the archive has the executable in use: then nothing is replaced. */
  is_same: boolean
  /** The comment of the valid signature; null without a public key. */
  signed: string | null
  /** Whether the data folder was checked; false if it has no data. */
  checked_data: boolean
  findings: Finding[]
  changes: VersionChanges[]
}

/** @throws GatewayError if the archive or the data folder does not allow the upgrade; then nothing is changed */
export async function upgradeTo(options: UpgradeOptions): Promise<Upgrade> {
  const { source, executable, folder, public_key, is_dry, now_ms } = options
  using work = createWorkFolder(executable, now_ms)
  const archive = await fetchArchive(source, work.path, public_key)
  const staged = join(work.path, 'tollgate')
  const changelog = await unpackArchive(archive, staged)
  await requireRunnable(staged, archive, folder.env)
  const findings = await tryOnData(folder, staged, archive)
  // A second replacement would overwrite the kept previous version with this one.
  const is_same = await haveSameBytes(executable, staged)
  const replaces = !is_dry && !is_same
  if (replaces) replaceExecutable(executable, staged)
  return {
    from: manifest.version,
    to: archive.version,
    executable,
    kept: replaces ? keptPath(executable) : null,
    is_same,
    signed: archive.signed ?? null,
    checked_data: findings !== undefined,
    findings: findings ?? [],
    changes: changesBetween(changelog, manifest.version, archive.version),
  }
}

async function haveSameBytes(one: string, other: string): Promise<boolean> {
  if (statSync(one).size !== statSync(other).size) return false
  return (await sha256OfFile(one)) === (await sha256OfFile(other))
}

/** @returns undefined if there is no data yet */
async function tryOnData(
  { dir, catalogue_path, database_path, env }: DataFolder,
  staged: string,
  archive: CheckedArchive,
): Promise<Finding[] | undefined> {
  const is_older = Bun.semver.order(archive.version, manifest.version) < 0
  if (existsSync(catalogue_path) || existsSync(database_path))
    return await requireReadableData(staged, archive, { dir, env, is_older })
  if (is_older)
    throw conflict(
      `Tollgate ${archive.version} is older than ${manifest.version}, and may not be able to read its data. ` +
        `No data found in ${dir}: name the data folder with --data. Nothing was changed.`,
    )
  return undefined
}
