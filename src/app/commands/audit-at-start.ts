// `audit-at-start`, hidden: the audit of a gateway's own start in a process of its own.
import type { Command } from 'commander'
import { contextOf } from '../command-line/context.ts'
import { engineOfFolder, filesOfFolder } from '../command-line/data-folder.ts'
import type { CliDeps } from '../command-line/terminal.ts'
import { describeFindings, fullAudit, reportOf } from '../process/full-audit.ts'
import { AUDIT_AT_START } from '../process/start-audit.ts'

export function addAuditAtStartCommand(program: Command, deps: CliDeps): void {
  program.command(AUDIT_AT_START, { hidden: true }).action(async (_: unknown, command: Command) => {
    const { folder, answer } = contextOf(command, deps)
    using stores = await filesOfFolder(folder)
    const engine = await engineOfFolder(folder)
    await using db = await engine.open({ ...folder, access: 'read' })
    using integrity = engine.openIntegrity(db)
    const audited = await fullAudit({ ...stores, db, integrity })
    answer(reportOf(audited), describeFindings(audited))
  })
}
