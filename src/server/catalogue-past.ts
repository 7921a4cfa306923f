// The catalogue's past in a gateway: texts are kept as they come into force, whoever saved them.
import type { Configuration, ConfigurationParts } from '../config/configuration.ts'
import { lateConfiguration } from '../config/late-configuration.ts'
import { keepText } from '../config/past.ts'
import type { Db } from '../db/db.ts'
import { conflict } from '../domain/errors.ts'
import type { Logger } from '../observe/log.ts'
import type { OpenCatalogue } from './catalogue.ts'
import type { OwnGateway } from './engine/own-gateway.ts'

interface Parts extends Pick<ConfigurationParts, 'path' | 'env' | 'protocols' | 'now'> {
  own_gateway: Pick<OwnGateway, 'alive'>
  watched: OpenCatalogue
  db: Db
  log: Logger
}

/** The catalogue file of a gateway, whose texts are kept. */
export function openConfiguration({ watched, db, log, own_gateway, ...parts }: Parts): Configuration {
  const configuration = lateConfiguration({
    ...parts,
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
      refuseOneOfMany(own_gateway)
      return await configuration.save(...draft)
    },
  }
}

/** @throws GatewayError conflict where it would change the file of one machine among several */
function refuseOneOfMany({ alive }: Pick<OwnGateway, 'alive'>): void {
  if (alive.length < 2) return
  throw conflict(
    `Several gateways serve this database (${alive.map(({ name }) => name).join(', ')}), each with a catalogue file of its own. ` +
      'Change the file on each machine.',
  )
}

/** Keeps the text that the gateway started with, and from now on each that an editor brings into force. */
export function followEdits(watched: OpenCatalogue, configuration: Configuration): Promise<void> {
  const notice = () => configuration.noticed(watched.text())
  watched.follow(() => void notice())
  return notice()
}
