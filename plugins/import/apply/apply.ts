// The steps of an import. Each step can be repeated: the next run finishes a killed one.
import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { consoleUrl } from '../../../src/app/command-line/console-link.ts'
import {
  type DataFolder,
  engineOfFolder,
  readCatalogueOf,
} from '../../../src/app/command-line/data-folder.ts'
import { openMoneyMover } from '../../../src/app/command-line/money.ts'
import type { CliDeps } from '../../../src/app/command-line/terminal.ts'
import type { Db } from '../../../src/store/db.ts'
import { giveFoldersToOwner } from '../../../src/store/folder.ts'
import { type ImportedVouchers, importVouchers } from '../../vouchers/index.ts'
import type { IncomingVouchers, MoveIn, OpenSource } from '../move-in.ts'
import { applyAccounts } from './accounts.ts'
import type { CatalogueImport } from './catalogue.ts'
import { writeVariables } from './env-file.ts'
import { applyHistory, type HistorySums } from './history.ts'
import type { ImportRun } from './import-run.ts'
import { applyLinks } from './links.ts'
import { applyMoney } from './money.ts'

export interface ImportFiles {
  readonly variables: string
  readonly links: string
}

export interface AppliedImport {
  readonly vouchers: ImportedVouchers
  readonly history: HistorySums
  /** The sentence about the saved catalogue; undefined if the catalogue stays unchanged. */
  readonly catalogue: string | undefined
  readonly links: number
}

interface ImportParts {
  folder: DataFolder
  deps: CliDeps
  source: Pick<OpenSource, 'readHistory'>
  move_in: MoveIn
  catalogue: CatalogueImport
  files: ImportFiles
}

/** @throws GatewayError as its steps do. Imported rows stay, and a second run continues. */
export async function applyImport(
  { folder, deps, source, move_in, catalogue, files }: ImportParts,
  run: ImportRun,
): Promise<AppliedImport> {
  writeVariables(files.variables, catalogue.variables.added, run.plan.source)
  run.probe('env file')
  const engine = await engineOfFolder(folder)
  await using db = await engine.open({ ...folder, access: 'make' })
  await applyAccounts(db, run)
  {
    await using mover = await openMoneyMover(folder)
    await applyMoney(db, mover, run)
  }
  const vouchers = await applyVouchers(db, move_in.vouchers, run)
  const history = await applyHistory(db, source.readHistory(), run)
  const saved = await catalogue.save()
  run.probe('catalogue')
  const links = await makeLinks(db, { folder, deps, move_in, files }, run)
  return { vouchers, history, catalogue: saved, links }
}

/** Creates the data folder if it does not exist. */
export function makeFolder(dir: string): void {
  const folder = resolve(dir)
  const made = mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (made !== undefined) giveFoldersToOwner(made, folder)
}

/** Makes no links if the console is off or no catalogue exists: nobody could sign in. */
async function makeLinks(
  db: Db,
  { folder, deps, move_in, files }: Pick<ImportParts, 'folder' | 'deps' | 'move_in' | 'files'>,
  run: ImportRun,
): Promise<number> {
  const reading = await readCatalogueOf(folder)
  if (!('catalogue' in reading) || !reading.catalogue.console.enabled) return 0
  const url = await consoleUrl(folder)
  return await applyLinks(
    db,
    move_in.accounts,
    { path: files.links, url, randomBytes: deps.randomBytes },
    run,
  )
}

/** @returns the numbers of new and of ended vouchers */
async function applyVouchers(
  db: Db,
  vouchers: IncomingVouchers,
  { plan, now_ms, probe }: Pick<ImportRun, 'plan' | 'now_ms' | 'probe'>,
): Promise<ImportedVouchers> {
  const applied = await db.begin((tx) => importVouchers(tx, vouchers, { source: plan.source, now_ms }))
  probe('vouchers')
  return applied
}
