// The opening of a data folder for a gateway: first the checks that can refuse the start, then the changes.
import { ensureCatalogue } from '../../catalogue/first.ts'
import type { Catalogue } from '../../domain/catalogue.ts'
import { createTally } from '../../observe/tally.ts'
import type { Registry } from '../../protocols/registry.ts'
import { orUndo } from '../../utilities/at-end.ts'
import type { Plugin } from '../plugin.ts'
import { preparePlugins } from '../plugins.ts'
import { openCatalogue } from './catalogue.ts'
import { dataPaths, refuseHalfRestored } from './data-paths.ts'
import { sharedClock } from './engine/own-gateway.ts'
import { createImageTrial } from './image-library.ts'
import type { ServeOptions } from './serve-options.ts'
import { refuseStart } from './start-refusals.ts'
import { openStores, recover, takeFolder } from './stores.ts'

type Opening = ServeOptions &
  Required<Pick<ServeOptions, 'probe'>> & { protocols: Registry; plugins: readonly Plugin[] }

/**
 * Opens the catalogue and the stores, and recovers what an earlier process left unfinished.
 * @returns also the parts that the plugins prepared, and the address to listen on
 * @throws Error as `startGateway`
 */
export async function openFolder(options: Opening) {
  const { data_folder, accept_missing_files = false, log, env, protocols, plugins, tryImages } = options
  const clock = sharedClock(options.now ?? Date.now)
  const { now } = clock
  const paths = dataPaths(data_folder)
  refuseHalfRestored(data_folder)
  await ensureCatalogue(paths.catalogue_path)
  const image_trial = tryImages && createImageTrial(tryImages, log)
  const onUse = (catalogue: Catalogue) => image_trial?.follow(catalogue)
  const watched = await openCatalogue(paths, { env, protocols, log, onUse })
  const catalogue = watched.current
  const listen = options.listen ?? catalogue().server.listen
  const error_answers = createTally()
  const undoing = new AsyncDisposableStack()
  undoing.defer(() => watched.close())
  const close = () => undoing.disposeAsync()
  const elsewhere = plugins.flatMap(({ leftovers }) => leftovers())
  return await orUndo(close, async () => {
    const unlock = takeFolder(data_folder, log, elsewhere)
    const prepared = await orUndo(
      async () => unlock(),
      async () => {
        await refuseStart({ ...options, catalogue: catalogue(), listen, accept_missing_files })
        const { plugin_limits: limits = {}, owns_process = false } = options
        const start = { data_folder, listen, log, catalogue, now, error_answers, limits, owns_process }
        return await preparePlugins(start, plugins)
      },
    )
    const onSharedVersion = (version: number | undefined) => void watched.reloadIfChanged(version)
    const stores = await openStores({ ...options, unlock, catalogue, onSharedVersion, clock })
    undoing.defer(() => stores.close())
    await watched.openIn(stores.db, now)
    await recover(stores, { data_folder, accept_missing_files, now, log })
    const opened = { paths, watched, image_trial, stores, now, close }
    return { ...opened, prepared, listen, error_answers }
  })
}
