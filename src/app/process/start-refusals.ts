// Checks that refuse a start before it changes anything: the address, the certificate, an older database's files or bucket, other gateways.
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
import { refusePortInUse } from './listening.ts'
import { type OlderDatabase, openOlder } from './older-database.ts'

interface StartingGateway {
  /** This gateway's folder. Its lock is taken, so an earlier gateway of the folder is dead. */
  data_folder: string
  silent_after_ms?: number | undefined
}

/** Returns the names of other live gateways, before this one has registered. */
async function otherLiveGateways(
  db: Db,
  { data_folder, silent_after_ms = TIMING.silent_after_ms }: StartingGateway,
): Promise<string[]> {
  const gateways = await aliveGateways(db)
  if (gateways.length === 0) return []
  const node = knownNode(data_folder)
  const now_ms = await serverClock(db)
  return gateways
    .filter((one) => one.node !== node && Math.abs(now_ms - (one.seen_at_ms ?? 0)) <= silent_after_ms)
    .map(({ name }) => name)
}

/** @throws Error if other gateways are alive: a start reconciles the files of its folder with the rows of all gateways */
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
  /** Start even if the files that the database names are missing. */
  accept_missing_files: boolean
  accepts_others?: boolean | undefined
  gateway_timing?: GatewayTiming | undefined
}

/**
 * Checks everything that could refuse the start, before the database is migrated: afterwards the previous program could not read it.
 * The caller has the folder's lock, since a gateway that serves the folder would also use the address.
 * @throws Error for the operator; nothing was changed
 */
export async function refuseStart(checks: StartChecks): Promise<void> {
  const { catalogue, data_folder, listen } = checks
  refuseAddress(listen)
  await refuseCertificate(catalogue, data_folder)
  const { storage } = catalogue
  await using older = await openOlder(storage, data_folder)
  if (older) await refuseOlderStores(older, { ...checks, storage })
}

/** @throws Error for the operator if the gateway cannot listen on the address */
export function refuseAddress(listen: string, advice?: string): void {
  try {
    refusePortInUse(parseListenAddress(listen))
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

/** The first version that records missing files; older databases are checked after their migration. */
const MISSING_FILES_VERSION = 5
/** The first version that records live gateways. */
const ALIVE_VERSION = 28

interface StoreChecks
  extends Pick<StartChecks, 'data_folder' | 'accept_missing_files' | 'accepts_others' | 'gateway_timing'> {
  storage: Catalogue['storage']
}

/**
 * Refuses missing folders, an unusable bucket, or other gateways over a database that the start will create or migrate. A database that
 * is up to date is checked when it is opened.
 * @throws Error that names the fault
 */
export async function refuseOlderStores({ db, version }: OlderDatabase, checks: StoreChecks): Promise<void> {
  const { storage, data_folder, accept_missing_files, accepts_others = false, gateway_timing } = checks
  using stores = fileStoresOf(storage, data_folder)
  if (stores.bucket) return await refuseBucket(db && { db, version }, stores, { accept_missing_files })
  if (!db) return
  if (storage.database !== undefined && !accepts_others && version >= ALIVE_VERSION)
    refuseOthers(await otherLiveGateways(db, { data_folder, ...gateway_timing }))
  if (!accept_missing_files && version >= MISSING_FILES_VERSION)
    await refuseMissingFolders({ ...stores, db }, data_folder)
}
