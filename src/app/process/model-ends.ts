// The ends of models in the log: a line at the start and each day, while some are near or past.
import type { Catalogue } from '../../domain/catalogue.ts'
import { endingsOf, endingText } from '../../domain/model-ends.ts'
import { DAY_MS } from '../../domain/ranges.ts'
import type { Logger } from '../../observe/log.ts'

interface Parts {
  catalogue: () => Pick<Catalogue, 'models'>
  log: Pick<Logger, 'warn'>
  now: () => number
}

/** Warns now and once a day of models that end soon or have ended. Keeps no process alive. @returns ends it */
export function warnOfModelEnds({ catalogue, log, now }: Parts, every_ms = DAY_MS): () => void {
  const warn = () => {
    const endings = endingsOf(catalogue().models.values(), now())
    if (endings.length > 0)
      log.warn(
        { models: endings.map(endingText) },
        'models end soon or have ended: add routes to their replacements, or retire them',
      )
  }
  warn()
  const timer = setInterval(warn, every_ms)
  timer.unref()
  return () => clearInterval(timer)
}
