// The packages for npm of a release with small programs in place of the executable: their content, and their starter.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { writeNpmPackages } from '../../src/build/release/npm.ts'
import { ownPlatform, PLATFORMS } from '../../src/build/release/platforms.ts'
import { eventually } from '../support/eventually.ts'
import { temporary } from '../support/temporary.ts'

const VERSION = '1.2.3'
/** The program's record of its life: a line for its start and each signal. */
const LOG = 'life.log'
/** Prints its arguments; waits for signals if `serve` is the only one; otherwise ends as its arguments say. */
const PROGRAM = `#!/bin/sh
echo "arguments: $*"
case "$1" in
  status) exit "$2" ;;
  die) kill -$2 $$ ;;
  read) read -r line; echo "read: $line"; exit 0 ;;
esac
trap 'echo TERM >> ${LOG}; exit 0' TERM
[ "$1" = signal ] && kill -TERM $PPID
trap 'echo INT >> ${LOG}' INT
trap 'echo HUP >> ${LOG}' HUP
echo started >> ${LOG}
while :; do sleep 0.05; done
`

const folder = temporary()
afterAll(() => folder[Symbol.dispose]())
const own = ownPlatform()

interface Tarball {
  readonly manifest: Record<string, unknown>
  readonly names: readonly string[]
}

let tarballs: readonly Tarball[]

async function readTarball(path: string): Promise<Tarball> {
  const list = Bun.spawnSync(['tar', '-tzf', path]).stdout.toString().trim().split('\n')
  const manifest = Bun.spawnSync(['tar', '-xzOf', path, 'package/package.json']).stdout.toString()
  return { manifest: JSON.parse(manifest), names: list.filter((name) => !name.endsWith('/')) }
}

/** Puts a package where npm would. */
function unpack(path: string, name: string, modules: string): void {
  const target = join(modules, name)
  mkdirSync(target, { recursive: true })
  expect(Bun.spawnSync(['tar', '-xzf', path, '-C', target, '--strip-components=1']).exitCode).toBe(0)
}

beforeAll(async () => {
  const paths = await writeNpmPackages({
    version: VERSION,
    folder: folder.path,
    platforms: PLATFORMS,
    source_date: new Date('2026-11-20T10:00:00Z'),
    notices: ({ name }) => ({ notices: [], texts: { [name]: 'a text' } }),
    executable({ name }) {
      const path = folder.at(`program-${name}`)
      writeFileSync(path, PROGRAM)
      return path
    },
  })
  tarballs = await Promise.all(paths.map(readTarball))
  const names = tarballs.map(({ manifest }) => String(manifest.name))
  const modules = folder.at('installed/node_modules')
  for (const [at, path] of paths.entries()) {
    const name = names[at] ?? ''
    if (name === 'tollgate' || name === `@tollgate/${own.name}`) unpack(path, name, modules)
  }
})

const starter = () => folder.at('installed/node_modules/tollgate/tollgate.js')

function start(...words: string[]) {
  const cwd = folder.at(`run-${crypto.randomUUID()}`)
  mkdirSync(cwd)
  const child = Bun.spawn(['node', starter(), ...words], {
    cwd,
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const life = () =>
    existsSync(join(cwd, LOG)) ? readFileSync(join(cwd, LOG), 'utf8').trim().split('\n') : []
  return { child, life, started: () => eventually('it has started', async () => life().length > 0) }
}

async function run(...words: string[]) {
  const { child } = start(...words)
  await child.stdin.write('a line\n')
  await child.stdin.end()
  const [out, errors] = await Promise.all([child.stdout.text(), child.stderr.text()])
  return { status: await child.exited, signal: child.signalCode, out, errors }
}

describe('the packages', () => {
  test('are one for each platform, which npm installs only there, and the starter, which requires each in its own version', () => {
    const starter = tarballs.at(-1)
    expect(starter?.manifest).toMatchObject({
      name: 'tollgate',
      version: VERSION,
      bin: { tollgate: 'tollgate.js' },
      optionalDependencies: Object.fromEntries(PLATFORMS.map(({ name }) => [`@tollgate/${name}`, VERSION])),
    })
    for (const [at, { name, npm }] of PLATFORMS.entries()) {
      const { libc, ...others } = npm
      expect(tarballs[at]?.manifest).toMatchObject({
        name: `@tollgate/${name}`,
        os: [others.os],
        cpu: [others.cpu],
      })
      expect(tarballs[at]?.manifest.libc as unknown).toEqual(libc && [libc])
    }
  })

  test('run nothing at their installation', () => {
    for (const { manifest } of tarballs) expect(manifest).not.toHaveProperty('scripts')
  })

  test('have the licence, and those of the platforms the notices', () => {
    for (const { names, manifest } of tarballs) {
      expect(names).toContain('package/LICENSE')
      expect(names.includes('package/THIRD-PARTY-NOTICES.txt')).toBe(manifest.name !== 'tollgate')
    }
  })
})

describe('the starter', () => {
  test('is plain Node of few lines', () => {
    const lines = readFileSync(starter(), 'utf8').split('\n')
    expect(lines.length).toBeLessThan(70)
  })

  test('passes its arguments on unchanged, and serves without any', async () => {
    const { out } = await run('status', '0', 'two words', '--json', '')
    expect(out).toBe('arguments: status 0 two words --json \n')
    const serving = start()
    await serving.started()
    serving.child.kill('SIGTERM')
    expect(await serving.child.stdout.text()).toBe('arguments: serve\n')
  })

  test.each([0, 77])('ends with the status of the executable: %d', async (status) => {
    expect((await run('status', String(status))).status).toBe(status)
  })

  test('ends by the same signal as the executable', async () => {
    expect(await run('die', 'KILL')).toMatchObject({ signal: 'SIGKILL' })
    // Node ignores this one.
    expect(await run('die', 'PIPE')).toMatchObject({ status: 1 })
  })

  test('passes its input on', async () => {
    expect((await run('read')).out).toContain('read: a line')
  })

  test('passes each signal on, and lives until the executable has ended', async () => {
    const { child, life, started } = start()
    await started()
    child.kill('SIGHUP')
    await eventually('it reloads', async () => life().includes('HUP'))
    child.kill('SIGINT')
    await eventually('it is interrupted', async () => life().includes('INT'))
    child.kill('SIGTERM')
    expect(await child.exited).toBe(0)
    expect(life()).toEqual(['started', 'HUP', 'INT', 'TERM'])
  })

  test('passes on a signal that comes while the executable starts', async () => {
    // The executable itself sends it, as its first act: before the starter has done anything else.
    const { child, life } = start('signal')
    expect(await child.exited).toBe(0)
    expect(life().at(-1)).toBe('TERM')
  })

  test('passes a signal on once if it comes twice at once, as Ctrl-C does from terminal and npx', async () => {
    const { child, life, started } = start()
    await started()
    for (let times = 0; times < 5; times += 1) child.kill('SIGINT')
    child.kill('SIGTERM')
    await child.exited
    expect(life().filter((line) => line === 'INT').length).toBeLessThan(2)
  })

  test('stops the executable when the shell between npx and it has ended', async () => {
    const cwd = folder.at('below-a-shell')
    mkdirSync(cwd)
    const life = () => (existsSync(join(cwd, LOG)) ? readFileSync(join(cwd, LOG), 'utf8') : '')
    const shell = Bun.spawn(['sh', '-c', `node ${starter()}; true`], {
      cwd,
      env: { ...process.env, npm_lifecycle_event: 'npx' },
    })
    await eventually('it has started', () => life().includes('started'))
    shell.kill('SIGTERM')
    await eventually('it is stopped', () => life().includes('TERM'))
  })

  test.skipIf(process.platform !== 'linux')(
    "keeps the executable out of the terminal's process group",
    async () => {
      const { child, started } = start()
      await started()
      const [pid = ''] = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').split(' ')
      const groupOf = (id: string | number) =>
        readFileSync(`/proc/${id}/stat`, 'utf8').replace(/.*\) /, '').split(' ')[2]
      expect(groupOf(pid)).toBe(pid)
      expect(groupOf(pid)).not.toBe(groupOf(child.pid))
      child.kill('SIGTERM')
      await child.exited
    },
  )
})

describe('the starter refuses', () => {
  const platform_folder = () => folder.at('installed/node_modules/@tollgate', own.name)

  test('a platform without an executable in the release, and says what to do', async () => {
    const path = join(dirname(starter()), 'package.json')
    const whole = readFileSync(path, 'utf8')
    writeFileSync(
      path,
      JSON.stringify({ type: 'module', optionalDependencies: { '@tollgate/plan9-x64': VERSION } }),
    )
    const { status, errors } = await run()
    writeFileSync(path, whole)
    expect(status).toBe(1)
    expect(errors).toContain(`no executable for ${own.name}, only for plan9-x64`)
    expect(errors).toContain('container')
  })

  test('an executable that may not be run', async () => {
    chmodSync(join(platform_folder(), 'tollgate'), 0o644)
    const { status, errors } = await run()
    chmodSync(join(platform_folder(), 'tollgate'), 0o755)
    expect({ status, errors }).toEqual({ status: 1, errors: expect.stringContaining('EACCES') })
  })

  test('an installation without the package of its platform', async () => {
    rmSync(platform_folder(), { recursive: true })
    const { status, errors } = await run('doctor')
    expect(status).toBe(1)
    expect(errors).toContain(`@tollgate/${own.name}`)
    expect(errors).toContain('Delete node_modules and package-lock.json')
    expect(errors).toContain('--omit=optional')
  })
})
