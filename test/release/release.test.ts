// `bun run release` without a registry: the forms for this machine's platform, all with one executable, and a run by npx.
// A long run builds the gateway; the suite a small program, and its forms have a script that starts the executable of the tests.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { version } from '../../package.json'
import { ownPlatform, PLATFORMS } from '../../src/build/release/platforms.ts'
import { readSecretKey, verifySignature } from '../../src/build/release/signature.ts'
import { eventually } from '../support/eventually.ts'
import { IS_LONG } from '../support/long.ts'
import { temporary } from '../support/temporary.ts'
import { gatewayFile } from './gateway-file.ts'
import { type NpmRegistry, serveNpmRegistry } from './npm-registry.ts'
import { secretKeyText } from './signing-key.ts'

const ROOT = join(import.meta.dir, '../..')
const NOTHING_LISTENS = 'http://127.0.0.1:9'
const MAX_BUILD_MS = 600_000
const MAX_COMMAND_MS = 180_000

const folder = temporary()
const release = folder.at('release')
const own = ownPlatform()
const packed = join(release, 'bin', own.name, 'tollgate')
/** What was compiled: in a long run the gateway that the forms contain, in the suite a small program. */
const compiled = IS_LONG ? packed : folder.at('compiled')
const key = secretKeyText(7)
afterAll(() => folder[Symbol.dispose]())

let made: { status: number; out: string; errors: string }

function run(command: readonly string[], options: { cwd?: string; env?: Record<string, string> } = {}) {
  const { stdout, stderr, exitCode } = Bun.spawnSync([...command], { ...options, stderr: 'pipe' })
  return { status: exitCode, out: stdout.toString(), errors: stderr.toString() }
}

beforeAll(async () => {
  const environment = {
    ...process.env,
    ...(IS_LONG ? {} : { BUILT: compiled, EXECUTABLE: await gatewayFile(folder.at('gateway')) }),
    BUN_CONFIG_REGISTRY: NOTHING_LISTENS,
    HTTPS_PROXY: NOTHING_LISTENS,
    BUN_INSTALL_CACHE_DIR: folder.at('cache'),
    MINISIGN_KEY: key,
  }
  const program = IS_LONG ? 'src/build/release/main.ts' : 'test/release/quick-release.ts'
  const command = [process.execPath, join(ROOT, program), '--folder', release]
  made = run(command, { env: environment as Record<string, string> })
}, MAX_BUILD_MS)

describe('a release on a machine that reaches no registry', () => {
  test('is made for its own platform, and says why each other one is left out', () => {
    expect(made).toMatchObject({ status: 0 })
    expect(readdirSync(join(release, 'bin'))).toEqual([own.name])
    for (const { name } of PLATFORMS)
      if (name !== own.name)
        expect(made.errors).toContain(`Left out ${name}: \`bun install\` cannot fetch its packages`)
  })

  test('lists each file in the checksums and in the output, which fits a terminal', () => {
    const files = readdirSync(release, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(release, join(entry.parentPath, entry.name)))
      .sort()
    const listed = readFileSync(join(release, 'checksums.txt'), 'utf8').trim().split('\n')
    const own_lists = ['checksums.txt', 'checksums.txt.minisig']
    expect(listed.map((line) => line.slice(66))).toEqual(files.filter((file) => !own_lists.includes(file)))
    expect(run(['sha256sum', '-c', '--strict', '--quiet', 'checksums.txt'], { cwd: release })).toMatchObject({
      status: 0,
    })
    for (const file of files) expect(made.out).toContain(file)
    for (const line of made.out.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
  })

  test('is signed by the key that the executable knows', () => {
    const { public_key } = readSecretKey(key)
    const [sums, signature] = ['checksums.txt', 'checksums.txt.minisig'].map((name) =>
      readFileSync(join(release, name)),
    )
    expect(verifySignature(public_key, sums ?? Buffer.of(), String(signature))).toBe(`tollgate ${version}`)
    expect(run(['grep', '-qF', public_key, compiled]).status).toBe(0)
  })
})

describe('the executable', () => {
  test('is the same in every form', () => {
    const archive = `tollgate-${version}-${own.name}`
    // Hashed by other processes: the suite's own would keep hundreds of megabytes.
    const hashOf = (shell: string): string => run(['sh', '-c', `${shell} | sha256sum`], { cwd: release }).out
    const forms = [
      `tar -xzOf ${archive}.tar.gz ${archive}/tollgate`,
      `tar -xzOf npm/tollgate-${own.name}-${version}.tgz package/tollgate`,
      ...(own.debian && Bun.which('dpkg-deb')
        ? [`dpkg-deb --fsys-tarfile tollgate_${version}_${own.debian}.deb | tar -xO ./usr/bin/tollgate`]
        : []),
    ]
    const own_hash = hashOf(`cat ${packed}`)
    expect(own_hash).toMatch(/^[0-9a-f]{64} /)
    expect(forms.map(hashOf)).toEqual(forms.map(() => own_hash))
  })

  test('and its map do not name the checkout, so that two checkouts of a commit give the same bytes', () => {
    const files = [compiled, `${packed}.map`]
    expect(run(['grep', '-lF', `${ROOT}/`, ...files])).toMatchObject({ status: 1, out: '' })
  })

  test('has its source map in a file of its own', () => {
    const entrypoint = IS_LONG ? 'src/main.ts' : 'test/release/program/key.ts'
    expect(readFileSync(`${packed}.map`, 'utf8')).toContain(entrypoint)
  })

  test('runs from the archive, whose other files are those of the repository', () => {
    const target = folder.at('unpacked')
    mkdirSync(target)
    const name = `tollgate-${version}-${own.name}`
    expect(run(['tar', '-xzf', join(release, `${name}.tar.gz`), '-C', target])).toMatchObject({ status: 0 })
    const from = join(target, name)
    expect(run([join(from, 'tollgate'), '--version'], { cwd: target, env: {} }).out).toBe(`${version}\n`)
    for (const file of ['tollgate.service', 'tollgate.example.toml'])
      expect(readFileSync(join(from, file), 'utf8')).toBe(readFileSync(join(ROOT, 'data', file), 'utf8'))
    expect(readFileSync(join(from, 'THIRD-PARTY-NOTICES.txt'), 'utf8')).toContain('libvips')
    expect(readdirSync(from).sort()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.txt',
      'THIRD-PARTY-NOTICES.txt',
      'tollgate',
      'tollgate.example.toml',
      'tollgate.service',
    ])
  })
})

describe('npx, with the packages in a registry of this machine', () => {
  const cwd = folder.at('work')
  let registry: NpmRegistry

  beforeAll(() => {
    mkdirSync(cwd)
    const names = [`tollgate-${version}.tgz`, `tollgate-${own.name}-${version}.tgz`]
    registry = serveNpmRegistry(
      names.map((name) => join(release, 'npm', name)),
      folder.at('home'),
    )
  })
  afterAll(() => registry[Symbol.dispose]())

  const npx = (...words: string[]) =>
    Bun.spawn(['npx', '--yes', 'tollgate', ...words], {
      cwd,
      env: registry.environment,
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
      // A group of its own, which gets a terminal's Ctrl-C as a whole.
      detached: true,
    })

  const outcomeOf = async (child: ReturnType<typeof npx>) => {
    const [out, errors] = await Promise.all([child.stdout.text(), child.stderr.text()])
    return { status: await child.exited, out, errors }
  }

  /** Runs a command of the same executable in the same folder, which is quicker without npm. */
  const beside = (...words: string[]) => run([packed, ...words], { cwd, env: registry.environment })

  test(
    'installs and runs a command, and passes its output and its status on',
    async () => {
      const outcome = await outcomeOf(npx('nonsense'))
      expect(outcome).toEqual(beside('nonsense'))
      expect(outcome).toMatchObject({ status: 2, errors: expect.stringContaining('nonsense') })
      expect(registry.unknown).toEqual([])
    },
    MAX_COMMAND_MS,
  )

  test.each([
    // A supervisor signals npx alone, Ctrl-C its whole group.
    ['SIGTERM', 1],
    ['SIGINT', -1],
  ] as const)(
    'serves until %s, keeps its data in the working directory, and stops in order',
    async (signal, target) => {
      const child = npx('serve', '--listen', '127.0.0.1:0')
      const decoder = new TextDecoder()
      let banner = ''
      for await (const bytes of child.stderr) {
        banner += decoder.decode(bytes, { stream: true })
        if (/listens on http\S+\s/.test(banner)) break
      }
      const [, address = ''] = /listens on (http:\S+)/.exec(banner) ?? []
      expect((await fetch(`${address}/healthz`)).status).toBe(200)
      expect(beside('key', 'create', 'demo').out).toStartWith('tg_')
      process.kill(target * child.pid, signal)
      const log = await child.stdout.text()
      await child.exited
      expect(log).toContain('"message":"stopped"')
      await eventually('nothing listens', () =>
        fetch(`${address}/healthz`).then(
          () => false,
          () => true,
        ),
      )
      expect(readdirSync(join(cwd, 'data'))).toContain('tollgate.toml')
      expect(beside('audit')).toMatchObject({ status: 0 })
    },
    MAX_COMMAND_MS,
  )
})
