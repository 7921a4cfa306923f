// The names of archives, which hold their time, and the paths that an archive may contain.

/** `tollgate-20261122T031500Z.tar.zst`, with `-scheduled` after the time of a scheduled backup and `.age` at the end of an encrypted one. */
const ARCHIVE = /^tollgate-(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z(-scheduled)?\.tar\.zst(\.age)?$/

export interface ArchiveName {
  made_at_ms: number
  is_encrypted: boolean
  /** Whether the schedule made it. Only scheduled archives are deleted automatically. */
  is_scheduled: boolean
}

export function archiveName({ made_at_ms, is_encrypted, is_scheduled }: ArchiveName): string {
  const time = Temporal.Instant.fromEpochMilliseconds(made_at_ms).toString({ smallestUnit: 'second' })
  return `tollgate-${time.replace(/[-:]/g, '')}${is_scheduled ? '-scheduled' : ''}.tar.zst${is_encrypted ? '.age' : ''}`
}

/** Parses the name of an archive; returns undefined for any other file. */
export function readArchiveName(name: string): ArchiveName | undefined {
  const found = ARCHIVE.exec(name)
  if (!found) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found.slice(1, 7).map(Number)
  return {
    made_at_ms: Date.UTC(year, month - 1, day, hour, minute, second),
    is_scheduled: found[7] !== undefined,
    is_encrypted: found[8] !== undefined,
  }
}

/** The parts of a data folder that an archive may hold. Unpacking refuses all others. */
export const FOLDERS: readonly string[] = ['images', 'files', 'answers', 'responses', 'plugins']
export const FILES: readonly string[] = ['tollgate.db', 'tollgate.toml', 'settlements.journal']

const MAX_PATH_CHARS = 1_024

/** Whether a path stays within the target folder and names a part of a data folder. */
export function isArchivePath(path: string): boolean {
  if (path.length > MAX_PATH_CHARS || /[\0\\]/.test(path)) return false
  const [first = '', ...rest] = path.split('/')
  if (rest.length === 0) return FILES.includes(first)
  return FOLDERS.includes(first) && rest.every((part) => part !== '' && part !== '.' && part !== '..')
}
