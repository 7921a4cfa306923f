// An upgrade: the archive is brought and checked, its executable is tried, and then put in the place of this one.
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import type { DataFolder } from '../../src/app/command-line/data-folder.ts'
import { conflict } from '../../src/domain/errors.ts'
import { sha256OfFile } from '../../src/utilities/file-hash.ts'
import { changesBetween, type VersionChanges } from './changes.ts'
import { bringArchive, type CheckedArchive } from './checked.ts'
import { keptPath, replaceExecutable, workFolder } from './replace.ts'
import type { Source } from './source.ts'
import { type Finding, requireReads, requireRuns } from './trial.ts'
import { unpackArchive } from './unpack.ts'

export interface UpgradeOptions {
  source: Source
  /** This program's file, which is replaced. */
  executable: string
  folder: DataFolder
  /** Of the releases, in minisign's format; undefined where none is known. */
  public_key: string | undefined
  /** Everything but the replacement. */
  is_dry: boolean
  now_ms: number
}

export interface Upgrade {
  from: string
  to: string
  executable: string
  /** Where the executable is that was in use; null where nothing was replaced. */
  kept: string | null
  /** Whether the archive has the very executable that is in use, which is then left alone. */
  is_same: boolean
  /** The comment of the valid signature; null where no key is known. */
  signed: string | null
  /** Whether the data folder was looked at; there may be none yet. */
  checked_data: boolean
  findings: Finding[]
  changes: VersionChanges[]
}

/** @throws GatewayError where anything about the archive or the data folder forbids it; nothing is changed then */
export async function upgradeTo(options: UpgradeOptions): Promise<Upgrade> {
  const { source, executable, folder, public_key, is_dry, now_ms } = options
  using work = workFolder(executable, now_ms)
  const archive = await bringArchive(source, work.path, public_key)
  const staged = join(work.path, 'tollgate')
  const changelog = await unpackArchive(archive, staged)
  await requireRuns(staged, archive, folder.env)
  const findings = await tryOn(folder, staged, archive)
  // The second time would lose the one that was kept the first time.
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

/** @returns undefined where there is no data yet */
async function tryOn(
  { dir, catalogue_path, database_path, env }: DataFolder,
  staged: string,
  archive: CheckedArchive,
): Promise<Finding[] | undefined> {
  const is_older = Bun.semver.order(archive.version, manifest.version) < 0
  if (existsSync(catalogue_path) || existsSync(database_path))
    return await requireReads(staged, archive, { dir, env, is_older })
  if (is_older)
    throw conflict(
      `Tollgate ${archive.version} is older than ${manifest.version}, and may not be able to read its data. ` +
        `No data found in ${dir}: name the data folder with --data. Nothing was changed.`,
    )
  return undefined
}
