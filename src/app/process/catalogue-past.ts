// The catalogue of a gateway as the console changes it, and its past: texts are kept as they come into force, whoever saved them.
import type { Configuration, ConfigurationParts } from '../../catalogue/configuration.ts'
import { newestShared, pastQueries } from '../../catalogue/past-queries.ts'
import type { SharedPlace } from '../../catalogue/placed-text.ts'
import { withoutMark } from '../../catalogue/toml.ts'
import type { Logger } from '../../observe/log.ts'
import type { Db } from '../../store/db.ts'
import { atFirstUse } from '../../utilities/at-first-use.ts'
import type { OpenCatalogue } from './catalogue.ts'
import type { Engine } from './engine/engine.ts'

interface Parts extends Pick<ConfigurationParts, 'path' | 'env' | 'protocols' | 'now'> {
  engine: Pick<Engine, 'is_shared'>
  watched: OpenCatalogue
  db: Db
  log: Logger
}

/** The catalogue of a gateway, whose texts are kept. */
export function openConfiguration({ watched, engine, db, log, ...parts }: Parts): Configuration {
  return lateConfiguration({
    ...parts,
    shared: engine.is_shared ? sharedPlaceIn(db) : undefined,
    catalogue: watched.current,
    reload: watched.reload,
    waitingForRestart: watched.waitingForRestart,
    async keep(text, made_by, request_id) {
      const version = { text, made_by, made_at_ms: parts.now(), request_id }
      try {
        const { keepText } = await import('../../catalogue/past.ts')
        await db.begin((tx) => keepText(tx, version))
      } catch (cause) {
        // The file is in force all the same.
        log.warn({ cause }, "the catalogue's text could not be kept for its history")
      }
    },
  })
}

const sharedPlaceIn = (db: Db): SharedPlace => ({
  read: async () => await newestShared(db),
  async apply(next, from) {
    const { applyShared } = await import('../../catalogue/shared.ts')
    return await db.begin((tx) => applyShared(tx, next, from))
  },
})

/**
 * Keeps the text that the gateway started with, and from now on each that an editor brings into force. What comes from the database is kept there.
 * @returns keeps the one in force
 */
export async function followEdits(
  watched: OpenCatalogue,
  configuration: Configuration,
  db: Db,
): Promise<() => Promise<void>> {
  const notice = async () => {
    if (!watched.shared()) await configuration.noticed(watched.text())
  }
  watched.follow(() => void notice())
  // One without keys is kept as it is: most starts load nothing to find the keys of one that has not changed. Later
  // texts wait for those before them, which may not be kept yet.
  if (!(await isNewest(db, withoutMark(watched.text())))) await notice()
  return notice
}

async function isNewest(db: Db, text: string): Promise<boolean> {
  try {
    return (await pastQueries(db).newest.get())?.text === text
  } catch {
    // Dropped: who keeps it then finds the same, and logs it.
    return false
  }
}

/** As `createConfiguration`, whose code is loaded at its first use, once the gateway serves. */
function lateConfiguration(parts: ConfigurationParts): Configuration {
  const load = atFirstUse(async () =>
    (await import('../../catalogue/configuration.ts')).createConfiguration(parts),
  )
  return {
    path: parts.path,
    read: async () => (await load()).read(),
    check: async (draft) => (await load()).check(draft),
    save: async (draft, hash, made_by, request_id) => (await load()).save(draft, hash, made_by, request_id),
    noticed: async (text) => (await load()).noticed(text),
    revive: async (text) => (await load()).revive(text),
  }
}
