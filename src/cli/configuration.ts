// The catalogue file as commands change it: as the console does, as a whole, by those who saw its last state, its keys unread.
import { type Configuration, createConfiguration } from '../config/configuration.ts'
import { keepText } from '../config/past.ts'
import type { Catalogue } from '../domain/catalogue.ts'
import { toGatewayError } from '../domain/errors.ts'
import { BUILT_IN_REGISTRY } from '../protocols/registry.ts'
import { type DataFolder, withDatabase } from './data-folder.ts'
import type { CliDeps } from './terminal.ts'

/** @param catalogue what the file says */
export const configurationOf = (
  folder: DataFolder,
  catalogue: Catalogue,
  { env, now }: Pick<CliDeps, 'env' | 'now'>,
): Configuration =>
  createConfiguration({
    path: folder.catalogue_path,
    env,
    protocols: BUILT_IN_REGISTRY,
    catalogue: () => catalogue,
    // A gateway that runs watches the file itself.
    reload: () => Promise.resolve(),
    waitingForRestart: () => [],
    async keep(text, made_by) {
      try {
        await withDatabase(folder, 'write', (db) =>
          db.begin((tx) => keepText(tx, { text, made_by, made_at_ms: now() })),
        )
      } catch (thrown) {
        // Before its first start a gateway has no database; the start keeps what it finds.
        if (toGatewayError(thrown).kind === 'not_found') return
        // Dropped: whoever holds the database is no matter of the file, which is written.
        folder.remark?.(
          'The change could not be noted in the history of the catalogue; it is written all the same.',
        )
      }
    },
    now,
  })
