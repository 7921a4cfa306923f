// The heartbeat of a gateway: its row shows that it is alive, by the server's clock, and is ended after a silence.
import type { Db, Statements } from '../../db.ts'

/** Returns the server's clock, in milliseconds since 1970. @throws StorageFailure */
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
  /** The lowest version that a program must have to use the tables. */
  readable_from: number
  /** The version of the shared catalogue; null before the first. */
  shared_version: number | null
}

/**
 * Records that a gateway is alive.
 * @returns undefined if others considered it dead @throws StorageFailure
 */
export async function recordBeat(db: Statements, id: number): Promise<Beat | undefined> {
  const [row] = await db.rows<Beat>(BEAT, { id })
  return row
}

/** Revives a row whose reason for ending or removal is over. Its number is unique to it: no other gateway gets it. */
const REVIVE = `INSERT INTO gateways (id, version, node, name, started_at_ms, seen_at_ms)
  VALUES ($id, $version, $node, $name, now_ms(), now_ms())
  ON CONFLICT (id) DO UPDATE SET ended_at_ms = NULL, seen_at_ms = now_ms()`

/** Makes a gateway alive again that others considered dead. Rows that were released from it stay released. @throws StorageFailure */
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

/** The marks of a connection end with its next transaction, and a lost connection's mark is checked within seconds. */
const FORGET_MARKS = 'DELETE FROM commits WHERE at_ms < now_ms() - 86400000'

/** Removes the marks of connections that ended long ago. @throws StorageFailure */
export const forgetMarks = (db: Db): Promise<unknown> => db.write((db) => db.rows(FORGET_MARKS))

/**
 * Ends the gateways that have not reported since a time on the server's clock, and those whose last report is so far ahead that the clock
 * must have been set back since.
 *
 * @param reported_ms this gateway's last report: if the clock was set back after it, none is ended @throws StorageFailure
 */
export const endSilent = (
  db: Db,
  bounds: { since_ms: number; ahead_ms: number; reported_ms: number },
): Promise<{ id: number; name: string }[]> => db.write((db) => db.rows(END_SILENT, bounds))
