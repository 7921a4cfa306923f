// The checks of a PostgreSQL server: schema, rights, clock, replication, dead rows and gateways. They write nothing.

import { type Diagnosis, diagnosesOf } from '../../../src/app/checks/check.ts'
import {
  type AliveGateway,
  type DeadRows,
  type ExaminedServer,
  examineServer,
} from '../../../src/store/engines/postgres/examination.ts'
import { NEWEST } from '../../../src/store/engines/postgres/migrate.ts'
import { capital } from '../../../src/utilities/capital.ts'
import { counted } from '../../../src/utilities/counted.ts'
import { sizeText } from '../../../src/utilities/size-text.ts'
import { messageOf } from '../../../src/utilities/thrown.ts'
import { NO_TABLES } from './no-tables.ts'

const database = diagnosesOf('database')
const schema = diagnosesOf('schema')
const rights = diagnosesOf('database rights')
const clock = diagnosesOf('database clock')
const replication = diagnosesOf('replication')
const dead_rows = diagnosesOf('dead rows')
const gateways = diagnosesOf('gateways')

/** @param now this machine's clock */
export async function checkServer(url: string, now: () => number): Promise<Diagnosis[]> {
  let examined: ExaminedServer
  try {
    examined = await examineServer(url, now)
  } catch (thrown) {
    return [faultFound(messageOf(thrown))]
  }
  return diagnosesOfServer(examined)
}

export function diagnosesOfServer(examined: ExaminedServer): Diagnosis[] {
  const { place, version, faults, bytes, round_trip_ms } = examined
  const where = `PostgreSQL ${version} at ${place.host}/${place.database}`
  const found = `${where}, ${sizeText(bytes)}, round trip ${round_trip_ms.toFixed(1)} ms`
  return [
    ...(faults.length > 0
      ? faults.map(faultFound)
      : [database.ok(`${found}; \`tollgate audit\` checks its tables and the books`)]),
    versionFound(examined),
    ...rightsFound(examined),
    clockFound(examined),
    ...replicationFound(examined),
    ...deadRowsFound(examined.dead_rows),
    ...gatewaysFound(examined.gateways),
  ]
}

/** Splits a sentence into the fault and, after its last colon, the advice. */
function faultFound(sentence: string): Diagnosis {
  const colon = sentence.lastIndexOf(': ')
  if (colon < 0) return database.fail(sentence, 'Check [storage] database, and the log of the server.')
  const advice = sentence.slice(colon + 2)
  return database.fail(sentence.slice(0, colon), capital(advice))
}

function versionFound({ schema: { version, readable_from } }: ExaminedServer): Diagnosis {
  if (version === 0) return schema.warn(...NO_TABLES)
  if (readable_from > NEWEST)
    return schema.fail(
      `version ${version}, from a newer program; this one knows ${NEWEST}`,
      'Run the newer program, or restore a backup from before.',
    )
  if (version > NEWEST)
    return schema.ok(`version ${version}, from a newer program; this one, which knows ${NEWEST}, can use it`)
  if (version < NEWEST)
    return schema.warn(
      `version ${version}; this program has ${NEWEST}`,
      'The next start migrates it. Make a backup of the server first.',
    )
  return schema.ok(`version ${version}, up to date`)
}

const MAX_NAMED = 3

function rightsFound({ place: { user, database }, rights: { refused, may_migrate } }: ExaminedServer) {
  const more = refused.length - MAX_NAMED
  const named = refused.slice(0, MAX_NAMED).join(', ') + (more > 0 ? `, and ${more} more` : '')
  const advice =
    `Let ${user} own the tables: REASSIGN OWNED BY their owner TO ${user}, in the database ${database}, ` +
    `and GRANT CREATE ON DATABASE ${database} TO ${user}.`
  if (refused.length > 0)
    return [rights.fail(`${user} may not read and write all tables: not ${named}`, advice)]
  if (!may_migrate) return [rights.warn(`${user} may not create or change tables`, advice)]
  return [rights.ok(`${user} may read, write and change all tables`)]
}

const MAX_CLOCK_MS = 1_000

/** Compares the server's clock with this machine's. Several gateways use the server's clock for the state that they share. */
function clockFound({ clock_ahead_ms }: ExaminedServer): Diagnosis {
  const off_ms = Math.abs(clock_ahead_ms)
  const off = off_ms < MAX_CLOCK_MS ? `${Math.round(off_ms)} ms` : `${Math.round(off_ms / 1_000)} s`
  const found = `${off} ${clock_ahead_ms < 0 ? 'behind' : 'ahead of'} this machine's`
  if (off_ms <= MAX_CLOCK_MS) return clock.ok(found)
  return clock.warn(
    found,
    'Sync both with NTP (`timedatectl set-ntp true`). The gateway goes by the clock of the database.',
  )
}

/** Warns if commits do not wait for a standby: after a failover only commits that a standby has confirmed remain. */
function replicationFound({ standbys, commit, place: { user } }: ExaminedServer): Diagnosis[] {
  if (standbys.length === 0) return []
  const found = `standbys: ${standbys.length}`
  if (standbys.includes(null))
    return [
      replication.warn(
        `${found}, whose state ${user} may not see`,
        `GRANT pg_monitor TO ${user}, and run this again.`,
      ),
    ]
  const are_async = standbys.every((state) => state === 'async')
  if (are_async || commit === 'local')
    return [
      replication.warn(
        `${found}; commits do not wait for ${are_async ? 'any, they are asynchronous' : 'them (synchronous_commit is local)'}`,
        'A failover may lose the last commits: calls that were answered are then not charged. Set synchronous_standby_names, and ' +
          "synchronous_commit = 'on'.",
      ),
    ]
  return [replication.ok(`${found}, and a commit waits for one`)]
}

/** A busy gateway normally has up to this many between two vacuums. */
const MAX_DEAD_ROWS = 50_000

function deadRowsFound(tables: readonly DeadRows[]): Diagnosis[] {
  const many = tables.filter(({ live, dead }) => dead > MAX_DEAD_ROWS && dead > live)
  if (many.length > 0)
    return many.map(({ table, live, dead }) =>
      dead_rows.warn(
        `${table}: ${dead}, beside ${counted(live, 'row')}`,
        'Each call takes longer with them. End transactions that are open for hours (pg_stat_activity), remove replication slots that ' +
          'nobody reads, and check that autovacuum is on.',
      ),
    )
  if (tables.length === 0) return []
  return [dead_rows.ok(tables.map(({ table, dead }) => `${table} ${dead}`).join(', '))]
}

/** Lists the running gateways; warns if their versions differ, which is normal only during an upgrade. */
function gatewaysFound(alive: readonly AliveGateway[]): Diagnosis[] {
  if (alive.length === 0) return []
  const versions = new Set(alive.map(({ version }) => version))
  const names = alive.map(({ name, version }) => `${name} ${version}`).join(', ')
  if (versions.size === 1) return [gateways.ok(`${alive.length} running: ${names}`)]
  return [
    gateways.warn(
      `${alive.length} running, of different versions: ${names}`,
      'If no upgrade is in progress, start the newer program in place of each older one.',
    ),
  ]
}
