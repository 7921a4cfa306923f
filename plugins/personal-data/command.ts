// `account export` and `account erase`: the export and the erasure of an account's data.
import type { Command } from 'commander'
import { accountByName } from '../../src/access/accounts.ts'
import { contextOf } from '../../src/app/command-line/context.ts'
import {
  type DataFolder,
  engineOfFolder,
  filesOfFolder,
  readCatalogueOf,
  remarkOnLimits,
  withDatabase,
} from '../../src/app/command-line/data-folder.ts'
import { addExample, type CliDeps, commandGroup } from '../../src/app/command-line/terminal.ts'
import { confirm } from '../../src/app/commands/confirm.ts'
import { untilStopped, untilThen, withProgress } from '../../src/app/commands/progress.ts'
import { databaseCopyWork } from '../../src/app/process/data-paths.ts'
import { brandName } from '../../src/domain/brand.ts'
import { writeArchive } from '../../src/store/new-archive.ts'
import { makeWorkFolder } from '../../src/store/work-folder.ts'
import { whereOptions } from '../backups/index.ts'
import { type EraseOptions, eraseAccount } from './erase.ts'
import { exportAccount } from './export.ts'
import { leftovers } from './leftovers.ts'

/** `account export` and `account erase`; their command group belongs to another plugin. */
export function addExportAndErase(program: Command, deps: CliDeps): void {
  const account = commandGroup(program, 'account')
  addExport(account, deps)
  addErase(account, deps)
}

function addExport(account: Command, deps: CliDeps): void {
  addExample(account.command('export <name>'), 'account export alice --out alice.tar')
    .summary('Export everything stored about an account.')
    .description(
      'Export everything stored about an account as one archive (tar, compressed with zstd): its rows as JSON lines, one ' +
        'file for each table, and its images, uploads and kept answers. Secrets are left out. Works while the gateway runs.',
    )
    .requiredOption('--out <file>', 'the new file, such as alice.tar.zst')
    .action(async (name: string, { out }: { out: string }, command: Command) => {
      const { folder, json, answer, warn } = contextOf(command, deps)
      const tables = await deps.tables()
      const service = await serviceOf(folder)
      using stores = await filesOfFolder(folder)
      const exported = await withProgress(deps, json, (show) =>
        untilStopped('The export was stopped and its file removed.', (check) =>
          withDatabase(folder, 'read', (db) =>
            exportAccount(db, {
              tables,
              data_folder: folder.dir,
              files: stores,
              account: name,
              service,
              now_ms: deps.now(),
              put: (content) => writeWithin(folder.dir, out, untilThen(content, check)),
              onProgress({ bytes, of_bytes }) {
                check()
                show({
                  what: of_bytes === undefined ? 'Counting' : 'Packing',
                  done: bytes,
                  of: of_bytes,
                  unit: 'bytes',
                })
              },
            }),
          ),
        ),
      )
      const { missing, files, bytes } = exported
      if (missing.length > 0) warn(`Files not found and left out: ${missing.slice(0, 20).join(', ')}.`)
      const rows = sumOf(exported.rows)
      answer(
        { file: out, account: name, ...exported },
        `${out}: rows ${rows}, files ${files}, bytes ${bytes}.`,
      )
    })
}

/** The name of the service, as account holders know it. */
async function serviceOf(folder: DataFolder): Promise<string> {
  const reading = await readCatalogueOf(folder)
  return brandName('catalogue' in reading ? reading.catalogue.brand : {})
}

function addErase(account: Command, deps: CliDeps): void {
  addExample(account.command('erase <name>'), 'account erase alice')
    .summary("Erase an account's personal data; amounts stay.")
    .description(
      'Close an account and erase its personal data: prompts, images, uploads, kept responses and answers, ' +
        'names, notes, addresses. Its amounts, calls and models stay under a name such as erased-7. It must have no ' +
        'balance. The database file is rewritten so that nothing is left in it; new calls wait while a ' +
        'large one is rewritten. On PostgreSQL its tables are vacuumed instead. If interrupted, run it again to continue. ' +
        'Earlier backups still have the data. Its customer at Stripe, with saved cards, is deleted by the gateway within minutes.',
    )
    .option('--yes', 'erase without asking')
    .action(async (name: string, { yes }: { yes?: boolean }, command: Command) => {
      const context = contextOf(command, deps)
      const { folder, json, answer, warn } = context
      await withDatabase(folder, 'read', (db) => accountByName(db, name))
      const limits = await remarkOnLimits(name, folder)
      await confirm(deps, {
        yes,
        json,
        about: `This erases the prompts, answers, images and uploads of ${name}. This cannot be undone.`,
        prompt: `Type the account's name to erase it: `,
        agrees: (reply) => reply.trim() === name,
      })
      using files = await filesOfFolder(folder)
      const { remains: in_database, ...erased } = await eraseIn(folder, {
        files,
        tables: await deps.tables(),
        account: name,
        now_ms: deps.now(),
      })
      const { is_shared } = await engineOfFolder(folder)
      const where = { ...(await whereOptions(context, deps)), files, is_on_server: is_shared }
      const others = await withDatabase(folder, 'read', (db) => leftovers(db, where))
      const remains = [...in_database, ...others]
      if (limits) warn(limits)
      answer(
        { ...erased, name: erased.pseudonym, remains },
        [
          `${name} is erased: rows ${sumOf(erased.rows)}, files ${erased.files}. Its entries and calls are kept as ${erased.pseudonym}.`,
          ...remains,
        ].join('\n'),
      )
    })
}

async function eraseIn(folder: DataFolder, options: Omit<EraseOptions, 'scrubbing' | 'data_folder'>) {
  const engine = await engineOfFolder(folder)
  await using db = await engine.open({ ...folder, access: 'write' })
  using scrubbing = engine.openScrubbing(db)
  const erased = await eraseAccount(db, { ...options, scrubbing, data_folder: folder.dir })
  return { ...erased, remains: scrubbing.remains }
}

/** Writes the archive. A work folder in the data folder names the unfinished file, so that a later start removes it if the command is killed. */
async function writeWithin(dir: string, file: string, content: AsyncIterable<Uint8Array>): Promise<number> {
  using work = makeWorkFolder(databaseCopyWork(dir))
  return await writeArchive(file, content, { goesWith: work.goesWith })
}

const sumOf = (rows: Record<string, number>): number =>
  Object.values(rows).reduce((total, count) => total + count, 0)
