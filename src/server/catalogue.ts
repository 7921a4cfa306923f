// The catalogue in use: read at the start, reloaded when its file changes, and followed by the log.
import { formatMistake, type Mistake } from '../config/mistakes.ts'
import type { Environment } from '../config/providers.ts'
import { type WatchedCatalogue, watchCatalogue } from '../config/watch.ts'
import type { Catalogue } from '../domain/catalogue.ts'
import type { ProcessLogger } from '../observe/log.ts'
import { secretsOf } from '../observe/redact.ts'
import type { Registry } from '../protocols/registry.ts'

/** A catalogue in use, and the lines that warn of what its first version disables or gets wrong. */
export interface OpenCatalogue extends WatchedCatalogue {
  warnings: readonly string[]
  /** Whom to tell of each good version from now on. */
  follow(hear: () => void): void
}

interface CatalogueParts {
  env: Environment
  protocols: Registry
  log: ProcessLogger
  /** Told of each good version, the first one too. */
  onUse: (catalogue: Catalogue) => void
}

/**
 * Reads the catalogue and keeps it current; the log takes its level and the secrets to hide from each good version.
 *
 * @throws Error with one line for each mistake in the file
 */
export async function openCatalogue(
  path: string,
  { env, protocols, log, onUse }: CatalogueParts,
): Promise<OpenCatalogue> {
  const lines = (mistakes: readonly Mistake[]) => mistakes.map((mistake) => formatMistake(path, mistake))
  const warnOf = (warnings: readonly Mistake[]) => {
    if (warnings.length > 0) log.warn({ warnings: lines(warnings) }, 'the catalogue has warnings')
  }
  let tell = () => {}
  const watching = await watchCatalogue(path, {
    env,
    protocols,
    onChange({ catalogue, waiting_for_restart, warnings }) {
      configureLog(log, catalogue)
      log.info({ models: catalogue.models.size, waiting_for_restart }, 'catalogue reloaded')
      warnOf(warnings)
      onUse(catalogue)
      tell()
    },
    onMistakes: (mistakes) =>
      log.error({ mistakes: lines(mistakes) }, 'catalogue has mistakes: the last good version stays in use'),
  })
  if (!watching.ok) throw new Error(`The catalogue has mistakes:\n${lines(watching.mistakes).join('\n')}`)
  configureLog(log, watching.watched.current())
  const { watched } = watching
  warnOf(watched.first_warnings)
  onUse(watched.current())
  const follow = (hear: () => void) => {
    tell = hear
  }
  return { ...watched, warnings: lines(watched.first_warnings), follow }
}

function configureLog(log: ProcessLogger, catalogue: Catalogue): void {
  log.setLevel(catalogue.server.log_level)
  log.setSecrets(...secretsOf(catalogue))
}
