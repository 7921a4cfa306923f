// Movements of money by commands: made beside a running gateway, or by it where it must know of them first.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type {
  Ledger,
  MoneyOperation,
  MoneyOutcome,
  RefundOperation,
  RefundOutcome,
} from '../../money/ledger/operations.ts'
import { MAX_COMMAND_MS, takeLock } from '../../store/lock.ts'
import { createSlots } from '../../utilities/slots.ts'
import { WITHDRAWALS_FILE } from '../process/data-paths.ts'
import { type DataFolder, engineOfFolder } from './data-folder.ts'

/** Moves money in a folder's database until it is disposed of. Several movements may be under way. */
export interface MoneyMover extends AsyncDisposable {
  /**
   * What takes from a free balance (a withdrawal, and an opening debt, which it pays) is made by the gateway that serves the folder, if
   * there is one: what it holds may not be in the tables yet, and must not be taken.
   *
   * @throws GatewayError as `Ledger.submit`; conflict where the gateway does not answer
   */
  move(operation: MoneyOperation): Promise<MoneyOutcome>
  /** Beside a gateway, too: it only adds. @throws GatewayError as `Ledger.submit` */
  refund(operation: RefundOperation): Promise<RefundOutcome>
}

/** Opens what moves money in a folder. @throws what opening its database throws */
export async function openMoneyMover(folder: DataFolder): Promise<MoneyMover> {
  const engine = await engineOfFolder(folder)
  // Migrates where that is needed, with a note; the ledger opens it in silence.
  await (await engine.open({ ...folder, access: 'write' })).close()
  let opened: Promise<Ledger> | undefined
  const ledger = () => (opened ??= engine.openLedger())
  const submit = async (operation: MoneyOperation) => await (await ledger()).submit(operation)
  // The lock of the folder is for one of them.
  const inTurn = createSlots(1)
  return {
    move(operation) {
      if (operation.op === 'top_up' || engine.is_shared) return submit(operation)
      return inTurn(async () => {
        // Without the file another command has the lock, or a gateway that starts or stops.
        const is_served = existsSync(join(folder.dir, WITHDRAWALS_FILE))
        using unserved = takeLock(join(folder.dir, 'serve.lock'), is_served ? 0 : MAX_COMMAND_MS)
        if (unserved) return await submit(operation)
        const { moveAtGateway } = await import('../process/withdrawals.ts')
        return await moveAtGateway(folder.dir, operation)
      })
    },
    refund: async (operation) => await (await ledger()).submit(operation),
    async [Symbol.asyncDispose]() {
      await (await opened)?.close()
    },
  }
}
