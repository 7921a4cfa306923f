// The catalogue of a gateway as the console changes it, with its history: each text that comes into force is stored as a version.
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

/** Returns the changeable catalogue of a gateway, with a history of its texts. */
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
        // The file is in force even so.
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
 * Stores the text of the start, and each text that a later edit of the file brings into force. A save in the database stores its own.
 * @returns a function that stores the text in force
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
  // Most starts find their text stored unchanged (a text without keys is stored verbatim), and so need not load the code that removes
  // keys. Later texts wait for earlier ones that are not stored yet.
  if (!(await isNewest(db, withoutMark(watched.text())))) await notice()
  return notice
}

async function isNewest(db: Db, text: string): Promise<boolean> {
  try {
    return (await pastQueries(db).newest.get())?.text === text
  } catch {
    // Dropped: storing the text then fails in the same way, and logs it.
    return false
  }
}

/** As `createConfiguration`, whose code is loaded on first use. */
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
