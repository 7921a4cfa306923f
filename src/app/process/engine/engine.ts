// The interface of a database engine: an SQLite file in the data folder, or a PostgreSQL server. Rows are read and written through `Db`.
import type { ActionContext } from '../../../domain/actions.ts'
import type { Audit } from '../../../money/ledger/audit.ts'
import type { LedgerOptions } from '../../../money/ledger/ledger.ts'
import type { Ledger } from '../../../money/ledger/operations.ts'
import type { PostgresExecutorOptions } from '../../../money/ledger/postgres/executor.ts'
import type { Logger } from '../../../observe/log.ts'
import type { Db } from '../../../store/db.ts'
import type { Integrity } from '../../../store/engines/sqlite/integrity.ts'
import type { Scrubbing } from '../../../store/engines/sqlite/scrubbing.ts'
import type { NoteUnfinished } from '../../../store/work-folder.ts'
import type { JoinOptions, OwnGateway } from './own-gateway.ts'

/** An engine has no open connection until a method opens one. */
export interface Engine {
  /** The database's address for display, without a password. */
  readonly address: string
  /** True if several gateways may use the database: the tables then have all holds. Otherwise only the serving gateway knows the newest. */
  readonly is_shared: boolean
  /** @throws GatewayError not_found if there is no database, unless `access` is `make`; what opening it throws */
  open(options: EngineOptions): Promise<Db>
  /** Opens the ledger of a database that `open` has already checked and migrated. */
  openLedger(options?: EngineLedgerOptions): Promise<Ledger>
  /** @param db opened with any access */
  openIntegrity(db: Db): Integrity
  /** @throws StorageFailure */
  about(db: Db): Promise<AboutDatabase>
  /** @param db opened with write access */
  openScrubbing(db: Db): Scrubbing
  /**
   * Copies a consistent snapshot of all rows into a new SQLite file, while others write, and checks the copy before it gets its final name.
   * @returns the audit of the copy, which is clean @throws as `writeNew` (app/process/snapshot.ts), and as `open`
   */
  writeSnapshot(path: string, goesWith?: NoteUnfinished): Promise<Audit>
  /** Takes the lock for backups among all gateways of the database. @returns undefined while another gateway has it */
  lockBackups(): Promise<AsyncDisposable | undefined>
  /** Takes the lock for audits, as `lockBackups`. */
  lockAudits(): Promise<AsyncDisposable | undefined>
  /** Opens the database for a gateway, and watches it. @param max_busy_wait_ms as in `LedgerOptions` @throws as `open` */
  serve(log: Logger, max_busy_wait_ms?: number): Promise<ServedDatabase>
  /** Registers this gateway, which has the folder's lock, in the database. @throws StorageFailure */
  join(db: Db, options: JoinOptions): Promise<OwnGateway>
}

export interface AboutDatabase {
  /** The engine's name for display: `SQLite`, `PostgreSQL 18.4`. */
  engine: string
  /** The database's size, indexes included. */
  bytes: number
}

/** Each engine ignores the options of the other. */
interface EngineLedgerOptions
  extends Omit<LedgerOptions, 'path'>,
    Pick<PostgresExecutorOptions, 'onFenced' | 'now'> {}

export interface EngineOptions {
  /** `make`: write, and create the database if it is missing. */
  access: 'read' | 'write' | 'make'
  /** The actor of changes, for the audit log. */
  by?: ActionContext | undefined
  /** Reports changes made while opening, such as a migration. */
  remark?: ((text: string) => void) | undefined
}

export interface ServedDatabase {
  readonly db: Db
  /** For statements that a call waits for: separate connections, so that no report delays them, and a short timeout. */
  readonly call_db: Db
  /** The reason why the database cannot be written now, in words for the public; undefined if none is known. */
  readonly trouble: string | undefined
  close(): Promise<void>
}
