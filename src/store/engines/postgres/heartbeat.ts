// The heartbeat of a gateway: its row says that it is alive, by the clock of the server, and ends where it has been silent.
import type { Db, Statements } from '../../db.ts'

/** The clock of the server, in milliseconds since 1970. @throws StorageFailure */
export async function serverClock(db: Statements): Promise<number> {
  const [row] = await db.rows<{ now_ms: number }>('SELECT now_ms() AS now_ms')
  return row?.now_ms ?? 0
}

const BEAT = `UPDATE gateways
    SET seen_at_ms = now_ms()
  WHERE id = $id AND ended_at_ms IS NULL
  RETURNING seen_at_ms, (SELECT readable_from FROM schema) AS readable_from,
    (SELECT max(version) FROM catalogues WHERE shared = 1) AS shared_version`

export interface Beat {
  /** The server's clock. */
  seen_at_ms: number
  /** The least version that a program must know to go on with the tables. */
  readable_from: number
  /** Of the catalogue; null before the first. */
  shared_version: number | null
}

/**
 * Writes that a gateway is alive.
 * @returns undefined where others took it for dead @throws StorageFailure
 */
export async function beat(db: Statements, id: number): Promise<Beat | undefined> {
  const [row] = await db.rows<Beat>(BEAT, { id })
  return row
}

/** The reason to end or remove its row is over. Its number is its own: no other gateway gets it. */
const REVIVE = `INSERT INTO gateways (id, version, node, name, started_at_ms, seen_at_ms)
  VALUES ($id, $version, $node, $name, now_ms(), now_ms())
  ON CONFLICT (id) DO UPDATE SET ended_at_ms = NULL, seen_at_ms = now_ms()`

/** Makes a gateway alive again that others took for dead. What was of it then stays nobody's. @throws StorageFailure */
export async function revive(
  db: Statements,
  gateway: { id: number; version: string; node: string; name: string },
): Promise<void> {
  await db.rows(REVIVE, { ...gateway })
}

const END_SILENT = `UPDATE gateways SET ended_at_ms = now_ms()
  WHERE ended_at_ms IS NULL AND $reported_ms <= now_ms()
    AND (coalesce(seen_at_ms, 0) < $since_ms OR seen_at_ms > now_ms() + $ahead_ms)
  RETURNING id, name`

/** A connection's own goes with its next transaction; whoever asks for one of a lost connection asks within seconds. */
const FORGET_MARKS = 'DELETE FROM commits WHERE at_ms < now_ms() - 86400000'

/** Removes the marks of connections that are long gone. @throws StorageFailure */
export const forgetMarks = (db: Db): Promise<unknown> => db.write((db) => db.rows(FORGET_MARKS))

/**
 * Ends the gateways that have reported nothing since then, by the clock of the server, and those whose last report is so far ahead that it was set
 * back since.
 *
 * @param reported_ms the last report of this gateway: where the clock was set back after it, none is ended @throws StorageFailure
 */
export const endSilent = (
  db: Db,
  bounds: { since_ms: number; ahead_ms: number; reported_ms: number },
): Promise<{ id: number; name: string }[]> => db.write((db) => db.rows(END_SILENT, bounds))
