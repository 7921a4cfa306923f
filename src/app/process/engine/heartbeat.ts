// The heartbeat of this gateway: reports that it is alive, and reads the database's clock and the other live gateways.
import { StorageFailure } from '../../../domain/storage-failure.ts'
import type { Logger } from '../../../observe/log.ts'
import type { Db, Statements } from '../../../store/db.ts'
import {
  type Beat,
  endSilent,
  forgetMarks,
  recordBeat,
  revive,
  serverClock,
} from '../../../store/engines/postgres/heartbeat.ts'
import { isReadable, NEWEST } from '../../../store/engines/postgres/migrate.ts'
import { QuickConnection } from '../../../store/engines/postgres/quick-connection.ts'
import { aliveGateways, beginGateway, endGateway } from '../../../store/gateways.ts'
import type { Gateway } from '../../../store/schema.ts'
import { type GatewayTiming, type JoinOptions, nodeIn, type OwnGateway, TIMING } from './own-gateway.ts'

/** The timeout of one beat: short enough for several tries before other gateways consider this one dead. */
const answerWithin = ({ silent_after_ms }: GatewayTiming): number => Math.max(silent_after_ms / 6, 1_000)

/** Registers this gateway in a database, and keeps its row alive. @param url of the database @throws StorageFailure */
export async function joinGateways(db: Db, url: string, options: JoinOptions): Promise<OwnGateway> {
  const { version, data_folder, now, timing = TIMING } = options
  const own = { version, ...nodeIn(data_folder) }
  const clock = new DatabaseClock(now)
  await using undoing = new AsyncDisposableStack()
  const connection = new QuickConnection(url, answerWithin(timing))
  undoing.defer(() => connection.close())
  await connection.use((db) => clock.learnFrom(() => serverClock(db)))
  const id = await beginGateway(db, { ...own, now_ms: now() + clock.offset_ms, is_alone: false })
  const heartbeat = new Heartbeat(db, { ...options, connection, timing, own: { id, ...own }, clock })
  await heartbeat.beat()
  undoing.move()
  return heartbeat
}

/** The offset of the database's clock from this machine's. */
class DatabaseClock {
  readonly now: () => number
  offset_ms = 0

  constructor(now: () => number) {
    this.now = now
  }

  /** Measures the offset. @param readTime reads the database's time, assumed to be taken halfway through the request */
  async learnFrom<Reading extends number | undefined>(readTime: () => Promise<Reading>): Promise<Reading> {
    const began_ms = this.now()
    const database_ms = await readTime()
    if (database_ms !== undefined) this.offset_ms = Math.round(database_ms - (began_ms + this.now()) / 2)
    return database_ms
  }
}

interface HeartbeatParts extends Pick<JoinOptions, 'log' | 'onSharedVersion'> {
  connection: QuickConnection
  timing: GatewayTiming
  own: { id: number; version: string; node: string; name: string }
  clock: DatabaseClock
}

/** The times of this gateway's reports, by the server's clock. */
interface Reports {
  /** The start of the current run of reports without a gap: the server has been reachable since then. */
  since_ms: number
  last_ms: number
}

class Heartbeat implements OwnGateway {
  readonly id: number
  alive: readonly Gateway[] = []
  outdated: string | undefined
  readonly #db: Db
  readonly #connection: QuickConnection
  readonly #log: Logger
  readonly #onSharedVersion: JoinOptions['onSharedVersion']
  readonly #timing: GatewayTiming
  readonly #own: HeartbeatParts['own']
  readonly #clock: DatabaseClock
  readonly #timer: ReturnType<typeof setInterval>
  #beating: Promise<void> | undefined
  #reports: Reports | undefined
  #is_reached = true
  #reason: string | undefined

  constructor(db: Db, { connection, log, onSharedVersion, timing, own, clock }: HeartbeatParts) {
    this.id = own.id
    this.#db = db
    this.#connection = connection
    this.#log = log
    this.#onSharedVersion = onSharedVersion
    this.#timing = timing
    this.#own = own
    this.#clock = clock
    this.#timer = setInterval(() => void this.beat(), timing.beat_every_ms)
    this.#timer.unref()
  }

  get unreached(): string | undefined {
    return this.#is_reached ? undefined : this.#reason
  }

  get clock_offset_ms(): number {
    return this.#clock.offset_ms
  }

  /** Never rejects: calls that need the database are refused by the ledger. */
  beat(): Promise<void> {
    this.#beating ??= this.#beatOnce()
      .then(
        () => this.#noteReached(),
        (cause) => this.#noteReached(cause),
      )
      .finally(() => {
        this.#beating = undefined
      })
    return this.#beating
  }

  async endSilent(): Promise<void> {
    await forgetMarks(this.#db)
    if (!this.#reports) return
    const { silent_after_ms: ahead_ms } = this.#timing
    const { last_ms: reported_ms } = this.#reports
    // Measured from this gateway's last report, not from now: this process itself may have been suspended.
    const since_ms = reported_ms - ahead_ms
    // After an outage of the server every gateway has been silent.
    if (this.#reports.since_ms > since_ms) return
    for (const { id: gateway_id, name } of await endSilent(this.#db, {
      since_ms,
      ahead_ms,
      reported_ms,
    }))
      this.#log.warn({ gateway_id, name }, 'a gateway has stopped reporting, and is treated as stopped')
  }

  async revive(): Promise<void> {
    await this.#connection.use((db) => revive(db, this.#own))
    this.#reports = undefined
    this.#log.warn(
      { gateway_id: this.id },
      'other gateways treated this one as stopped, since it was silent: it continues, and settles its calls late',
    )
  }

  async end(): Promise<void> {
    clearInterval(this.#timer)
    await this.#beating
    try {
      await endGateway(this.#db, this.id, this.#clock.now() + this.#clock.offset_ms)
    } catch (cause) {
      this.#log.warn({ cause }, 'the end of this gateway could not be recorded: others see its silence')
    }
    await this.#connection.close()
  }

  async #beatOnce(): Promise<void> {
    const answer = await this.#connection.use((db) => this.#report(db))
    if (answer) this.#accept(answer)
    else await this.revive()
    this.alive = this.#withoutSilent(await this.#connection.use(async (db) => await aliveGateways(db)))
  }

  async #report(db: Statements): Promise<Beat | undefined> {
    let answer: Beat | undefined
    await this.#clock.learnFrom(async () => {
      answer = await recordBeat(db, this.id)
      return answer?.seen_at_ms
    })
    return answer
  }

  /** Leaves out silent gateways whose rows no gateway has ended yet. */
  #withoutSilent(gateways: readonly Gateway[]): readonly Gateway[] {
    const now_ms = this.#clock.now() + this.#clock.offset_ms
    const isNear = (at_ms: number) => Math.abs(now_ms - at_ms) <= this.#timing.silent_after_ms
    return gateways.filter(({ id, seen_at_ms }) => id === this.id || isNear(seen_at_ms ?? 0))
  }

  #accept({ seen_at_ms, readable_from, shared_version }: Beat): void {
    const { since_ms, last_ms } = this.#reports ?? { since_ms: seen_at_ms, last_ms: seen_at_ms }
    // A gap in the reports, or a change of the server's clock.
    const has_gap = seen_at_ms < last_ms || seen_at_ms - last_ms > this.#timing.silent_after_ms / 2
    this.#reports = { since_ms: has_gap ? seen_at_ms : since_ms, last_ms: seen_at_ms }
    this.#onSharedVersion?.(shared_version ?? undefined)
    // It stays outdated: migrations are never undone.
    if (this.outdated !== undefined || isReadable({ readable_from })) return
    this.outdated = 'a newer program changed the tables, and this one cannot use them'
    this.#log.error(
      { reason: this.outdated, readable_from, newest_known: NEWEST },
      'this gateway accepts no more calls: start the newer program in its place',
    )
  }

  #noteReached(cause?: unknown): void {
    const is_reached = cause === undefined
    this.#reason = isReadOnly(cause) ? 'the database may only be read' : 'the database does not answer'
    if (is_reached === this.#is_reached) return
    this.#is_reached = is_reached
    if (is_reached)
      this.#log.info({}, 'this gateway reaches the database again, and reports that it is alive')
    else this.#log.warn({ cause }, 'this gateway could not report to the database that it is alive')
  }
}

const isReadOnly = (cause: unknown): boolean =>
  cause instanceof StorageFailure && cause.trouble === 'read_only'
