// A process that uploads, deletes and produces images until it kills itself at the k-th passing of a step.
//
//   bun test/library/crash-process.ts <data folder> <step> <passing>
//
// It prints a line for each image that the library reports as stored or removed.
import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { removeGeneration } from '../../plugins/library/history.ts'
import { listFiles, removeFile } from '../../src/library/files.ts'
import { beginGenerations, storeGenerations } from '../../src/library/generations.ts'
import { beginIntake } from '../../src/library/intake.ts'
import { foldersIn, openLibrary } from '../../src/library/library.ts'
import { recoverLibrary } from '../../src/library/recovery.ts'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import { openDb } from '../../src/store/engines/sqlite/sqlite.ts'
import { paint } from '../media/support.ts'

const [data_folder = '', step = '', passing = '1'] = process.argv.slice(2)
const ACCOUNT = 1

let passings_left = Number(passing)
function probe(passed: string): void {
  if (passed !== step) return
  passings_left -= 1
  if (passings_left === 0) process.kill(process.pid, 'SIGKILL')
}
const report = (what: 'stored' | 'removed', name: string) =>
  writeSync(1, `${JSON.stringify({ what, name })}\n`)

const connection = openDatabase(join(data_folder, 'tollgate.db'))
const db = openDb(join(data_folder, 'tollgate.db'))
const library = openLibrary({ db, ...foldersIn(data_folder), now: Date.now, gateway_id: 1, probe })
await recoverLibrary(library)
const bytes = await paint('png')
const image = { bytes, mime: 'image/png', width: 24, height: 18, revised_prompt: null } as const

async function* chunks() {
  yield bytes.subarray(0, 20)
  yield bytes.subarray(20)
}

async function upload(keep: boolean): Promise<void> {
  const intake = beginIntake(library, ACCOUNT)
  for (const filename of ['a.png', 'b.png']) await intake.add({ filename, content: chunks() })
  if (!keep) return intake.abandon()
  for (const { key } of await intake.commit()) report('stored', key)
}

async function deleteOldest(): Promise<void> {
  const oldest = (await listFiles(db, ACCOUNT, { limit: 1_000 })).rows.at(-1)
  if (oldest && (await removeFile(library, ACCOUNT, oldest.key))) report('removed', oldest.key)
}

// These images have no calls: the ids of their calls are made up.
connection.run('DROP TRIGGER IF EXISTS generations_are_of_calls')
let call_id =
  connection.query<{ id: number }, []>('SELECT coalesce(max(call_id), 0) AS id FROM generations').get()?.id ??
  0

async function produce(): Promise<void> {
  call_id += 1
  const order = {
    account_id: ACCOUNT,
    call_id,
    kind: 'generation',
    model: 'm',
    prompt: 'p',
    parents: [],
  } as const
  const uuids = await beginGenerations(library, order, 3)
  await storeGenerations(library, ACCOUNT, uuids, [image, image])
  const [first = '', second = '', failed = ''] = uuids
  for (const uuid of [first, second]) report('stored', uuid)
  for (const uuid of [second, failed])
    if ((await removeGeneration(library, ACCOUNT, uuid)) === 'removed') report('removed', uuid)
}

for (;;) {
  await upload(true)
  await upload(false)
  await deleteOldest()
  await produce()
}
