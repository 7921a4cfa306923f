// This process among the gateways over a database: its row, the number of its data folder, its clock, and what it knows of the others.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Logger } from '../../../observe/log.ts'
import type { Db } from '../../../store/db.ts'
import { beginGateway, endGateway } from '../../../store/gateways.ts'
import type { Gateway } from '../../../store/schema.ts'

const FILE = 'gateway.id'

/** The number that the folder has; undefined before its first gateway. @throws the file system's error */
export function knownNode(data_folder: string): string | undefined {
  const path = join(data_folder, FILE)
  return existsSync(path) ? readFileSync(path, 'utf8').trim() || undefined : undefined
}

/**
 * Under the folder's lock. A copy of a folder must not keep the file: its gateway would end the other's row.
 * @returns a UUID and the machine's name @throws the file system's error
 */
export function nodeIn(data_folder: string): { node: string; name: string } {
  const name = hostname()
  const known = knownNode(data_folder)
  if (known !== undefined) return { node: known, name }
  const node = crypto.randomUUID()
  writeFileSync(join(data_folder, FILE), `${node}\n`, { mode: 0o600 })
  return { node, name }
}

export interface SharedClock {
  now: () => number
  /** The machine's own. */
  machine_now: () => number
  /** From here on it shows what the database's does. */
  follow(gateway: Pick<OwnGateway, 'clock_offset_ms'>): void
}

/** @param machine_now the machine's own */
export function sharedClock(machine_now: () => number): SharedClock {
  let followed: Pick<OwnGateway, 'clock_offset_ms'> = { clock_offset_ms: 0 }
  return {
    now: () => machine_now() + followed.clock_offset_ms,
    machine_now,
    follow(gateway) {
      followed = gateway
    },
  }
}

export interface OwnGateway {
  /** Of its row, as long as it runs. */
  readonly id: number
  /** The difference of the database's clock from this machine's. */
  readonly clock_offset_ms: number
  /** All that are alive, itself too, as it was told last; empty where it alone serves the database. */
  readonly alive: readonly Gateway[]
  /** Why it can write nothing any more: a newer program has changed the tables so that this one cannot use them. */
  readonly outdated: string | undefined
  /** Why it is of no use to callers at the moment, though it may write: its last beat was not told. Calls that come all the same are tried. */
  readonly unreached: string | undefined
  /** Takes those for dead that have been silent: what they had under way is nobody's from then on. */
  endSilent(): Promise<void>
  /** Others took it for dead, as after a time without a network: it is alive again. @throws StorageFailure */
  revive(): Promise<void>
  /** Its calls under way have no owner then. */
  end(): Promise<void>
}

/** Whether it does what one of all gateways does: the one that began first, of those that are alive. */
export const isEldest = ({ id, alive: [eldest] }: Pick<OwnGateway, 'id' | 'alive'>): boolean =>
  eldest === undefined || eldest.id === id

export interface JoinOptions {
  version: string
  data_folder: string
  log: Logger
  /** The machine's clock. */
  now: () => number
  /** Gets with each beat the version of the catalogue in the database; undefined before the first. It may not throw. */
  onSharedVersion?: ((version: number | undefined) => void) | undefined
  timing?: GatewayTiming | undefined
}

/** When a gateway tells that it is alive, and for how long the others wait. */
export interface GatewayTiming {
  beat_every_ms: number
  silent_after_ms: number
}

export const TIMING: GatewayTiming = { beat_every_ms: 2_000, silent_after_ms: 30_000 }

/** The only gateway over a database, whose lock it has. */
export async function beginAlone(db: Db, { version, log, now }: JoinOptions): Promise<OwnGateway> {
  const own = { version, node: '', name: hostname(), now_ms: now(), is_alone: true }
  const id = await beginGateway(db, own)
  return {
    id,
    clock_offset_ms: 0,
    alive: [],
    outdated: undefined,
    unreached: undefined,
    endSilent: async () => {},
    revive: async () => {},
    async end() {
      try {
        await endGateway(db, id, now())
      } catch (cause) {
        log.warn({ cause }, 'the end of this gateway could not be written: the next start does it')
      }
    },
  }
}
