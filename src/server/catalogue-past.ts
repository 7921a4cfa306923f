// The catalogue's past in a gateway: texts are kept as they come into force, whoever saved them.
import type { Configuration, ConfigurationParts } from '../config/configuration.ts'
import { lateConfiguration } from '../config/late-configuration.ts'
import { keepText } from '../config/past.ts'
import type { Db } from '../db/db.ts'
import type { Logger } from '../observe/log.ts'
import type { OpenCatalogue } from './catalogue.ts'

interface Parts extends Pick<ConfigurationParts, 'path' | 'env' | 'protocols' | 'now'> {
  watched: OpenCatalogue
  db: Db
  log: Logger
}

/** The catalogue file of a gateway, whose texts are kept. */
export const openConfiguration = ({ watched, db, log, ...parts }: Parts): Configuration =>
  lateConfiguration({
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

/** Keeps the text that the gateway started with, and from now on each that an editor brings into force. */
export function followEdits(watched: OpenCatalogue, configuration: Configuration): Promise<void> {
  const notice = () => configuration.noticed(watched.text())
  watched.follow(() => void notice())
  return notice()
}
