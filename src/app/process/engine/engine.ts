// The engine that keeps the rows: a file of SQLite in the data folder, or a PostgreSQL server. What is about it, and not about rows.
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

/** Opens nothing by itself. */
export interface Engine {
  /** Where the rows are, for people: without a password. */
  readonly address: string
  /** The tables have all holds, and several gateways may make them. Else the newest are known to the one that serves the folder alone. */
  readonly is_shared: boolean
  /** @throws GatewayError not_found without a database, unless it is made; what opening it throws */
  open(options: EngineOptions): Promise<Db>
  /** Of a database that was opened before: its tables are as they must be. */
  openLedger(options?: EngineLedgerOptions): Promise<Ledger>
  /** @param db that was opened to read or write */
  openIntegrity(db: Db): Integrity
  /** @throws StorageFailure */
  about(db: Db): Promise<AboutDatabase>
  /** @param db that was opened to write */
  openScrubbing(db: Db): Scrubbing
  /**
   * Copies all rows as of one moment into a new file of SQLite, beside whatever writes to them, and checks the copy before it gets its name.
   * @returns the audit of the copy, which is clean @throws as `writeNew` (app/process/snapshot.ts), and as `open`
   */
  writeSnapshot(path: string, goesWith?: NoteUnfinished): Promise<Audit>
  /** Of all gateways over the database one makes a backup at a time. @returns undefined while another does */
  lockBackups(): Promise<AsyncDisposable | undefined>
  /** The same of audits beside the calls. */
  lockAudits(): Promise<AsyncDisposable | undefined>
  /** Opens the database for a gateway, and watches over it. @param max_busy_wait_ms as of `LedgerOptions` @throws as `open` */
  serve(log: Logger, max_busy_wait_ms?: number): Promise<ServedDatabase>
  /** Adds the gateway that has the folder's lock to those over the database. @throws StorageFailure */
  join(db: Db, options: JoinOptions): Promise<OwnGateway>
}

export interface AboutDatabase {
  /** SQLite, or such as PostgreSQL 18.4. */
  engine: string
  /** Its size, with its indexes. */
  bytes: number
}

/** Each engine ignores the options of the other. */
interface EngineLedgerOptions
  extends Omit<LedgerOptions, 'path'>,
    Pick<PostgresExecutorOptions, 'onFenced' | 'now'> {}

export interface EngineOptions {
  /** `make`: writes, and makes the database first where it is missing. */
  access: 'read' | 'write' | 'make'
  /** The author of changes, for the audit log. */
  by?: ActionContext | undefined
  /** Notes what was done to the database beside opening it. */
  remark?: ((text: string) => void) | undefined
}

export interface ServedDatabase {
  readonly db: Db
  /** The same for what a call waits for: by connections of its own, so that no report keeps it waiting, and answered within seconds or not at all. */
  readonly call_db: Db
  /** Why nothing may be written at the moment, in words that anybody may read; undefined while it may, as far as is known. */
  readonly trouble: string | undefined
  close(): Promise<void>
}
