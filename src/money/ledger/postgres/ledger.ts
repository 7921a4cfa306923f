// The ledger on a PostgreSQL server, which several gateways share: each hold waits for its batch.
import { groupCommit, type LedgerOptions } from '../ledger.ts'
import type { Ledger } from '../operations.ts'
import { openPostgresExecutor, type PostgresExecutorOptions } from './executor.ts'

/** @param url as of `openPostgresExecutor`. Nothing is connected to yet */
export const openSharedLedger = (
  url: string,
  options: PostgresExecutorOptions & Pick<LedgerOptions, 'blocked' | 'onChange'> = {},
): Ledger => groupCommit(openPostgresExecutor(url, options), options)
