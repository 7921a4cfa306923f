// One connection to PostgreSQL: executes its statements one after the other, and detects its end.

import type { ReservedSQL, SQL } from 'bun'
import { parseDatabaseAddress } from '../../../domain/database-address.ts'
import { codeOf, messageOf } from '../../../utilities/thrown.ts'
import type { Orm } from '../../db.ts'
import { connectionLost, endsConnection, failureOf } from './failure.ts'
import { ormOver } from './orm.ts'
import { loseSilent, watchSilence } from './silence.ts'
import { type Column, rowsOf, type Sent, sentOf } from './values.ts'

/** The schema of all tables and functions. */
export const SCHEMA = 'tollgate'

const STATEMENT_TIMEOUT_S = 30
const MAX_CONNECT_MS = 5_000
/** By then a living server has ended the statement. */
const MAX_ANSWER_MS = (STATEMENT_TIMEOUT_S + 5) * 1000
const MAX_LONG_ANSWER_MS = 3_600_000
/** The number of marks before a new writer name. Each update passes the row versions of those before, which an old snapshot keeps. */
export const MAX_MARKS = 1_000

/**
 * Settings of each session. A transaction whose gateway died or was cut off ends soon, with its locks. Query plans are made once for any
 * values, and use indexes: as in SQLite, for which the queries were written, and with half the server's work.
 */
export const SETTINGS: Readonly<Record<string, string>> = {
  application_name: 'tollgate',
  search_path: SCHEMA,
  statement_timeout: `${STATEMENT_TIMEOUT_S}s`,
  lock_timeout: '3s',
  idle_in_transaction_session_timeout: '3s',
  jit: 'off',
  enable_seqscan: 'off',
  plan_cache_mode: 'force_generic_plan',
}

export interface Answer {
  readonly columns: readonly Column[]
  readonly rows: unknown[][]
  /** The executed command: `COMMIT`, or `ROLLBACK` instead of it. */
  readonly command: string
}

/** The mark that a transaction writes (commit-mark.ts). */
export interface CommitMark {
  /** A name of the writing connection, which changes after MAX_MARKS marks. */
  readonly writer: string
  /** Rises with each transaction of the connection. */
  readonly number: number
}

/** A statement and its parameters. */
export interface Statement {
  readonly text: string
  readonly values?: readonly unknown[] | undefined
}

type RawResult = unknown[][] & { columns: Column[]; command: string }

/** A connection for one user at a time. Once lost it stays lost: consecutive statements never go to different sessions. */
export class Connection {
  /** Finds prepared queries; exists as long as the connection. */
  readonly orm: Orm
  readonly #client: SQL
  readonly #session: ReservedSQL
  readonly #url: string
  readonly #forget: () => void
  #writer = ''
  #commits = 0
  #max_answer_ms: number
  #answered_ms = performance.now()
  #waiting = 0
  #is_lost = false

  private constructor(url: string, client: SQL, session: ReservedSQL, max_answer_ms: number) {
    this.#url = url
    this.#client = client
    this.#session = session
    this.#max_answer_ms = max_answer_ms
    this.#forget = watchSilence(url, this)
    this.orm = ormOver(async (text, values) => (await this.ask(text, values)).rows)
  }

  /**
   * @param settings in addition to those of each session @param within_ms the time to connect
   * @param max_answer_ms the default time for an answer; after it the connection is lost
   * @throws StorageFailure
   */
  static async open(
    url: string,
    settings: Readonly<Record<string, string>> = {},
    within_ms = MAX_CONNECT_MS,
    max_answer_ms = MAX_ANSWER_MS,
  ): Promise<Connection> {
    let opened: Connection | undefined
    const client = new Bun.SQL({
      ...fieldsOf(url),
      adapter: 'postgres',
      max: 1,
      bigint: true,
      idleTimeout: 0,
      maxLifetime: 0,
      connectionTimeout: within_ms / 1000,
      connection: { ...SETTINGS, ...settings, ...withoutOptions() },
      onclose: () => opened?.lose(),
    })
    try {
      opened = new Connection(url, client, await client.reserve(), max_answer_ms)
      return opened
    } catch (thrown) {
      void client.close({ timeout: 0 })
      if (codeOf(thrown) === 'ERR_POSTGRES_CONNECTION_TIMEOUT') void loseSilent(url)
      const failure = failureOf(thrown)
      throw failure === thrown ? connectionLost(codeOf(thrown), messageOf(thrown)) : failure
    }
  }

  /** Returns the mark for its next transaction. */
  nextMark(): CommitMark {
    if (this.#commits % MAX_MARKS === 0) this.#writer = crypto.randomUUID()
    this.#commits += 1
    return { writer: this.#writer, number: this.#commits }
  }

  get isLost(): boolean {
    return this.#is_lost
  }

  get answered_ms(): number {
    return this.#answered_ms
  }

  get is_idle(): boolean {
    return this.#waiting === 0
  }

  get is_patient(): boolean {
    return this.#max_answer_ms === MAX_LONG_ANSWER_MS
  }

  /**
   * Executes one statement.
   * @param within_ms the time after which the connection is given up
   * @throws StorageFailure; StatementError; Error for a value that cannot be stored, or not exactly
   */
  async ask(text: string, values: readonly unknown[] = [], within_ms = this.#max_answer_ms): Promise<Answer> {
    if (this.#is_lost) throw connectionLost('08003', 'the connection to the database is lost')
    const sent = values.map(sentOf)
    const result = await this.#answer(() => this.#session.unsafe(text, sent).values(), within_ms)
    return answerOf(result as unknown as RawResult)
  }

  /**
   * Sends statements together and waits for them once. Each is executed after the one before it, even if that one failed.
   * @param within_ms the time for all of them
   * @throws as `ask`, after all have ended: the first failure
   */
  async askAll(statements: readonly Statement[], within_ms = this.#max_answer_ms): Promise<Answer[]> {
    if (this.#is_lost) throw connectionLost('08003', 'the connection to the database is lost')
    const sent = statements.map(({ text, values = [] }) => ({ text, values: values.map(sentOf) }))
    const sendAll = () => Promise.allSettled(sent.map((statement) => this.#send(statement)))
    const results = await this.#answer(sendAll, within_ms)
    const failures = results.flatMap((one) => (one.status === 'rejected' ? [failureOf(one.reason)] : []))
    if (failures.some(endsConnection)) this.lose()
    if (failures.length > 0) throw failures[0]
    return results.flatMap((one) => (one.status === 'fulfilled' ? [answerOf(one.value)] : []))
  }

  async #send({ text, values }: { text: string; values: Sent[] }): Promise<RawResult> {
    // A plain text without parameters would be sent only after the previous answer; a template is not.
    const query = values.length > 0 ? this.#session.unsafe(text, values) : this.#session(templateOf(text))
    return (await query.values()) as unknown as RawResult
  }

  /** Executes statements in one message, without parameters. @returns the rows of the last @throws as `ask` */
  async script(text: string): Promise<unknown[][]> {
    if (this.#is_lost) throw connectionLost('08003', 'the connection to the database is lost')
    const results = await this.#answer(() => this.#session.unsafe(text).values(), this.#max_answer_ms)
    return (results as unknown as RawResult[]).at(-1) ?? []
  }

  /** Allows statements within `work` to take long. The server's own timeout must be raised separately. */
  async patiently<T>(work: () => Promise<T>): Promise<T> {
    const usual_ms = this.#max_answer_ms
    this.#max_answer_ms = MAX_LONG_ANSWER_MS
    try {
      return await work()
    } finally {
      this.#max_answer_ms = usual_ms
    }
  }

  /** Marks the connection as unusable, and closes it. */
  lose(): void {
    if (this.#is_lost) return
    this.#is_lost = true
    this.#forget()
    void this.#client.close({ timeout: 0 })
  }

  async close(): Promise<void> {
    this.#is_lost = true
    this.#forget()
    await this.#client.close({ timeout: 0 })
  }

  async #answer<T>(send: () => Promise<T>, within_ms: number): Promise<T> {
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      late.reject(connectionLost('08006', 'the database did not answer in time'))
      void loseSilent(this.#url)
    }, within_ms)
    this.#waiting += 1
    try {
      const answer = await Promise.race([send(), late.promise])
      this.#answered_ms = performance.now()
      return answer
    } catch (thrown) {
      const failure = failureOf(thrown)
      if (endsConnection(failure)) this.lose()
      else this.#answered_ms = performance.now()
      throw failure
    } finally {
      this.#waiting -= 1
      clearTimeout(timer)
    }
  }

  /** Whether the server answers within this time, even with an error. Never rejects. */
  async isAnswered(within_ms: number): Promise<boolean> {
    const answer = this.#session
      .unsafe('SELECT 1')
      .values()
      .then(
        () => true,
        (thrown) => !endsConnection(failureOf(thrown)),
      )
    const is_answered = await Promise.race([answer, Bun.sleep(within_ms).then(() => false)])
    if (is_answered) this.#answered_ms = performance.now()
    return is_answered
  }
}

/** Overrides the environment's `PGOPTIONS`, which would change further settings of each session. */
const withoutOptions = () => (process.env.PGOPTIONS ? { options: '' } : {})

/** Returns every field that Bun would otherwise read from the environment, where `PGDATABASE` overrides the URL's database. */
function fieldsOf(url: string): SQL.PostgresOrMySQLOptions {
  const address = parseDatabaseAddress(url)
  if (!address) return { url }
  const { hostname, port, user: username, password, database, sslmode, channel_binding } = address
  return {
    url,
    hostname,
    port,
    username,
    // Without a password, Bun would use the environment's.
    password: password || (() => ''),
    database,
    channelBinding: channel_binding,
    // If the URL has a mode, it overrides the environment's.
    ...(sslmode === undefined && { tls: 'disable' }),
  }
}

function answerOf(result: RawResult): Answer {
  const { columns, command } = result
  if (!columns) throw new Error('Several statements were passed as one.')
  return { columns, rows: rowsOf(result, columns), command }
}

const templateOf = (text: string): TemplateStringsArray =>
  Object.defineProperty([text], 'raw', { value: [text] }) as unknown as TemplateStringsArray
