// A process that keeps a conversation of two responses in a data folder, one in a row and one in a file: bun test/kept-responses/fill.ts <data folder>
import { join } from 'node:path'
import { createFileStore } from '../../src/media/store.ts'
import { createKeptResponses, RESPONSES_FOLDER } from '../../src/responses/store.ts'
import { openDb } from '../../src/store/engines/sqlite/sqlite.ts'
import { answerTo, LARGE } from './support.ts'

const [folder = ''] = process.argv.slice(2)
const settings = { store: true, days: 30, max_mb: 100, max_mb_per_account: 50, max_mb_per_conversation: 32 }
const store = createKeptResponses({
  db: openDb(join(folder, 'tollgate.db')),
  files: createFileStore(join(folder, RESPONSES_FOLDER)),
  settings: () => settings,
  now: Date.now,
  probe: () => {},
})
await store.keep(answerTo('resp_1', 1, { text: LARGE }))
await store.keep(answerTo('resp_2', 1, { previous_id: 'resp_1' }))
