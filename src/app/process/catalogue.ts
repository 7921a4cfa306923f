// The catalogue in use: read at the start, reloaded when its file or the text in the database changes. It configures the log.
import { mistakeLines, warningLines } from '../../catalogue/load-file.ts'
import type { Environment } from '../../catalogue/providers.ts'
import { withoutMark } from '../../catalogue/toml.ts'
import { type WatchedCatalogue, watchCatalogue } from '../../catalogue/watch.ts'
import type { Catalogue } from '../../domain/catalogue.ts'
import type { ProcessLogger } from '../../observe/log.ts'
import { secretsOf } from '../../observe/redact.ts'
import type { Registry } from '../../protocols/registry.ts'
import type { Db } from '../../store/db.ts'
import type { DataPaths } from './data-paths.ts'
import { openShared } from './shared-catalogue.ts'

export interface OpenCatalogue extends WatchedCatalogue {
  warnings: readonly string[]
  /** Sets the listener, called after each valid version from now on. */
  follow(listener: () => void): void
  /**
   * Reads the catalogue from now on through an open database on a server. A database without a catalogue adopts the file's, once.
   */
  openIn(db: Db, now: () => number): Promise<void>
}

interface CatalogueParts {
  env: Environment
  protocols: Registry
  log: ProcessLogger
  /** Called with each valid version after the first. */
  onUse: (catalogue: Catalogue) => void
}

/**
 * Reads the catalogue and keeps it current. Each valid version sets the log's level and the secrets to hide.
 * @throws Error with a line for each mistake in the catalogue; as `openShared`
 */
export async function openCatalogue(
  paths: DataPaths,
  { env, protocols, log, onUse }: CatalogueParts,
): Promise<OpenCatalogue> {
  const path = paths.catalogue_path
  const in_database = await openShared(paths, env)
  const warnOf = (warnings: readonly string[]) => {
    if (warnings.length > 0) log.warn({ warnings }, 'the catalogue has warnings')
  }
  let notify = () => {}
  const watching = await watchCatalogue(path, {
    env,
    protocols,
    readShared: in_database?.read,
    onChange({ catalogue, waiting_for_restart, warnings, shared }) {
      configureLog(log, catalogue)
      const version = shared && { version: shared.version }
      log.info({ ...version, models: catalogue.models.size, waiting_for_restart }, 'catalogue reloaded')
      warnOf(warningLines(path, { warnings, shared }))
      onUse(catalogue)
      notify()
    },
    onMistakes: (mistakes, shared) =>
      log.error(
        { mistakes: mistakeLines(path, mistakes, shared) },
        'catalogue has mistakes: the last good version stays in use',
      ),
  })
  if (!watching.ok) {
    const lines = mistakeLines(path, watching.mistakes, watching.shared)
    throw new Error(`The catalogue has mistakes:\n${lines.join('\n')}`)
  }
  configureLog(log, watching.watched.current())
  const { watched } = watching
  const from_file = in_database && !watched.shared() ? watched.text() : undefined
  const warnings = warningLines(path, { warnings: watched.first_warnings, shared: watched.shared() })
  warnOf(warnings)
  const follow = (listener: () => void) => {
    notify = listener
  }
  const openIn = async (db: Db, now: () => number) => {
    in_database?.follow(db)
    if (from_file === undefined) return
    const { adoptShared } = await import('../../catalogue/shared.ts')
    const { withoutMachine } = await import('../../catalogue/machine-text.ts')
    const { text } = withoutMachine(withoutMark(from_file))
    await adoptShared(db, { text, made_at_ms: now(), made_by: 'file' })
    await watched.reload()
  }
  return { ...watched, warnings, follow, openIn }
}

function configureLog(log: ProcessLogger, catalogue: Catalogue): void {
  log.setLevel(catalogue.server.log_level)
  log.setSecrets(...secretsOf(catalogue))
}
