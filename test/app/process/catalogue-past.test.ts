// Quick edits of the catalogue: the newest saved version is always the one in use.
import { expect, test } from 'bun:test'
import type { OpenCatalogue } from '../../../src/app/process/catalogue.ts'
import { followEdits, openConfiguration } from '../../../src/app/process/catalogue-past.ts'
import { listVersions, requireVersion } from '../../../src/catalogue/past.ts'
import { BUILT_IN_REGISTRY } from '../../../src/protocols/registry.ts'
import { dbOver } from '../../../src/store/engines/sqlite/sqlite.ts'
import { acmeText, catalogueOf } from '../../catalogue/catalogues.ts'
import { memoryDatabase } from '../../support/empty-database.ts'
import { memoryLog } from '../../support/memory-log.ts'

const env = { KEY: 'a-key-of-acme' }
/** Without keys, so that the version has this exact text. */
const FIRST = acmeText('env:KEY')
const SECOND = FIRST.replace('# ours', '# theirs')

test('an edit that is reverted before it is saved is saved, and the first text is saved again', async () => {
  using connection = memoryDatabase()
  const db = dbOver(connection)
  let text = FIRST
  let edited = () => {}
  const watched = {
    current: () => catalogueOf(FIRST, env),
    text: () => text,
    shared: () => undefined,
    follow: (hear: () => void) => {
      edited = hear
    },
  } as OpenCatalogue
  const parts = { path: '/tollgate.toml', env, protocols: BUILT_IN_REGISTRY, now: () => 0, db }
  const { log } = memoryLog()
  const configuration = openConfiguration({ ...parts, watched, log, engine: { is_shared: false } })
  // A second start with the same text saves no version.
  await followEdits(watched, configuration, db)
  const notice = await followEdits(watched, configuration, db)

  text = SECOND
  edited()
  text = FIRST
  await notice()

  const { rows } = await listVersions(db, { limit: 9 })
  const kept = await Promise.all(rows.map(({ id }) => requireVersion(db, id)))
  expect(kept.map((version) => version.text)).toEqual([FIRST, SECOND, FIRST])
})
