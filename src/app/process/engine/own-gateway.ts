// This process as one of the gateways of a database: its row, the ID of its data folder, its clock, and its view of the others.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Logger } from '../../../observe/log.ts'
import type { Db } from '../../../store/db.ts'
import { beginGateway, endGateway } from '../../../store/gateways.ts'
import type { Gateway } from '../../../store/schema.ts'

const FILE = 'gateway.id'

/** Returns the folder's ID; undefined before its first gateway. @throws the file system's error */
export function knownNode(data_folder: string): string | undefined {
  const path = join(data_folder, FILE)
  return existsSync(path) ? readFileSync(path, 'utf8').trim() || undefined : undefined
}

/**
 * Reads the folder's ID, or creates it, under the folder's lock. No copy may have the file: its gateway would end the original's row.
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
  /** The machine's clock. */
  machine_now: () => number
  /** Follows the database's clock from now on. */
  follow(gateway: Pick<OwnGateway, 'clock_offset_ms'>): void
}

/** @param machine_now the machine's clock */
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
  /** The ID of its row, while it runs. */
  readonly id: number
  /** The database's clock minus this machine's. */
  readonly clock_offset_ms: number
  /** All live gateways as of the last beat, itself included; empty if no other gateway can use the database. */
  readonly alive: readonly Gateway[]
  /** Set once a newer program has changed the tables so that this one can no longer use them: the reason, for the public. */
  readonly outdated: string | undefined
  /** Set while the last beat failed: the reason why it is not ready. It still tries calls that arrive. */
  readonly unreached: string | undefined
  /** Ends the rows of silent gateways, so that their holds and running work have no owner. */
  endSilent(): Promise<void>
  /** Registers itself again after other gateways ended its row, such as after a network outage. @throws StorageFailure */
  revive(): Promise<void>
  /** Ends its row. Its running calls then have no owner. */
  end(): Promise<void>
}

/** Whether it does the work that only one gateway does: it is the live gateway that started first. */
export const isEldest = ({ id, alive: [eldest] }: Pick<OwnGateway, 'id' | 'alive'>): boolean =>
  eldest === undefined || eldest.id === id

export interface JoinOptions {
  version: string
  data_folder: string
  log: Logger
  /** The machine's clock. */
  now: () => number
  /** Receives with each beat the version of the catalogue in the database; undefined if none exists. It must not throw. */
  onSharedVersion?: ((version: number | undefined) => void) | undefined
  timing?: GatewayTiming | undefined
}

/** The interval of heartbeats, and the silence after which a gateway counts as dead. */
export interface GatewayTiming {
  beat_every_ms: number
  silent_after_ms: number
}

export const TIMING: GatewayTiming = { beat_every_ms: 2_000, silent_after_ms: 30_000 }

/** Registers the only gateway of a database, which has its lock. */
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
        log.warn({ cause }, 'the end of this gateway could not be recorded: the next start does it')
      }
    },
  }
}
