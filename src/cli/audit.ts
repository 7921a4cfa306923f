// `audit`: a check of the books and of stored images, with or without a running gateway.
import { join } from 'node:path'
import type { Command } from 'commander'
import { recordAction } from '../db/actions.ts'
import { formatUsd } from '../domain/money.ts'
import { type Disagreement, FILE_INVARIANTS } from '../library/audit.ts'
import { foldersIn, type Library } from '../library/library.ts'
import { findMissing, hasMarked } from '../library/missing.ts'
import { createFileStore } from '../media/store.ts'
import { RESPONSES_FOLDER } from '../responses/store.ts'
import { describeFindings, type FullAudit, fullAudit, type OnAudit, reportOf } from '../server/full-audit.ts'
import { contextOf } from './context.ts'
import { type DataFolder, engineOfFolder, withDatabase } from './data-folder.ts'
import { withProgress } from './progress.ts'
import { fields, table } from './table.ts'
import { type CliDeps, EXIT, Exit } from './terminal.ts'

export function addAuditCommand(program: Command, deps: CliDeps): void {
  program
    .command('audit')
    .summary('Check the books, the stored images and the kept responses.')
    .description(
      'Check the database itself, every balance, hold, charge and debt against the others, and every stored image and ' +
        'kept response against its file. ' +
        'Missing images are shown again if their files are back. ' +
        'The exit status is 1 if it finds a problem.',
    )
    .action(async (_: object, command: Command) => {
      const { folder, json, answer } = contextOf(command, deps)
      const found = await withProgress(deps, json, (show) =>
        auditFolder(folder, (progress) => show({ what: 'Checking', ...progress, unit: 'rules' })),
      )
      const { files, found_files } = found
      answer({ ...reportOf(found), files, found_files }, describe(found))
      if (!found.clean) throw new Exit(EXIT.failed)
    })
}

interface FolderAudit extends FullAudit {
  /** Images that were marked as missing, and whose files are back. */
  found_files: number
}

/** The books and the images of a data folder. Rows whose missing files are back are unmarked. */
async function auditFolder(folder: DataFolder, onAudit: OnAudit): Promise<FolderAudit> {
  const folders = foldersIn(folder.dir)
  const found_files = await findMarked(folders, folder)
  const responses = createFileStore(join(folder.dir, RESPONSES_FOLDER))
  const engine = await engineOfFolder(folder)
  await using db = await engine.open({ ...folder, access: 'read' })
  using integrity = engine.openIntegrity(db)
  const audit = await fullAudit({ db, integrity, ...folders, responses, onAudit })
  return { ...audit, found_files }
}

/** Writes only where there is something to unmark. */
async function findMarked(folders: Pick<Library, 'images' | 'files'>, folder: DataFolder): Promise<number> {
  const has_marked = await withDatabase(folder, 'read', (db) => hasMarked({ ...folders, db }))
  if (!has_marked) return 0
  return await withDatabase(folder, 'write', (db) => unmark({ ...folders, db }))
}

async function unmark(library: Pick<Library, 'db' | 'images' | 'files'>): Promise<number> {
  const { db } = library
  const found_files = await findMissing(library)
  const action = { action: 'audit.repaired', after: { images: found_files } } as const
  if (found_files > 0) await db.begin((tx) => recordAction(tx, action))
  return found_files
}

function describe(audit: FolderAudit): string {
  const { totals, kept } = audit
  const summary = fields([
    ['accounts', String(totals.accounts)],
    ['keys', String(totals.keys)],
    ['calls', String(totals.calls)],
    ['pending holds', String(totals.pending_holds)],
    ['responses', `${kept.responses}, of ${kept.response_bytes} bytes`],
    ['topped up', `${formatUsd(totals.topped_up_nanos)} USD`],
    ['withdrawn', `${formatUsd(totals.withdrawn_nanos)} USD`],
    ['charged', `${formatUsd(totals.charged_nanos)} USD`],
    ['balance', `${formatUsd(totals.balance_nanos)} USD`],
    ['held', `${formatUsd(totals.held_nanos)} USD`],
    ['debt', `${formatUsd(totals.debt_nanos)} USD`],
  ])
  const back = audit.found_files > 0 ? [backAgain(audit.found_files)] : []
  if (audit.clean) return [summary, ...back, 'Clean: every invariant holds.'].join('\n\n')
  const of_files = new Set<string>(FILE_INVARIANTS)
  const others = audit.findings.filter(({ invariant }) => !of_files.has(invariant))
  return [
    summary,
    ...back,
    ...(others.length > 0 ? [describeFindings({ findings: others })] : []),
    ...(audit.advice === undefined ? [] : [audit.advice]),
    ...(audit.files.length > 0 ? [describeFiles(audit.files)] : []),
    `Problems found: ${audit.findings.length}. Amounts without a unit are nano-dollars.`,
  ].join('\n\n')
}

const backAgain = (count: number): string =>
  count === 1 ? '1 missing image is back.' : `${count} missing images are back.`

/** In a terminal of 80 columns; `--json` has all files, with their whole paths. */
const MAX_SHOWN = 50
const MAX_PATH_CHARS = 51

function describeFiles(files: readonly Disagreement[]): string {
  const shown = files.slice(0, MAX_SHOWN)
  const bytes = (count: number | null) => (count === null ? '-' : String(count))
  const rows = table<Disagreement>(
    [
      { head: 'PROBLEM', text: ({ problem }) => problem },
      { head: 'IN ROW', text: ({ row_bytes }) => bytes(row_bytes), right: true },
      { head: 'ON DISK', text: ({ disk_bytes }) => bytes(disk_bytes), right: true },
      { head: 'PATH', text: ({ path }) => shorten(path) },
    ],
    shown,
    '',
  )
  const more = files.length - shown.length
  return [rows, ...(more > 0 ? [`and ${more} more: --json lists all`] : []), '', ADVICE].join('\n')
}

const ADVICE = [
  'missing: put the file back to show its image again.',
  'no row:  the next start moves the file to .strays.',
  'size:    the file was cut or changed: put the original back.',
].join('\n')

/** Keeps the beginning, which has the account and the UUID, and the extension. */
function shorten(path: string): string {
  if (path.length <= MAX_PATH_CHARS) return path
  return `${path.slice(0, MAX_PATH_CHARS - 5)}…${path.slice(-4)}`
}
