// The image library at a start and at a reload: tried where the catalogue has image models, and named in the log where it cannot be loaded.
import type { Catalogue } from '../../domain/catalogue.ts'
import type { Logger } from '../../observe/log.ts'
import { DoctorReport } from '../surface/diagnosis.ts'
import { type ReportProcess, reportInProcess } from './own-process.ts'

/** The doctor's name of it. */
export const IMAGE_LIBRARY = 'images'

export const hasImageModels = ({ models }: Pick<Catalogue, 'models'>): boolean =>
  models.values().some(({ kind }) => kind === 'image')

/** Tries the library by a process of the doctor: in the gateway's own it would take 20 MB for images that may never come. */
export const tryImageLibrary = (data_folder: string): ReportProcess<DoctorReport> =>
  reportInProcess(['doctor', '--only', IMAGE_LIBRARY], DoctorReport, data_folder)

export interface ImageTrial {
  /** Tries it once: with the first catalogue that has image models. */
  follow(catalogue: Pick<Catalogue, 'models'>): void
  /** Ends what is running. */
  stop(): void
}

export function createImageTrial(
  start: () => Pick<ReportProcess<DoctorReport>, 'ended' | 'stop'>,
  log: Pick<Logger, 'error'>,
): ImageTrial {
  let trial: ReturnType<typeof start> | undefined
  return {
    follow(catalogue) {
      if (trial || !hasImageModels(catalogue)) return
      trial = start()
      void trial.ended.then((made) => {
        const findings = 'report' in made ? made.report.findings : []
        for (const { check, level, found, advice } of findings)
          if (check === IMAGE_LIBRARY && level === 'fail')
            log.error(
              { reason: found, advice },
              'images cannot be decoded: image calls and uploads are refused',
            )
      })
    },
    stop: () => trial?.stop(),
  }
}
