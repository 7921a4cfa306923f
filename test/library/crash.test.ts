// Issue: after a crash no row says stored without its file, and no file lies about without its row; what was told is true.
//
// The long run: TOLLGATE_CRASH_CYCLES=1000 bun test test/library/crash.test.ts --timeout 3600000
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAccount } from '../../src/access/accounts.ts'
import { openDatabase } from '../../src/db/open.ts'
import { auditLibrary } from '../../src/library/audit.ts'
import { findFile, readFile } from '../../src/library/files.ts'
import { findGeneration, readGeneration } from '../../src/library/generations.ts'
import { openLibrary } from '../../src/library/library.ts'
import { recoverLibrary } from '../../src/library/recovery.ts'
import { chanceFrom } from '../media/support.ts'

const CYCLES = Number(process.env.TOLLGATE_CRASH_CYCLES ?? 60)
const SEED = Number(process.env.TOLLGATE_SEED ?? Math.floor(Math.random() * 2 ** 32))
/** Where the process ends itself; `outside` is a kill by another process, at any moment. */
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

const chance = chanceFrom(SEED)
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-library-'))
  const db = openDatabase(join(folder, 'tollgate.db'))
  createAccount(db, { name: 'one', now_ms: 0 })
  db.close()
})
afterAll(() => rm(folder, { recursive: true, force: true }))

interface Told {
  what: 'stored' | 'removed'
  name: string
}

/** Runs the process until it is dead. @returns what it told of */
async function liveAndDie(step: string, passing: number): Promise<Told[]> {
  const script = join(import.meta.dir, 'crash-process.ts')
  const child = Bun.spawn([process.execPath, script, folder, step, String(passing)], {
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [output, complaints] = [child.stdout.text(), child.stderr.text()]
  if (step === 'outside') {
    await Bun.sleep(250 + chance() * 150)
    child.kill('SIGKILL')
  }
  await child.exited
  expect([child.signalCode, await complaints]).toEqual(['SIGKILL', ''])
  return (await output)
    .split('\n')
    .filter((line) => line.endsWith('}'))
    .map((line) => JSON.parse(line) as Told)
}

const incomingOf = (name: string) => readdir(join(folder, name, '.incoming')).catch(() => [])

test(
  `${CYCLES} kills at the steps of writing and deleting, seed ${SEED}`,
  async () => {
    const there = new Set<string>()
    let put_right = 0
    for (let cycle = 0; cycle < CYCLES; cycle += 1) {
      const step = STEPS[cycle % STEPS.length] ?? 'outside'
      const told = await liveAndDie(step, 1 + Math.floor(chance() * MAX_PASSINGS))
      for (const { what, name } of told) what === 'stored' ? there.add(name) : there.delete(name)

      const db = openDatabase(join(folder, 'tollgate.db'))
      const library = openLibrary({ db, data_folder: folder, now: Date.now, probe: () => {} })
      const { left_behind, stray_files } = await recoverLibrary(library)
      put_right += left_behind + stray_files
      const where = { cycle, step, seed: SEED }
      expect({ ...where, findings: await auditLibrary(library) }).toEqual({ ...where, findings: [] })
      expect({ ...where, half_made: halfMade(db) }).toEqual({ ...where, half_made: 0 })
      expect([...(await incomingOf('files')), ...(await incomingOf('images'))]).toEqual([])
      const bytes = await Promise.all([...there].map((name) => bytesOf(library, name)))
      const missing = [...there].filter((_, index) => bytes[index] === undefined)
      // A deletion that was under way may have happened before it could be told.
      expect({ ...where, missing: missing.length <= 1 }).toEqual({ ...where, missing: true })
      for (const name of missing) there.delete(name)
      const again = await recoverLibrary(library)
      expect(again).toEqual({ left_behind: 0, stray_files: 0, lost_files: 0 })
      db.close()
    }
    expect(there.size).toBeGreaterThan(0)
    // Otherwise the kills missed the steps that this is about.
    expect(put_right).toBeGreaterThan(CYCLES / 2)
  },
  CYCLES * 5_000,
)

function halfMade(db: ReturnType<typeof openDatabase>): number {
  const row = db
    .query<{ n: number }, []>(
      `SELECT (SELECT count(*) FROM files WHERE state <> 'stored')
            + (SELECT count(*) FROM generations WHERE state = 'generating') AS n`,
    )
    .get()
  return row?.n ?? Number.NaN
}

function bytesOf(library: ReturnType<typeof openLibrary>, name: string): Promise<Uint8Array | undefined> {
  const file = name.startsWith('files/') ? findFile(library.db, ACCOUNT, name) : undefined
  if (file) return readFile(library, file)
  const image = findGeneration(library.db, ACCOUNT, name)
  return image ? readGeneration(library, image) : Promise.resolve(undefined)
}
