// Refusals of a start before it changes anything: taken addresses, unusable certificates, missing files and buckets of an older database, other gateways.
import type { Catalogue } from '../../domain/catalogue.ts'
import { refuseMissingFolders } from '../../library/missing.ts'
import type { Db } from '../../store/db.ts'
import { serverClock } from '../../store/engines/postgres/heartbeat.ts'
import { aliveGateways } from '../../store/gateways.ts'
import { parseListenAddress } from '../../utilities/listen-address.ts'
import { type GatewayTiming, knownNode, TIMING } from './engine/own-gateway.ts'
import { refuseBucket } from './files/claim.ts'
import { fileStoresOf } from './files/stores.ts'
import { listenRefusal } from './listen-refusal.ts'
import { refuseTaken } from './listening.ts'
import { type OlderDatabase, openOlder } from './older-database.ts'

interface Beside {
  /** This gateway's, under whose lock an earlier one there is dead. */
  data_folder: string
  silent_after_ms?: number | undefined
}

/** The names of the others that are alive, before this gateway has joined them. */
async function aliveBeside(
  db: Db,
  { data_folder, silent_after_ms = TIMING.silent_after_ms }: Beside,
): Promise<string[]> {
  const gateways = await aliveGateways(db)
  if (gateways.length === 0) return []
  const node = knownNode(data_folder)
  const now_ms = await serverClock(db)
  return gateways
    .filter((one) => one.node !== node && Math.abs(now_ms - (one.seen_at_ms ?? 0)) <= silent_after_ms)
    .map(({ name }) => name)
}

/** @throws Error where others are alive: the start of one puts the files of its folder in order by the rows of all */
export function refuseOthers(others: readonly string[]): void {
  if (others.length === 0) return
  throw new Error(
    `Another gateway serves this database (${others.join(', ')}), and the files of this one are in its folder, where the other has none. ` +
      'Stop the other one first, or let both keep their files in a bucket: `files` in [storage]. One that was killed counts as alive for 30 seconds.',
  )
}

interface StartChecks {
  catalogue: Pick<Catalogue, 'storage' | 'server'>
  data_folder: string
  /** `address:port` */
  listen: string
  /** Starts without the files that the database names. */
  accept_missing_files: boolean
  accepts_others?: boolean | undefined
  gateway_timing?: GatewayTiming | undefined
}

/**
 * Looks for what would refuse the start once the database is migrated, since the program before could not read it any more. Only
 * under the folder's lock: the gateway that serves the folder has the address, too.
 * @throws Error with a text for the operator; nothing was changed
 */
export async function refuseStart(checks: StartChecks): Promise<void> {
  const { catalogue, data_folder, listen } = checks
  refuseAddress(listen)
  await refuseCertificate(catalogue, data_folder)
  const { storage } = catalogue
  await using older = await openOlder(storage, data_folder)
  if (older) await refuseOlderStores(older, { ...checks, storage })
}

/** @throws Error with a text for the operator where the address cannot be listened on */
export function refuseAddress(listen: string, advice?: string): void {
  try {
    refuseTaken(parseListenAddress(listen))
  } catch (cause) {
    throw listenRefusal(listen, cause, advice)
  }
}

async function refuseCertificate({ server }: Pick<Catalogue, 'server'>, data_folder: string): Promise<void> {
  if (server.tls_certificate === undefined) return
  // The module that reads certificates takes a megabyte of memory.
  const { readTlsPair, tlsFilesOf } = await import('./tls-files.ts')
  const files = tlsFilesOf(server, data_folder)
  if (files) await readTlsPair(files)
}

/** The first version that says which files are missing; databases before it are looked at once they are migrated. */
const MISSING_FILES_VERSION = 5
/** The first version that says which gateways are alive. */
const ALIVE_VERSION = 28

interface StoreChecks
  extends Pick<StartChecks, 'data_folder' | 'accept_missing_files' | 'accepts_others' | 'gateway_timing'> {
  storage: Catalogue['storage']
}

/**
 * Refuses missing folders, an unusable bucket, or other gateways over a database that the next start makes or migrates. One that is
 * up to date is looked at when it is opened.
 * @throws Error that says what is wrong
 */
export async function refuseOlderStores({ db, version }: OlderDatabase, checks: StoreChecks): Promise<void> {
  const { storage, data_folder, accept_missing_files, accepts_others = false, gateway_timing } = checks
  using stores = fileStoresOf(storage, data_folder)
  if (stores.bucket) return await refuseBucket(db && { db, version }, stores, { accept_missing_files })
  if (!db) return
  if (storage.database !== undefined && !accepts_others && version >= ALIVE_VERSION)
    refuseOthers(await aliveBeside(db, { data_folder, ...gateway_timing }))
  if (!accept_missing_files && version >= MISSING_FILES_VERSION)
    await refuseMissingFolders({ ...stores, db }, data_folder)
}
