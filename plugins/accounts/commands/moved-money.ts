// Movements of money by a command: made beside a running gateway, or by it where it must know of them first.
import { join } from 'node:path'
import { type DataFolder, engineOfFolder } from '../../../src/app/command-line/data-folder.ts'
import type { Engine } from '../../../src/app/process/engine/engine.ts'
import type { MoneyOutcome, TopUpOperation, WithdrawOperation } from '../../../src/money/ledger/operations.ts'
import { takeLock } from '../../../src/store/lock.ts'

/**
 * Makes a movement. A withdrawal is made by the gateway that serves the folder, if there is one: what it holds may not be in the
 * tables yet, and must not be taken.
 *
 * @throws GatewayError as `Ledger.submit`; conflict where the gateway does not answer
 */
export async function moveMoney(
  folder: DataFolder,
  operation: TopUpOperation | WithdrawOperation,
): Promise<MoneyOutcome> {
  const engine = await engineOfFolder(folder)
  // Migrates where that is needed, with a note; the ledger opens it in silence.
  await (await engine.open({ ...folder, access: 'write' })).close()
  if (operation.op === 'top_up' || engine.is_shared) return move(engine, operation)
  using unserved = takeLock(join(folder.dir, 'serve.lock'))
  if (unserved) return await move(engine, operation)
  const { withdrawAtGateway } = await import('../../../src/app/process/withdrawals.ts')
  return withdrawAtGateway(folder.dir, operation)
}

async function move(engine: Engine, operation: TopUpOperation | WithdrawOperation): Promise<MoneyOutcome> {
  const ledger = await engine.openLedger()
  try {
    return await ledger.submit(operation)
  } finally {
    await ledger.close()
  }
}
