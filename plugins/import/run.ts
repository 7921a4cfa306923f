// One import from an open source: its plan, the dry run's report, and with --apply the import itself.
import { join } from 'node:path'
import type { Context } from '../../src/app/command-line/context.ts'
import { type DataFolder, engineOfFolder } from '../../src/app/command-line/data-folder.ts'
import type { CliDeps } from '../../src/app/command-line/terminal.ts'
import { type ShowStep, untilStopped, withProgress } from '../../src/app/commands/progress.ts'
import { conflict, toGatewayError } from '../../src/domain/errors.ts'
import type { Nanos } from '../../src/domain/money.ts'
import { takeLock } from '../../src/store/lock.ts'
import { applyImport, type ImportFiles, makeFolder } from './apply/apply.ts'
import { prepareCatalogue } from './apply/catalogue.ts'
import { countedRows, emptySums, type HistorySums, unownedHistory } from './apply/history.ts'
import type { ImportPoint } from './apply/import-run.ts'
import type { OpenSource } from './move-in.ts'
import { type Known, NOTHING_KNOWN, readKnown } from './plan/known.ts'
import { withUsableHashes } from './plan/passwords.ts'
import { type Plan, planAccounts } from './plan/plan.ts'
import { reportOf } from './report.ts'
import { reportText } from './report-text.ts'
import { rateLines } from './shadow-bill.ts'

/** Number of newest lines in the shadow bill. */
const MAX_BILL_LINES = 10_000

export interface ImportOptions {
  /** The import's name: the source's, unless --as sets one. */
  readonly name: string
  readonly apply: boolean
  readonly opening_balance_nanos: Nanos | undefined
  /** The address of the database, without its password. */
  readonly database: string
}

interface RunParts {
  deps: CliDeps
  context: Context
  /** For crash tests. */
  probe?: (point: ImportPoint) => void
}

/** @throws GatewayError as `planAccounts`, `prepareCatalogue`, `applyImport`; conflict while another import runs */
export async function runImport(
  source: OpenSource,
  options: ImportOptions,
  { deps, context, probe = () => {} }: RunParts,
): Promise<void> {
  const { folder, json } = context
  using _lock = options.apply ? lockImport(folder) : undefined
  const files = importFilesOf(folder)
  const report = await untilStopped(STOPPED, (check) =>
    withProgress(deps, json, async (show) => {
      const now_ms = deps.now()
      show({ what: 'Reading the source', done: 0, unit: 'rows' })
      const move_in = withUsableHashes(await source.readMoveIn())
      const plan = planAccounts(move_in, await readKnownRows(folder, options.name), {
        ...options,
        source: options.name,
        now_ms,
      })
      const catalogue = await prepareCatalogue(folder, deps, {
        move_in,
        limits: plan.limits,
        source: options.name,
        env_path: files.variables,
      })
      const shadow_bill = await rateLines(source.readChargedLines(MAX_BILL_LINES), catalogue.catalogue)
      const run = { plan, now_ms, by: folder.by, show, check, probe }
      const applied = options.apply
        ? await applyImport({ folder, deps, source, move_in, catalogue, files }, run)
        : undefined
      const history = applied?.history ?? (await countHistory(source, plan, show, check))
      const with_history: Plan = { ...plan, left_out: [...plan.left_out, ...unownedHistory(history)] }
      const { database } = options
      const { vouchers } = move_in
      return reportOf({
        ...{ plan: with_history, catalogue, vouchers, history, shadow_bill, database, files, applied },
      })
    }),
  )
  context.answer(report, reportText(report, { columns: deps.terminal.columns, data: folder.dir }))
}

const STOPPED = 'Import stopped. Imported rows stay. Run it again to continue.'

const importFilesOf = ({ dir }: DataFolder): ImportFiles => ({
  variables: join(dir, 'imported.env'),
  links: join(dir, 'imported-links.csv'),
})

function lockImport({ dir }: DataFolder): Disposable {
  makeFolder(dir)
  const lock = takeLock(join(dir, 'import.lock'))
  if (!lock) throw conflict(`Another import into ${dir} is running. Wait until it ends, and try again.`)
  return lock
}

/** Nothing is known without a database; a dry run does not create one. */
async function readKnownRows(folder: DataFolder, name: string): Promise<Known> {
  try {
    await using db = await (await engineOfFolder(folder)).open({ ...folder, access: 'read' })
    return await readKnown(db, name)
  } catch (thrown) {
    if (toGatewayError(thrown).kind !== 'not_found') throw thrown
    return NOTHING_KNOWN
  }
}

async function countHistory(
  source: Pick<OpenSource, 'readHistory'>,
  { rows_here }: Pick<Plan, 'rows_here'>,
  show: ShowStep,
  check: () => void,
): Promise<HistorySums> {
  const sums = emptySums()
  for await (const _ of countedRows(source.readHistory(), rows_here, sums)) {
    check()
    show({ what: 'Reading the log', done: sums.rows, unit: 'rows' })
  }
  return sums
}
