// The opening of a data folder for a gateway: first what can refuse the start, then what a start changes.
import { ensureCatalogue } from '../../catalogue/first.ts'
import type { Catalogue } from '../../domain/catalogue.ts'
import { createTally } from '../../observe/tally.ts'
import type { Registry } from '../../protocols/registry.ts'
import { orUndo } from '../../utilities/or-undo.ts'
import type { Plugin } from '../plugin.ts'
import { preparePlugins } from '../plugins.ts'
import { openCatalogue } from './catalogue.ts'
import { dataPaths, refuseHalfRestored } from './data-paths.ts'
import { sharedClock } from './engine/own-gateway.ts'
import { createImageTrial } from './image-library.ts'
import type { ServeOptions } from './serve-options.ts'
import { refuseStart } from './start-refusals.ts'
import { openStores, recover, takeFolder } from './stores.ts'

type Opening = Pick<
  ServeOptions,
  | 'data_folder'
  | 'log'
  | 'env'
  | 'listen'
  | 'now'
  | 'accept_missing_files'
  | 'tryImages'
  | 'plugin_limits'
  | 'owns_process'
  | 'gateway_timing'
  | 'accepts_others'
  | 'max_busy_wait_ms'
> &
  Required<Pick<ServeOptions, 'probe'>> & { protocols: Registry; plugins: readonly Plugin[] }

/**
 * Opens what is on the disk, puts it in order, and makes what works beside the calls.
 *
 * @returns with the plugins, prepared but not yet in the gateway, and the address to listen on
 * @throws Error as `startGateway`
 */
export async function openFolder({ data_folder, accept_missing_files = false, ...parts }: Opening) {
  const { log, env, protocols, probe, tryImages } = parts
  const { plugin_limits, gateway_timing, accepts_others, max_busy_wait_ms, owns_process = false } = parts
  const clock = sharedClock(parts.now ?? Date.now)
  const { now } = clock
  const paths = dataPaths(data_folder)
  refuseHalfRestored(data_folder)
  await ensureCatalogue(paths.catalogue_path)
  const image_trial = tryImages && createImageTrial(tryImages, log)
  const onUse = (catalogue: Catalogue) => image_trial?.follow(catalogue)
  const watched = await openCatalogue(paths, { env, protocols, log, onUse })
  const catalogue = watched.current
  const listen = parts.listen ?? catalogue().server.listen
  const error_answers = createTally()
  const undoing = new AsyncDisposableStack()
  undoing.defer(() => watched.close())
  const close = () => undoing.disposeAsync()
  const elsewhere = parts.plugins.flatMap(({ leftovers }) => leftovers())
  return await orUndo(close, async () => {
    const unlock = takeFolder(data_folder, log, elsewhere)
    const prepared = await orUndo(
      async () => unlock(),
      async () => {
        const accepted = { accept_missing_files, accepts_others, gateway_timing }
        await refuseStart({ catalogue: catalogue(), data_folder, listen, ...accepted })
        const limits = plugin_limits ?? {}
        const start = { data_folder, listen, log, catalogue, now, error_answers, limits, owns_process }
        return await preparePlugins(start, parts.plugins)
      },
    )
    const stores = await openStores({
      data_folder,
      unlock,
      catalogue,
      onSharedVersion: (version: number | undefined) => void watched.hear(version),
      clock,
      log,
      probe,
      gateway_timing,
      accepts_others,
      max_busy_wait_ms,
    })
    undoing.defer(() => stores.close())
    await watched.openIn(stores.db, now)
    await recover(stores, { data_folder, accept_missing_files, now, log })
    const opened = { paths, watched, image_trial, stores, now, close }
    return { ...opened, prepared, listen, error_answers }
  })
}
