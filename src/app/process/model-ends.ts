// A warning in the log, at the start and each day, about models that end soon or have ended.
import type { Catalogue } from '../../domain/catalogue.ts'
import { endingsOf, endingText } from '../../domain/model-ends.ts'
import { DAY_MS } from '../../domain/ranges.ts'
import type { Logger } from '../../observe/log.ts'

interface Parts {
  catalogue: () => Pick<Catalogue, 'models'>
  log: Pick<Logger, 'warn'>
  now: () => number
}

/** Warns now and once a day. The timer does not keep the process alive. @returns stops the timer */
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
