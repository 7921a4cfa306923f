// The container image: its Dockerfile, its builders, its archive, and the gateway that it runs as its user over a read-only root.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { libvipsFolders } from '../../src/build/notices/native.ts'
import type { Release } from '../../src/build/release/files.ts'
import { type ImageOptions, writeImageOver } from '../../src/build/release/image.ts'
import { ownPlatform, PLATFORMS } from '../../src/build/release/platforms.ts'
import { retryUntilDone } from '../support/eventually.ts'
import { freePort } from '../support/free-port.ts'
import { type TemporaryFolder, temporary } from '../support/temporary.ts'
import { BUILDAH, findTool } from '../support/tools.ts'
import { gatewayFile } from './gateway-file.ts'
import { mayHaveOwnRoot, type OwnRoot, ownRoot } from './own-root.ts'

setDefaultTimeout(180_000)

const ROOT = join(import.meta.dir, '../..')
const DOCKERFILE = readFileSync(join(ROOT, 'data/Dockerfile'), 'utf8')
const USER = 10_001
const SOURCE_DATE = new Date('2026-11-20T10:00:00Z')
/** Where the tests mount the executable. The image has a script instead: its copies and layers of 160 MB would take 9 s of CPU. */
const MOUNTED = '/opt/tollgate'
const SCRIPT = `#!/bin/sh\nexec ${MOUNTED} "$@"\n`

const release = (folder: string, executable: string, platforms = [ownPlatform()]): Release => ({
  version: '1.2.3',
  folder,
  platforms,
  source_date: SOURCE_DATE,
  executable: () => executable,
})

describe('data/Dockerfile', () => {
  const lines = DOCKERFILE.split('\n').filter((line) => !line.startsWith('#'))
  const of = (word: string) => lines.filter((line) => line.startsWith(`${word} `))

  test('names its base by digest, and runs none of its commands, so that each machine builds for every platform', () => {
    expect(of('ARG')[0]).toMatch(/^ARG BASE=debian@sha256:[0-9a-f]{64}$/)
    expect(of('FROM').join()).toMatch(/^FROM \$\{BASE\}$/)
    expect(of('RUN')).toEqual([])
  })

  test('copies the executable and an empty folder, and nothing of the project', () => {
    expect(of('COPY').map((line) => line.split(' ').slice(-2))).toEqual([
      [expect.stringMatching(/^\$\{TARGETARCH\}\/tollgate$/), '/usr/local/bin/tollgate'],
      ['data', '/data'],
    ])
    expect(DOCKERFILE).toContain(`\nUSER ${USER}:${USER}\n`)
  })

  test('has the same health check as the compose files and the guide, which images in the OCI format lack', () => {
    const [, check = ''] = /^HEALTHCHECK .* CMD \[(.*)\]$/m.exec(DOCKERFILE) ?? []
    const words = check.replaceAll('"', '')
    for (const file of ['compose.yaml', 'several/compose.yaml'])
      expect(readFileSync(join(ROOT, 'data', file), 'utf8')).toMatch(
        new RegExp(`healthcheck:\\n +test: \\[CMD, ${words}\\]`),
      )
    expect(readFileSync(join(ROOT, 'data/deployment.md'), 'utf8')).toContain(
      `--health-cmd '${words.replaceAll(',', '')}'`,
    )
  })
})

describe('a release without an image', () => {
  const builder = (isReady: boolean, ...commands: string[][]) => ({
    name: 'Builder',
    isReady: () => isReady,
    commands: () => commands,
  })
  const written = async (options: ImageOptions, platforms = [ownPlatform()]) => {
    using folder = temporary()
    const program = folder.at('program')
    writeFileSync(program, 'a program')
    const remarks: string[] = []
    const paths = await writeImageOver(release(folder.path, program, platforms), {
      ...options,
      remark: (text) => remarks.push(text),
    })
    return { paths, remarks, left: readdirSync(folder.path) }
  }

  test.each([
    [
      'if no builder is ready',
      [builder(false)],
      ['No image: install Buildah or start Docker, then run this again.'],
    ],
    [
      'if its builder fails',
      [builder(false), builder(true, ['true'], ['sh', '-c', 'echo no base >&2; exit 1'])],
      ['No image: Builder failed.\nno base'],
    ],
  ])('is made %s, which says why and leaves nothing behind', async (_, builders, remarks) => {
    expect(await written({ builders })).toEqual({ paths: [], remarks, left: ['program'] })
  })

  test('is made without a remark if its platforms have no image', async () => {
    const platforms = PLATFORMS.filter(({ oci }) => !oci)
    expect(platforms.length).toBeGreaterThan(0)
    expect(await written({ builders: [builder(true, ['false'])] }, platforms)).toEqual({
      paths: [],
      remarks: [],
      left: ['program'],
    })
  })
})

const buildah = findTool(BUILDAH)

describe.skipIf(!buildah || !mayHaveOwnRoot || !ownPlatform().oci)('the image that Buildah builds', () => {
  let folder: TemporaryFolder
  let archive: string
  let executable: string
  let container: string
  let root: string
  let machine: OwnRoot
  const address = `127.0.0.1:${freePort()}`

  const command = (...words: string[]): string => {
    const { success, stdout, stderr } = Bun.spawnSync(words)
    if (!success) throw new Error(`${words.join(' ')}: ${stderr}`)
    return stdout.toString().trim()
  }
  const inStore = (...words: string[]) =>
    command(
      'buildah',
      '--storage-driver',
      'vfs',
      '--root',
      folder.at('images'),
      '--runroot',
      folder.at('run'),
      ...words,
    )

  /** The smallest base: a shell, and this machine's libraries for it, the executable and libvips. Tests reach no registry. */
  function base(): string {
    const libvips = libvipsFolders(ROOT).flatMap((each) => [
      ...new Bun.Glob('lib/*.so.*').scanSync({ cwd: each, absolute: true }),
    ])
    const libraries = command('ldd', '/bin/sh', executable, ...libvips).matchAll(/(?:=> |^\t)(\/\S+)/gm)
    const paths = [...libraries].map(([, library = '']) => library)
    for (const path of new Set(['/bin/sh', ...paths])) {
      mkdirSync(folder.at('base', dirname(path)), { recursive: true })
      copyFileSync(path, folder.at('base', path))
    }
    mkdirSync(folder.at('base', dirname(MOUNTED)))
    writeFileSync(folder.at('base', MOUNTED), '')
    // The runtime of a container mounts these.
    for (const name of ['dev', 'proc']) mkdirSync(folder.at('base', name))
    const container = inStore('from', 'scratch')
    inStore('add', '--quiet', container, folder.at('base'), '/')
    const path = `oci-archive:${folder.at('base.tar')}`
    inStore('commit', '--quiet', '--rm', container, path)
    return path
  }

  beforeAll(async () => {
    folder = temporary()
    executable = await gatewayFile(folder.at('tollgate'))
    const remarks: string[] = []
    mkdirSync(folder.at('release'))
    writeFileSync(folder.at('release/tollgate'), SCRIPT, { mode: 0o755 })
    const paths = await writeImageOver(release(folder.at('release'), folder.at('release/tollgate')), {
      base: base(),
      remark: (text) => remarks.push(text),
    })
    expect(remarks).toEqual([])
    expect(paths).toEqual([folder.at('release/tollgate-1.2.3-image.tar')])
    archive = paths[0] ?? ''
    container = inStore('from', `oci-archive:${archive}`)
    root = inStore('mount', container)
    // Like a container's runtime with a read-only root, and a volume of the image's user. `buildah run` has no such option.
    machine = await ownRoot(
      root,
      `
      mkdir ${folder.at('volume')}
      chown ${USER}:${USER} ${folder.at('volume')}
      mount --bind ${root} ${root}
      mount -o remount,ro,bind ${root}
      mount --bind ${folder.at('volume')} ${root}/data
      mount --bind ${executable} ${root}${MOUNTED}
      mount --bind /dev ${root}/dev
      mount -t proc proc ${root}/proc`,
    )
  })
  afterAll(async () => {
    await machine?.[Symbol.asyncDispose]()
    folder?.[Symbol.dispose]()
  })

  const blob = (digest: string) =>
    Bun.spawnSync(['tar', '-xOf', archive, `blobs/${digest.replace(':', '/')}`]).stdout
  const json = (bytes: Uint8Array) => JSON.parse(Buffer.from(bytes).toString())

  test('is an index with this platform, and each blob has the hash of its name', () => {
    const index = json(Bun.spawnSync(['tar', '-xOf', archive, 'index.json']).stdout)
    expect(index.manifests).toHaveLength(1)
    const [listed] = index.manifests
    expect(listed.annotations).toEqual({
      'io.containerd.image.name': 'localhost/tollgate:1.2.3',
      'org.opencontainers.image.ref.name': 'localhost/tollgate:1.2.3',
    })
    const { manifests } = json(blob(listed.digest))
    expect(manifests.map(({ platform }: { platform: object }) => platform)).toEqual([
      { os: 'linux', architecture: ownPlatform().oci?.architecture },
    ])
    const names = command('tar', '-tf', archive)
      .split('\n')
      .filter((name) => name.startsWith('blobs/sha256/') && !name.endsWith('/'))
    expect(names.length).toBeGreaterThanOrEqual(4)
    // Other processes read the layers: this one would keep their memory.
    const unpacked = folder.at('unpacked')
    mkdirSync(unpacked)
    command('tar', '-xf', archive, '-C', unpacked)
    const sums = command('sha256sum', ...names.map((name) => join(unpacked, name))).split('\n')
    expect(sums.map((line) => `blobs/sha256/${line.slice(0, 64)}`)).toEqual(names)
    const times = command('tar', '--utc', '--numeric-owner', '-tvf', archive)
      .split('\n')
      .filter((line) => !line.includes('0/0') || !line.includes('2026-11-20 10:00'))
    expect(times).toEqual([])

    const manifest = json(blob(manifests[0].digest))
    const { config, created } = json(blob(manifest.config.digest))
    expect(created).toBe('2026-11-20T10:00:00Z')
    expect(config).toMatchObject({
      User: `${USER}:${USER}`,
      Volumes: { '/data': {} },
      ExposedPorts: { '8080/tcp': {} },
      Entrypoint: ['tollgate'],
      Cmd: ['serve', '--listen', '0.0.0.0:8080'],
      StopSignal: 'SIGTERM',
      Labels: { 'org.opencontainers.image.version': '1.2.3', 'org.opencontainers.image.licenses': 'MIT' },
    })
  })

  const environment = { TOLLGATE_DATA: '/data', XDG_CACHE_HOME: '/data/.cache', HOME: '/' }
  const run = (...words: string[]) => machine.run(['tollgate', ...words], { env: environment, uid: USER })

  test('has the bytes that were packed, and runs the executable in chroot isolation', () => {
    expect(readFileSync(join(root, 'usr/local/bin/tollgate'), 'utf8')).toBe(SCRIPT)
    const mount = ['--volume', `${executable}:${MOUNTED}:ro`]
    const isolated = ['run', '--isolation', 'chroot', ...mount, container, '--', 'tollgate', '--version']
    expect(inStore(...isolated)).toMatch(/^\d+\.\d+\.\d+$/)
  })

  test('serves a paid call over a read-only root, with only its volume to write to', async () => {
    const serving = run('serve', '--listen', address)
    await retryUntilDone('it serves', async () => {
      const { status } = await fetch(`http://${address}/readyz`)
      if (status !== 200) throw new Error(`status ${status}`)
    })
    expect((await fetch(`http://${address}/healthz`)).status).toBe(200)
    expect(await run('health')).toMatchObject({ status: 0 })
    const key = (await run('key', 'create', 'demo', '--models', 'sim-*')).out.trim()
    const answer = await fetch(`http://${address}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sim-flash', messages: [{ role: 'user', content: 'Hello' }] }),
    })
    expect(answer.status).toBe(200)
    expect(await run('doctor', '--only', 'images')).toMatchObject({
      status: 0,
      out: expect.stringContaining('the image library loads'),
    })
    expect((await run('audit')).status).toBe(0)
    // Not even root, its owner, can write elsewhere.
    const elsewhere = await machine.run(['tollgate', 'serve', '--data', '/'])
    expect(elsewhere.status).toBe(1)
    expect(elsewhere.errors).toContain('its file system is read-only')
    await machine[Symbol.asyncDispose]()
    await serving
  })
})
