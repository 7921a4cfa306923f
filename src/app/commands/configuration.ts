// The catalogue as commands change it: as the console does, as a whole, by those who saw its last state, its keys unread.
import {
  type Configuration,
  createConfiguration,
  type SavedConfiguration,
} from '../../catalogue/configuration.ts'
import { keepText } from '../../catalogue/past.ts'
import { applyShared } from '../../catalogue/shared.ts'
import type { Catalogue } from '../../domain/catalogue.ts'
import { toGatewayError } from '../../domain/errors.ts'
import { BUILT_IN_REGISTRY } from '../../protocols/registry.ts'
import { type DataFolder, withDatabase } from '../command-line/data-folder.ts'
import type { CliDeps } from '../command-line/terminal.ts'
import { sharedOfFolder } from '../process/shared-catalogue.ts'

/**
 * @param catalogue what is in force
 * @param named_variables which a draft may name beside those of env_names: a command is run by the owner of the machine
 */
export const configurationOf = (
  folder: DataFolder,
  catalogue: Catalogue,
  { env, now }: Pick<CliDeps, 'env' | 'now'>,
  named_variables?: ReadonlySet<string>,
): Configuration =>
  createConfiguration({
    path: folder.catalogue_path,
    env,
    named_variables,
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
        folder.remark?.('The catalogue is saved, but the change could not be added to its history.')
      }
    },
    shared: {
      read: () => sharedOfFolder(folder, env),
      apply: (next, from) =>
        withDatabase(folder, 'write', (db) => db.begin((tx) => applyShared(tx, next, from))),
    },
    now,
  })

/** The message once a change is saved. */
export const savedWords = (folder: DataFolder, { version }: Pick<SavedConfiguration, 'version'>): string =>
  version === null
    ? `Written to ${folder.catalogue_path}. A running gateway picks it up.`
    : `Version ${version} of the catalogue is in force. Running gateways use it within seconds.`
