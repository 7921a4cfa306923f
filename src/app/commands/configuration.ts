// Changes of the catalogue by commands, under the console's rules: the whole text, based on its last version, provider keys hidden.
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
 * @param catalogue the one in force
 * @param named_variables variables that a draft may name beside env_names: the machine's owner runs the command
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
    // A running gateway watches the file itself.
    reload: () => Promise.resolve(),
    waitingForRestart: () => [],
    async keep(text, made_by) {
      try {
        await withDatabase(folder, 'write', (db) =>
          db.begin((tx) => keepText(tx, { text, made_by, made_at_ms: now() })),
        )
      } catch (thrown) {
        // Before its first start a gateway has no database. The start will keep the file's text.
        if (toGatewayError(thrown).kind === 'not_found') return
        // Dropped: the file is written even if the database is locked.
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

/** The message after a change is saved. */
export const savedWords = (folder: DataFolder, { version }: Pick<SavedConfiguration, 'version'>): string =>
  version === null
    ? `Written to ${folder.catalogue_path}. A running gateway picks it up.`
    : `Version ${version} of the catalogue is in force. Running gateways use it within seconds.`
