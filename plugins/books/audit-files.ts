// The table of files that differ from their rows, printed by `tollgate audit`.
import { table } from '../../src/app/command-line/table.ts'
import type { FileStores } from '../../src/app/process/files/stores.ts'
import type { Disagreement } from '../../src/library/audit.ts'

/** Limits for a terminal of 80 columns; `--json` lists all files with full paths. */
const MAX_ROWS = 50
const MAX_PATH_CHARS = 51

export function describeFiles(
  files: readonly Disagreement[],
  { bucket }: Pick<FileStores, 'bucket'>,
): string {
  const listed = files.slice(0, MAX_ROWS)
  const bytes = (count: number | null) => (count === null ? '-' : String(count))
  const rows = table<Disagreement>(
    [
      { head: 'PROBLEM', text: ({ problem }) => problem },
      { head: 'IN ROW', text: ({ row_bytes }) => bytes(row_bytes), right: true },
      { head: bucket ? 'IN BUCKET' : 'ON DISK', text: ({ disk_bytes }) => bytes(disk_bytes), right: true },
      { head: 'PATH', text: ({ path }) => shorten(path) },
    ],
    listed,
    '',
  )
  const more = files.length - listed.length
  return [
    rows,
    ...(more > 0 ? [`and ${more} more: --json lists all`] : []),
    '',
    (bucket ? ADVICE_ON_BUCKET : ADVICE).join('\n'),
  ].join('\n')
}

const ADVICE = [
  'missing: put the file back to show its image again.',
  'no row:  the next start moves the file to .strays.',
  'size:    the file was cut or changed: put the original back.',
]

const ADVICE_ON_BUCKET = [
  'missing: put the object back, such as from a backup, to show its image again.',
  'no row:  add --remove to delete the object.',
  'size:    the object was cut or changed: put the original back.',
]

/** Keeps the beginning, which has the account and the UUID, and the extension. */
function shorten(path: string): string {
  if (path.length <= MAX_PATH_CHARS) return path
  return `${path.slice(0, MAX_PATH_CHARS - 5)}…${path.slice(-4)}`
}
