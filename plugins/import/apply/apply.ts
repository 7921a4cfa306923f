// The import itself: each step is done once, whatever was done before, so that a run that was killed is finished by the next one.
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
import type { Applying } from './applying.ts'
import type { CatalogueImport } from './catalogue.ts'
import { writeVariables } from './env-file.ts'
import { applyHistory, type HistorySums } from './history.ts'
import { applyLinks } from './links.ts'
import { applyMoney } from './money.ts'

export interface ImportFiles {
  readonly variables: string
  readonly links: string
}

export interface Applied {
  readonly vouchers: ImportedVouchers
  readonly history: HistorySums
  /** The sentence of the saved catalogue; undefined: it stays as it is. */
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

/** @throws GatewayError as its steps; what came in before stays, and a second run goes on */
export async function applyImport(
  { folder, deps, source, move_in, catalogue, files }: ImportParts,
  applying: Applying,
): Promise<Applied> {
  writeVariables(files.variables, catalogue.variables.added, applying.plan.source)
  applying.probe('env file')
  const engine = await engineOfFolder(folder)
  await using db = await engine.open({ ...folder, access: 'make' })
  await applyAccounts(db, applying)
  {
    await using mover = await openMoneyMover(folder)
    await applyMoney(db, mover, applying)
  }
  const vouchers = await applyVouchers(db, move_in.vouchers, applying)
  const history = await applyHistory(db, source.readHistory(), applying)
  const saved = await catalogue.save()
  applying.probe('catalogue')
  const links = await makeLinks(db, { folder, deps, move_in, files }, applying)
  return { vouchers, history, catalogue: saved, links }
}

/** Makes a data folder, unless there is one. */
export function makeFolder(dir: string): void {
  const folder = resolve(dir)
  const made = mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (made !== undefined) giveFoldersToOwner(made, folder)
}

/** None where the console is off, or there is no catalogue yet: there is nowhere to sign in. */
async function makeLinks(
  db: Db,
  { folder, deps, move_in, files }: Pick<ImportParts, 'folder' | 'deps' | 'move_in' | 'files'>,
  applying: Applying,
): Promise<number> {
  const reading = await readCatalogueOf(folder)
  if (!('catalogue' in reading) || !reading.catalogue.console.enabled) return 0
  const url = await consoleUrl(folder)
  return await applyLinks(
    db,
    move_in.accounts,
    { path: files.links, url, randomBytes: deps.randomBytes },
    applying,
  )
}

/** @returns how many are new, and how many were ended */
async function applyVouchers(
  db: Db,
  vouchers: IncomingVouchers,
  { plan, now_ms, probe }: Pick<Applying, 'plan' | 'now_ms' | 'probe'>,
): Promise<ImportedVouchers> {
  const applied = await db.begin((tx) => importVouchers(tx, vouchers, { source: plan.source, now_ms }))
  probe('vouchers')
  return applied
}
