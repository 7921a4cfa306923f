// The trial of the image library at a start and at a reload, if the catalogue has image models. A failure is logged.
import { Type } from '@sinclair/typebox'
import type { Catalogue } from '../../domain/catalogue.ts'
import { Nullable } from '../../http/schema.ts'
import type { Logger } from '../../observe/log.ts'
import { messageOf } from '../../utilities/thrown.ts'
import { type ReportProcess, reportInProcess } from './own-process.ts'

export const TRY_IMAGES = 'try-images'

export const IMAGE_LIBRARY_ADVICE =
  'Give the gateway’s user a folder that it can write to and run programs from (no `noexec`), with XDG_CACHE_HOME or TMPDIR, or in a ' +
  'container with --tmpfs /tmp:exec. From source: `bun install`. Then restart.'

export const hasImageModels = ({ models }: Pick<Catalogue, 'models'>): boolean =>
  models.values().some(({ kind }) => kind === 'image')

/** Returns the reason why the library cannot be loaded, in a line; null if it can. @param load as the gateway loads it */
export async function imageLibraryFailure(load: () => Promise<unknown>): Promise<string | null> {
  try {
    await load()
    return null
  } catch (reason) {
    return messageOf(reason)
      .trim()
      .replaceAll(/\s*\n\s*/g, ' ')
  }
}

const TrialReport = Type.Object({ failure: Nullable(Type.String()) })

type Trial = ReportProcess<{ failure: string | null }>

/** Loads the library in a separate process: in the gateway it would take 20 MB even if no image is ever processed. */
export const tryImageLibrary = (data_folder: string): Trial =>
  reportInProcess([TRY_IMAGES], TrialReport, data_folder)

interface ImageTrial {
  /** Starts the trial once, at the first catalogue that has image models. */
  follow(catalogue: Pick<Catalogue, 'models'>): void
  stop(): void
}

export function createImageTrial(start: () => Trial, log: Pick<Logger, 'error'>): ImageTrial {
  let trial: Trial | undefined
  return {
    follow(catalogue) {
      if (trial || !hasImageModels(catalogue)) return
      trial = start()
      void trial.ended.then((made) => {
        const failure = 'report' in made ? made.report.failure : null
        if (failure === null) return
        log.error(
          { reason: `image calls and uploads are refused: ${failure}`, advice: IMAGE_LIBRARY_ADVICE },
          'images cannot be decoded: image calls and uploads are refused',
        )
      })
    },
    stop: () => trial?.stop(),
  }
}
