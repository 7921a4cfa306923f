// Crashes: afterwards no row says stored without its file, no file is without its row, and every report was true.
//
// The long run: TOLLGATE_CRASH_CYCLES=1000 bun test test/library/crash.test.ts --timeout 3600000
import { beforeAll, expect, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { createAccount } from '../../src/access/accounts.ts'
import { auditLibrary } from '../../src/library/audit.ts'
import { findFile, readFile } from '../../src/library/files.ts'
import { findGeneration, readGeneration } from '../../src/library/generations.ts'
import { foldersIn, type Library, openLibrary } from '../../src/library/library.ts'
import { recoverLibrary } from '../../src/library/recovery.ts'
import type { Db } from '../../src/store/db.ts'
import { openDb } from '../../src/store/engines/sqlite/sqlite.ts'
import { randomOf } from '../providers/random-numbers.ts'
import { commandOf } from '../support/programs.ts'
import { SEED } from '../support/seed.ts'
import { folderOfFile } from '../support/test-folder.ts'

const CYCLES = Number(process.env.TOLLGATE_CRASH_CYCLES ?? 12)
/** Where the process kills itself; `outside` is a kill by the test, at any moment. */
const STEPS = [
  'file.announced',
  'file.written',
  'file.stored',
  'file.removed',
  'file.unlisted',
  'image.written',
  'images.stored',
  'image.unlisted',
  'outside',
] as const
const ACCOUNT = 1
const MAX_PASSINGS = 5
const MAX_LINES = 20

const chance = randomOf(SEED)
const folder = folderOfFile()
beforeAll(async () => {
  const db = openDb(folder.at('tollgate.db'))
  await createAccount(db, { name: 'one', now_ms: 0 })
  await db.close()
})

/** A line of the process. */
interface Report {
  what: 'stored' | 'removed'
  name: string
}

/** Runs the process until it is dead. @returns its reports */
async function runUntilKilled(step: string, passing: number): Promise<Report[]> {
  const child = Bun.spawn([...commandOf('crash-library'), folder.path, step, String(passing)], {
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const errors = child.stderr.text()
  // After this number of lines the process is somewhere within its next step.
  const last_line = step === 'outside' ? Math.floor(chance() * MAX_LINES) : Number.POSITIVE_INFINITY
  let output = ''
  for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
    output += chunk
    if (output.split('\n').length > last_line) child.kill('SIGKILL')
  }
  await child.exited
  expect([child.signalCode, await errors]).toEqual(['SIGKILL', ''])
  return output
    .split('\n')
    .filter((line) => line.endsWith('}'))
    .map((line) => JSON.parse(line) as Report)
}

/** The unfinished writes of a store; its folder for them is absent after a start. */
const incomingOf = (name: string) => readdir(folder.at(name, '.incoming')).catch(() => [])

test(
  `${CYCLES} kills at the steps of writing and deleting, seed ${SEED}`,
  async () => {
    const present = new Set<string>()
    let reconciled = 0
    for (let cycle = 0; cycle < CYCLES; cycle += 1) {
      const step = STEPS[cycle % STEPS.length] ?? 'outside'
      const reports = await runUntilKilled(step, 1 + Math.floor(chance() * MAX_PASSINGS))
      for (const { what, name } of reports) what === 'stored' ? present.add(name) : present.delete(name)

      const db = openDb(folder.at('tollgate.db'))
      const library = openLibrary({
        db,
        ...foldersIn(folder.path),
        now: Date.now,
        gateway_id: 1,
        probe: () => {},
      })
      const { left_behind, stray_files } = await recoverLibrary(library)
      reconciled += left_behind + stray_files
      const where = { cycle, step, seed: SEED }
      expect({ ...where, findings: await auditLibrary(library) }).toEqual({ ...where, findings: [] })
      expect({ ...where, unfinished: await unfinishedIn(db) }).toEqual({ ...where, unfinished: 0 })
      expect([...(await incomingOf('files')), ...(await incomingOf('images'))]).toEqual([])
      const bytes = await Promise.all([...present].map((name) => bytesOf(library, name)))
      const missing = [...present].filter((_, index) => bytes[index] === undefined)
      // A deletion may have happened before it could be reported.
      expect({ ...where, missing: missing.length <= 1 }).toEqual({ ...where, missing: true })
      for (const name of missing) present.delete(name)
      const again = await recoverLibrary(library)
      expect(again).toEqual({ left_behind: 0, stray_files: 0, missing_files: 0, found_files: 0 })
      await db.close()
    }
    expect(present.size).toBeGreaterThan(0)
    // Otherwise the kills missed the steps that are tested.
    expect(reconciled).toBeGreaterThan(CYCLES / 2)
  },
  CYCLES * 5_000,
)

async function unfinishedIn(db: Db): Promise<number> {
  const [row] = await db.rows<{ n: number }>(
    `SELECT (SELECT count(*) FROM files WHERE state <> 'stored')
          + (SELECT count(*) FROM generations WHERE state = 'generating') AS n`,
  )
  return row?.n ?? Number.NaN
}

async function bytesOf(library: Library, name: string): Promise<Uint8Array | undefined> {
  const file = name.startsWith('files/') ? await findFile(library.db, ACCOUNT, name) : undefined
  if (file) return await readFile(library, file)
  const image = await findGeneration(library.db, ACCOUNT, name)
  return image && (await readGeneration(library, image))
}
