// A process that keeps and deletes responses until it kills itself at the k-th passing of a step.
//
//   bun test/kept-responses/crash-process.ts <data folder> <step> <passing>
//
// It prints a line for each response that the store reports as kept or deleted.
import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { createFileStore } from '../../src/media/store.ts'
import { createKeptResponses } from '../../src/responses/store.ts'
import { openDb } from '../../src/store/engines/sqlite/sqlite.ts'
import { answerTo, LARGE } from './support.ts'

const [data_folder = '', step = '', passing = '1'] = process.argv.slice(2)
const settings = { store: true, days: 30, max_mb: 100, max_mb_per_account: 1, max_mb_per_conversation: 1 }

let passings_left = Number(passing)
function probe(passed: string): void {
  if (passed !== step) return
  passings_left -= 1
  if (passings_left === 0) process.kill(process.pid, 'SIGKILL')
}
const report = (what: 'kept' | 'deleted', id: string) => writeSync(1, `${JSON.stringify({ what, id })}\n`)

const db = openDb(join(data_folder, 'tollgate.db'))
const files = createFileStore(join(data_folder, 'responses'))
const store = createKeptResponses({ db, files, settings: () => settings, now: Date.now, probe })

async function keep(text: string, previous_id?: string): Promise<string> {
  const id = `resp_${crypto.randomUUID()}`
  await store.keep(answerTo(id, 1, { text, previous_id }))
  report('kept', id)
  return id
}

for (;;) {
  const first = await keep(LARGE)
  const second = await keep('small', first)
  const third = await keep(LARGE, second)
  if (await store.remove(1, second)) report('deleted', second)
  if (await store.remove(1, third)) report('deleted', third)
}
