// `audit-at-start`, hidden: the audit that a starting gateway runs in a separate process.
import type { Command } from 'commander'
import { contextOf } from '../command-line/context.ts'
import { engineOfFolder, filesOfFolder, withDatabase } from '../command-line/data-folder.ts'
import type { CliDeps } from '../command-line/terminal.ts'
import type { Engine } from '../process/engine/engine.ts'
import { describeFindings, fullAudit, reportOf } from '../process/full-audit.ts'
import { keepMark, markToBeginAt } from '../process/kept-mark.ts'
import { AUDIT_AT_START } from '../process/start-audit.ts'

export function addAuditAtStartCommand(program: Command, deps: CliDeps): void {
  program.command(AUDIT_AT_START, { hidden: true }).action(async (_: unknown, command: Command) => {
    const { folder, answer } = contextOf(command, deps)
    using stores = await filesOfFolder(folder)
    const engine = await engineOfFolder(folder)
    // Gateways audit one after the other, and the next one begins at the mark of the last.
    await using _turn = await turnToAudit(engine)
    await using db = await engine.open({ ...folder, access: 'read' })
    using integrity = engine.openIntegrity(db)
    const now_ms = deps.now()
    const mark = await markToBeginAt(db, now_ms)
    const audited = await fullAudit({ ...stores, db, integrity, marking: { mark, now_ms } })
    answer(reportOf(audited), describeFindings(audited))
    await keepMark(audited, (work) => withDatabase(folder, 'write', work))
  })
}

const TURN_EVERY_MS = 2_000

async function turnToAudit(engine: Engine): Promise<AsyncDisposable> {
  for (;;) {
    const turn = await engine.lockAudits()
    if (turn) return turn
    await Bun.sleep(TURN_EVERY_MS)
  }
}
