// Crashes: afterwards conversations are whole, no file is without its row, and every report was true.
import { beforeAll, expect, test } from 'bun:test'
import { createAccount } from '../../src/access/accounts.ts'
import { createFileStore } from '../../src/media/store.ts'
import { auditResponses } from '../../src/responses/audit.ts'
import { createKeptResponses } from '../../src/responses/store.ts'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import { dbOver, openDb } from '../../src/store/engines/sqlite/sqlite.ts'
import { commandOf } from '../support/programs.ts'
import { folderOfFile } from '../support/test-folder.ts'

const STEPS = ['response.written', 'response.kept', 'response.deleted'] as const
const PASSINGS = [1, 2, 7] as const
const settings = { store: true, days: 30, max_mb: 100, max_mb_per_account: 50, max_mb_per_conversation: 32 }

const folder = folderOfFile()
beforeAll(async () => {
  await using db = openDb(folder.at('tollgate.db'))
  await createAccount(db, { name: 'one', now_ms: 0 })
})

interface Report {
  what: 'kept' | 'deleted'
  id: string
}

/** Runs the process until it is dead. @returns its reports */
async function runUntilKilled(step: string, passing: number): Promise<Report[]> {
  const child = Bun.spawn([...commandOf('crash-responses'), folder.path, step, String(passing)], {
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()])
  await child.exited
  expect([child.signalCode, errors]).toEqual(['SIGKILL', ''])
  return output
    .split('\n')
    .filter((line) => line.endsWith('}'))
    .map((line) => JSON.parse(line))
}

let strays = 0
test.each(STEPS.flatMap((step) => PASSINGS.map((passing) => [step, passing] as const)))(
  'killed at "%s", passing %i',
  async (step, passing) => {
    const reports = await runUntilKilled(step, passing)
    const connection = openDatabase(folder.at('tollgate.db'))
    const db = dbOver(connection)
    const files = createFileStore(folder.at('responses'))
    const store = createKeptResponses({ db, files, settings: () => settings, now: Date.now, probe: () => {} })
    await store.sweep()
    strays += await store.recover()
    expect(await auditResponses(db, files)).toEqual([])
    const named = connection.query('SELECT count(body_file) AS n FROM responses').get()
    expect(named).toEqual({ n: (await Array.fromAsync(files.list())).length })
    const deleted = new Set(reports.filter(({ what }) => what === 'deleted').map(({ id }) => id))
    const missing: string[] = []
    for (const { id } of reports) {
      const found = await store.itemsUntil(1, id)
      if (deleted.has(id)) expect([id, found]).toEqual([id, undefined])
      else if (found) expect(found.length % 2).toBe(0)
      else missing.push(id)
    }
    // The last deletion was not reported: of the second response after the third was kept, or of the third after that.
    expect(missing).toEqual(step === 'response.deleted' ? [String(reports.at(-2)?.id)] : [])
    await db.close()
  },
)

test('some kills left a file without its row, which the next start deleted', () => {
  expect(strays).toBeGreaterThan(0)
})
