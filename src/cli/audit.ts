// `audit`: a check of the books and of stored images, with or without a running gateway.
import type { Command } from 'commander'
import { formatUsd } from '../domain/money.ts'
import { money } from '../http/views.ts'
import { type Audit, audit, type Totals } from '../ledger/audit.ts'
import { auditLibrary } from '../library/audit.ts'
import { foldersIn } from '../library/library.ts'
import { contextOf } from './context.ts'
import { type DataFolder, withDatabase, withReadableDatabase } from './data-folder.ts'
import { fields } from './table.ts'
import { type CliDeps, EXIT, Exit } from './terminal.ts'

export function addAuditCommand(program: Command, deps: CliDeps): void {
  program
    .command('audit')
    .summary('Check the books and the stored images.')
    .description(
      'Check every balance, hold, charge and debt against the others, and every stored image against its file. ' +
        'The exit status is 1 if anything is wrong.',
    )
    .action(async (_: object, command: Command) => {
      const { folder, answer } = contextOf(command, deps)
      const found = await auditFolder(folder)
      answer(
        { clean: found.clean, findings: found.findings, totals: totalsView(found.totals) },
        describe(found),
      )
      if (!found.clean) throw new Exit(EXIT.failed)
    })
}

/** The books and the images of a data folder. */
async function auditFolder(folder: DataFolder): Promise<Audit> {
  const { findings: in_books, totals } = withDatabase(folder, 'read', audit)
  const in_images = await withReadableDatabase(folder, (db) => auditLibrary({ db, ...foldersIn(folder.dir) }))
  const findings = [...in_books, ...in_images]
  return { clean: findings.length === 0, findings, totals }
}

/** Findings as lines of text: what is wrong, what it should be, and which rule it breaks. */
export function describeFindings({ findings }: Pick<Audit, 'findings'>): string {
  return findings
    .map(
      ({ subject, found, expected, meaning }) => `${subject}: is ${found}, should be ${expected}. ${meaning}`,
    )
    .join('\n')
}

function describe(audit: Audit): string {
  const { totals } = audit
  const summary = fields([
    ['accounts', String(totals.accounts)],
    ['keys', String(totals.keys)],
    ['calls', String(totals.calls)],
    ['pending holds', String(totals.pending_holds)],
    ['topped up', `${formatUsd(totals.topped_up_nanos)} USD`],
    ['withdrawn', `${formatUsd(totals.withdrawn_nanos)} USD`],
    ['charged', `${formatUsd(totals.charged_nanos)} USD`],
    ['balance', `${formatUsd(totals.balance_nanos)} USD`],
    ['held', `${formatUsd(totals.held_nanos)} USD`],
    ['debt', `${formatUsd(totals.debt_nanos)} USD`],
  ])
  if (audit.clean) return `${summary}\n\nClean: every invariant holds.`
  return `${summary}\n\n${describeFindings(audit)}\n\nFindings: ${audit.findings.length}. Amounts without a unit are nano-dollars.`
}

function totalsView({ accounts, keys, calls, pending_holds, ...amounts }: Totals) {
  return {
    accounts,
    keys,
    calls,
    pending_holds,
    ...money('balance', amounts.balance_nanos),
    ...money('held', amounts.held_nanos),
    ...money('debt', amounts.debt_nanos),
    ...money('charged', amounts.charged_nanos),
    ...money('topped_up', amounts.topped_up_nanos),
    ...money('withdrawn', amounts.withdrawn_nanos),
  }
}
