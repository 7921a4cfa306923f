// The catalogue of a gateway as the console changes it, and its past: texts are kept as they come into force, whoever saved them.
import type { Configuration, ConfigurationParts } from '../../catalogue/configuration.ts'
import { lateConfiguration } from '../../catalogue/late-configuration.ts'
import { keepText } from '../../catalogue/past.ts'
import type { SharedPlace } from '../../catalogue/placed-text.ts'
import { applyShared, newestShared } from '../../catalogue/shared.ts'
import { conflict } from '../../domain/errors.ts'
import type { Logger } from '../../observe/log.ts'
import type { Db } from '../../store/db.ts'
import type { OpenCatalogue } from './catalogue.ts'
import type { Engine } from './engine/engine.ts'
import type { OwnGateway } from './engine/own-gateway.ts'

interface Parts extends Pick<ConfigurationParts, 'path' | 'env' | 'protocols' | 'now'> {
  engine: Pick<Engine, 'is_shared'>
  own_gateway: Pick<OwnGateway, 'alive'>
  watched: OpenCatalogue
  db: Db
  log: Logger
}

/** The catalogue of a gateway, whose texts are kept. */
export function openConfiguration({ watched, engine, db, log, own_gateway, ...parts }: Parts): Configuration {
  const configuration = lateConfiguration({
    ...parts,
    shared: engine.is_shared ? sharedPlaceIn(db) : undefined,
    catalogue: watched.current,
    reload: watched.reload,
    waitingForRestart: watched.waitingForRestart,
    async keep(text, made_by, request_id) {
      const version = { text, made_by, made_at_ms: parts.now(), request_id }
      try {
        await db.begin((tx) => keepText(tx, version))
      } catch (cause) {
        // The file is in force all the same.
        log.warn({ cause }, "the catalogue's text could not be kept for its history")
      }
    },
  })
  return {
    ...configuration,
    async save(...draft) {
      if (!watched.shared()) refuseOneOfMany(own_gateway)
      return await configuration.save(...draft)
    },
  }
}

/** @throws GatewayError conflict where it would change the file of one machine among several */
function refuseOneOfMany({ alive }: Pick<OwnGateway, 'alive'>): void {
  if (alive.length < 2) return
  throw conflict(
    `Several gateways serve this database (${alive.map(({ name }) => name).join(', ')}), each with a catalogue file of its own. ` +
      'Put one catalogue into the database, for all of them: run `tollgate config apply FILE` on a server. Or change the file on each machine.',
  )
}

const sharedPlaceIn = (db: Db): SharedPlace => ({
  read: async () => await newestShared(db),
  apply: (next, from) => db.begin((tx) => applyShared(tx, next, from)),
})

/**
 * Keeps the text that the gateway started with, and from now on each that an editor brings into force. What comes from the database is kept there.
 *
 * @returns keeps the one in force
 */
export async function followEdits(
  watched: OpenCatalogue,
  configuration: Configuration,
): Promise<() => Promise<void>> {
  const notice = async () => {
    if (!watched.shared()) await configuration.noticed(watched.text())
  }
  watched.follow(() => void notice())
  await notice()
  return notice
}
