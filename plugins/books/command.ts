// The command `audit`: checks the books and the stored images, with or without a running gateway.

import type { Command } from 'commander'
import { contextOf } from '../../src/app/command-line/context.ts'
import {
  type DataFolder,
  engineOfFolder,
  filesOfFolder,
  withDatabase,
} from '../../src/app/command-line/data-folder.ts'
import { fields } from '../../src/app/command-line/table.ts'
import { addExample, type CliDeps, EXIT, Exit } from '../../src/app/command-line/terminal.ts'
import { confirm, isYes } from '../../src/app/commands/confirm.ts'
import { withProgress } from '../../src/app/commands/progress.ts'
import { requireOwnFiles } from '../../src/app/process/files/claim.ts'
import { KEPT_INVARIANTS } from '../../src/app/process/files/kept-objects.ts'
import type { FileStores } from '../../src/app/process/files/stores.ts'
import {
  describeFindings,
  type FullAudit,
  fullAudit,
  type OnAudit,
  reportOf,
} from '../../src/app/process/full-audit.ts'
import { keepMark } from '../../src/app/process/kept-mark.ts'
import { unprocessable } from '../../src/domain/errors.ts'
import { formatUsd } from '../../src/domain/money.ts'
import { FILE_INVARIANTS } from '../../src/library/audit.ts'
import type { Library } from '../../src/library/library.ts'
import { findMissing, hasMarked } from '../../src/library/missing.ts'
import { recordAction } from '../../src/store/actions.ts'
import { counted } from '../../src/utilities/counted.ts'
import { sizeText } from '../../src/utilities/size-text.ts'
import { describeFiles } from './audit-files.ts'
import { findStrays, MIN_STRAY_AGE_MS } from './strays.ts'

export function addAuditCommand(program: Command, deps: CliDeps): void {
  addExample(program.command('audit'), 'audit')
    .summary('Check the books, the stored images and the kept responses.')
    .description(
      'Check the database itself, every balance, hold, charge and debt against the others, and every stored image and ' +
        'kept response against its file. ' +
        'Missing images are shown again if their files are back. ' +
        'Files in a bucket are checked with --files, which lists all of it. ' +
        'The exit status is 1 if it finds a problem.',
    )
    .option('--files', 'also check the files in a bucket; those in a folder are always checked')
    .option(
      '--remove',
      "with --files: delete the bucket's objects without a row that are older than 24 hours",
    )
    .option('--yes', 'delete without asking')
    .action(async (flags: Flags, command: Command) => {
      if (flags.remove && !flags.files) command.error('error: Give --remove together with --files.')
      const { folder, json, answer } = contextOf(command, deps)
      using stores = await filesOfFolder(folder)
      const removed = flags.remove ? await removeStrays(stores, { folder, json, flags, deps }) : undefined
      const lists_bucket = flags.files === true && stores.bucket !== undefined
      const options = { stores, lists_bucket, now_ms: deps.now() }
      const found = await withProgress(deps, json, (show) =>
        auditFolder(folder, options, (progress) => show({ what: 'Checking', ...progress, unit: 'rules' })),
      )
      const { files, found_files } = found
      answer(
        { ...reportOf(found), files, found_files, ...(removed && { removed }) },
        describe(found, options, removed),
      )
      await keepMark(found, (work) => withDatabase(folder, 'write', work))
      if (!found.clean) throw new Exit(EXIT.failed)
    })
}

interface Flags {
  files?: boolean
  remove?: boolean
  yes?: boolean
}

interface Removed {
  objects: number
  bytes: number
}

/** Deletes objects without a row, after a confirmation. @throws GatewayError unprocessable if the files are in folders */
async function removeStrays(
  stores: FileStores,
  { folder, json, flags: { yes }, deps }: { folder: DataFolder; json: boolean; flags: Flags; deps: CliDeps },
): Promise<Removed> {
  if (!stores.bucket)
    throw unprocessable(
      'The files of this gateway are in its data folder. Leave --remove out: the next start moves files without a row to .strays.',
    )
  const { remove, ...found } = await withProgress(deps, json, () =>
    withDatabase(folder, 'read', async (db) => {
      await requireOwnFiles(db, stores, 'write')
      return await findStrays(db, stores, deps.now())
    }),
  )
  if (found.objects === 0) return found
  await confirm(deps, {
    yes,
    json,
    about:
      `This deletes objects without a row from ${stores.address}: ${found.objects}, ${sizeText(found.bytes)}. ` +
      'If you restored an older database, they may be files that only the newer one names. This cannot be undone.',
    prompt: 'Delete them? [y/N] ',
    agrees: isYes,
  })
  await remove()
  return found
}

interface FolderAudit extends FullAudit {
  /** Images that were marked as missing and whose files have returned. */
  found_files: number
}

interface AuditedFiles {
  stores: FileStores
  /** Whether the whole bucket is listed and compared. */
  lists_bucket: boolean
}

/** Audits the books and images of a data folder. Clears the mark of missing files that have returned; in a bucket each costs a request. */
async function auditFolder(
  folder: DataFolder,
  { stores, lists_bucket, now_ms }: AuditedFiles & { now_ms: number },
  onAudit: OnAudit,
): Promise<FolderAudit> {
  if (lists_bucket) await withDatabase(folder, 'read', (db) => requireOwnFiles(db, stores, 'read'))
  const found_files = stores.bucket && !lists_bucket ? 0 : await restoreFound(stores, folder)
  const engine = await engineOfFolder(folder)
  await using db = await engine.open({ ...folder, access: 'read' })
  using integrity = engine.openIntegrity(db)
  const look = lists_bucket
    ? { answers: stores.answers, strays_before_ms: now_ms - MIN_STRAY_AGE_MS }
    : undefined
  const { images, files, responses } = stores
  const audit = await fullAudit({
    db,
    integrity,
    images,
    files,
    responses,
    look,
    onAudit,
    marking: { now_ms },
  })
  return { ...audit, found_files }
}

/** Opens the database for writing only if a row is marked as missing. */
async function restoreFound(folders: Pick<Library, 'images' | 'files'>, folder: DataFolder): Promise<number> {
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

function describe(
  audit: FolderAudit,
  { stores, lists_bucket }: AuditedFiles,
  removed: Removed | undefined,
): string {
  const { totals, kept } = audit
  const usd = (nanos: number) => `${formatUsd(nanos)} USD`
  const summary = fields([
    ['accounts', String(totals.accounts)],
    ['keys', String(totals.keys)],
    ['calls', String(totals.calls)],
    ['pending holds', String(totals.pending_holds)],
    ['responses', `${kept.responses}, of ${kept.response_bytes} bytes`],
    ['topped up', usd(totals.topped_up_nanos)],
    ['withdrawn', usd(totals.withdrawn_nanos)],
    ['charged', usd(totals.charged_nanos)],
    ['refunded', usd(totals.refunded_nanos)],
    ['balance', usd(totals.balance_nanos)],
    ['held', usd(totals.held_nanos)],
    ['debt', usd(totals.debt_nanos)],
  ])
  const back = [
    ...(removed
      ? [`Objects deleted from ${stores.address}: ${removed.objects}, ${sizeText(removed.bytes)}.`]
      : []),
    ...(audit.found_files > 0 ? [restoredText(audit.found_files)] : []),
  ]
  const unchecked =
    stores.bucket && !lists_bucket ? [`The files in ${stores.address} were not checked: add --files.`] : []
  if (audit.clean) return [summary, ...back, 'Clean: every invariant holds.', ...unchecked].join('\n\n')
  const of_files = new Set<string>([...FILE_INVARIANTS, ...KEPT_INVARIANTS])
  const others = audit.findings.filter(({ invariant }) => !of_files.has(invariant))
  return [
    summary,
    ...back,
    ...(others.length > 0 ? [describeFindings({ findings: others })] : []),
    ...(audit.advice === undefined ? [] : [audit.advice]),
    ...(audit.files.length > 0 ? [describeFiles(audit.files, stores)] : []),
    `Problems found: ${audit.findings.length}. Amounts without a unit are nano-dollars.`,
    ...unchecked,
  ].join('\n\n')
}

const restoredText = (count: number): string => `Restored: ${counted(count, 'missing image')}.`
