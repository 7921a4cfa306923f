// What is hard to carry in an executable arrives: tried on a small program, compiled by the function that makes the gateway's.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildBinary } from '../../src/build/binary.ts'

let workplace: string
let program: string

beforeAll(async () => {
  workplace = mkdtempSync(join(tmpdir(), 'tollgate-program-'))
  const built = join(workplace, 'build/program')
  program = join(workplace, 'alone/program')
  await buildBinary({
    entrypoints: ['main.ts', 'worker.ts'].map((file) => join(import.meta.dir, 'program', file)),
    outfile: built,
  })
  mkdirSync(join(workplace, 'alone'))
  copyFileSync(built, program)
})

afterAll(() => rmSync(workplace, { recursive: true, force: true }))

const run = async (environment: Record<string, string>) => {
  const child = Bun.spawn([program], { cwd: join(workplace, 'alone'), env: environment, stderr: 'pipe' })
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()])
  return { exit_code: await child.exited, stdout, stderr }
}

const WHOLE = {
  worker: 'ping pong',
  migration_starts: '--',
  format: 'png',
  width: 3,
  height: 2,
}

describe('an executable, alone in a folder', () => {
  test('leaves nothing beside it but itself when built', () => {
    expect(readdirSync(join(workplace, 'build'))).toEqual(['program'])
  })

  test('has its worker, its migrations and sharp', async () => {
    const ran = await run({ XDG_CACHE_HOME: join(workplace, 'cache') })
    expect(ran.stderr).toBe('')
    expect(JSON.parse(ran.stdout)).toEqual(WHOLE)
  })

  test('leaves nothing beside it after it ran', () => {
    expect(readdirSync(join(workplace, 'alone'))).toEqual(['program'])
  })

  test('started eight times at once on an empty cache: all load sharp, and one copy of each file is left', async () => {
    const cache = join(workplace, 'shared-cache')
    const ran = await Promise.all(Array.from({ length: 8 }, () => run({ XDG_CACHE_HOME: cache })))
    for (const { stderr, stdout } of ran) {
      expect(stderr).toBe('')
      expect(JSON.parse(stdout)).toEqual(WHOLE)
    }
    const files = readdirSync(cache, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    )
    expect(files).toHaveLength(2)
  })

  test('with a cache folder that cannot be made it takes the temporary folder', async () => {
    const temporary = join(workplace, 'temporary')
    mkdirSync(temporary)
    const ran = await run({ XDG_CACHE_HOME: '/dev/null', TMPDIR: temporary })
    expect(JSON.parse(ran.stdout)).toEqual(WHOLE)
    expect(readdirSync(temporary)).toHaveLength(1)
  })

  test('with no folder to unpack to it says which ones it tried', async () => {
    const ran = await run({ XDG_CACHE_HOME: '/dev/null', TMPDIR: '/dev/null' })
    expect(ran.exit_code).not.toBe(0)
    expect(ran.stderr).toContain('could not be unpacked')
    expect(ran.stderr).toContain('/dev/null/tollgate')
  })

  test('does not run what a bunfig.toml of the folder preloads', async () => {
    await Bun.write(join(workplace, 'alone/bunfig.toml'), 'preload = ["./intruder.ts"]\n')
    await Bun.write(join(workplace, 'alone/intruder.ts'), 'process.exit(66)\n')
    const ran = await run({ XDG_CACHE_HOME: join(workplace, 'cache') })
    expect(ran.exit_code).toBe(0)
  })
})
