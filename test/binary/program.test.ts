// Parts that are hard to embed in an executable, tried with a small program that is built like the gateway.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildBinary } from '../../src/build/binary.ts'

let work_folder: string
let program: string

beforeAll(async () => {
  work_folder = mkdtempSync(join(tmpdir(), 'tollgate-program-'))
  const built = join(work_folder, 'build/program')
  program = join(work_folder, 'alone/program')
  await buildBinary({
    entrypoints: ['main.ts', 'worker.ts'].map((file) => join(import.meta.dir, 'program', file)),
    outfile: built,
  })
  mkdirSync(join(work_folder, 'alone'))
  copyFileSync(built, program)
})

afterAll(() => rmSync(work_folder, { recursive: true, force: true }))

const run = async (environment: Record<string, string>) => {
  const child = Bun.spawn([program], { cwd: join(work_folder, 'alone'), env: environment, stderr: 'pipe' })
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()])
  return { exit_code: await child.exited, stdout, stderr }
}

const EXPECTED = { worker: 'ping pong', migration_starts: '--', format: 'png', width: 3, height: 2 }

describe('an executable, alone in a folder', () => {
  test('is the only file that its build leaves', () => {
    expect(readdirSync(join(work_folder, 'build'))).toEqual(['program'])
  })

  test('has its worker, its migrations and sharp', async () => {
    const ran = await run({ XDG_CACHE_HOME: join(work_folder, 'cache') })
    expect(ran.stderr).toBe('')
    expect(JSON.parse(ran.stdout)).toEqual(EXPECTED)
  })

  test('leaves nothing beside itself after it ran', () => {
    expect(readdirSync(join(work_folder, 'alone'))).toEqual(['program'])
  })

  test('eight processes at once on an empty cache: all load sharp, and one copy of each file is left', async () => {
    const cache = join(work_folder, 'shared-cache')
    const ran = await Promise.all(Array.from({ length: 8 }, () => run({ XDG_CACHE_HOME: cache })))
    for (const { stderr, stdout } of ran) {
      expect(stderr).toBe('')
      expect(JSON.parse(stdout)).toEqual(EXPECTED)
    }
    const files = readdirSync(cache, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    )
    expect(files).toHaveLength(2)
  })

  test('uses the temporary folder if the cache folder cannot be created', async () => {
    const temporary = join(work_folder, 'temporary')
    mkdirSync(temporary)
    const ran = await run({ XDG_CACHE_HOME: '/dev/null', TMPDIR: temporary })
    expect(JSON.parse(ran.stdout)).toEqual(EXPECTED)
    expect(readdirSync(temporary)).toHaveLength(1)
  })

  test('names the folders that it tried if it can unpack nowhere', async () => {
    const ran = await run({ XDG_CACHE_HOME: '/dev/null', TMPDIR: '/dev/null' })
    expect(ran.exit_code).not.toBe(0)
    expect(ran.stderr).toContain('could not be unpacked')
    expect(ran.stderr).toContain('/dev/null/tollgate')
  })

  test('ignores the preload of a bunfig.toml in the working directory', async () => {
    await Bun.write(join(work_folder, 'alone/bunfig.toml'), 'preload = ["./intruder.ts"]\n')
    await Bun.write(join(work_folder, 'alone/intruder.ts'), 'process.exit(66)\n')
    const ran = await run({ XDG_CACHE_HOME: join(work_folder, 'cache') })
    expect(ran.exit_code).toBe(0)
  })
})
