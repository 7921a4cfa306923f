// One gateway's own connections to a database of either engine, in the process of the tests or in one that is killed.
import { openLedger } from '../../src/money/ledger/ledger.ts'
import type { Ledger } from '../../src/money/ledger/operations.ts'
import { openSharedLedger } from '../../src/money/ledger/postgres/executor.ts'
import type { Db } from '../../src/store/db.ts'
import { openPostgres } from '../../src/store/engines/postgres/open.ts'
import { openDb } from '../../src/store/engines/sqlite/sqlite.ts'

/** @param address a file, or the address of a PostgreSQL database @param opened that database, if it is open */
export const openAt = async (address: string, opened?: Db): Promise<{ db: Db; ledger: Ledger }> =>
  address.startsWith('postgres:')
    ? { db: opened ?? (await openPostgres(address)), ledger: openSharedLedger(address) }
    : { db: openDb(address), ledger: openLedger({ path: address }) }
