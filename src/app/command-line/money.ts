// Money operations of commands: written directly to the database, or by the running gateway if it must know of them first.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type {
  Ledger,
  MoneyOperation,
  MoneyOutcome,
  RefundOperation,
  RefundOutcome,
} from '../../money/ledger/operations.ts'
import { MAX_COMMAND_MS, takeServeLock } from '../../store/lock.ts'
import { createSlots } from '../../utilities/slots.ts'
import { WITHDRAWALS_FILE } from '../process/data-paths.ts'
import { type DataFolder, engineOfFolder } from './data-folder.ts'

/** Moves money in a folder's database until it is disposed of. Operations may run concurrently. */
export interface MoneyMover extends AsyncDisposable {
  /**
   * An operation that takes from a free balance (a withdrawal, or an opening debt, which the balance pays) is made by the gateway that serves
   * the folder, if one runs: its newest holds may not be in the tables yet.
   *
   * @throws GatewayError as `Ledger.submit`; conflict if the gateway does not answer
   */
  move(operation: MoneyOperation): Promise<MoneyOutcome>
  /** Writes directly, even while a gateway is running: a refund only adds. @throws GatewayError as `Ledger.submit` */
  refund(operation: RefundOperation): Promise<RefundOutcome>
}

/** @throws as opening the folder's database */
export async function openMoneyMover(folder: DataFolder): Promise<MoneyMover> {
  const engine = await engineOfFolder(folder)
  // Migrates if needed, with a note to the operator; the ledger would migrate silently.
  await (await engine.open({ ...folder, access: 'write' })).close()
  let opened: Promise<Ledger> | undefined
  const ledger = () => (opened ??= engine.openLedger())
  const submit = async (operation: MoneyOperation) => await (await ledger()).submit(operation)
  // One operation at a time can hold the folder's lock.
  const inTurn = createSlots(1)
  return {
    move(operation) {
      if (operation.op === 'top_up' || engine.is_shared) return submit(operation)
      return inTurn(async () => {
        // Without the file another command has the lock, or a gateway that starts or stops.
        const is_served = existsSync(join(folder.dir, WITHDRAWALS_FILE))
        using unserved = takeServeLock(folder.dir, is_served ? 0 : MAX_COMMAND_MS)
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
