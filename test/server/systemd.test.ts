// `tollgate systemd`: what the unit holds for a folder and its catalogue, what is refused, and what systemd's own tools say of it.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createScene, type Scene } from '../cli/scene.ts'
import { catalogueOf } from '../support/catalogue.ts'
import { temporary } from '../support/temporary.ts'

let scene: Scene
beforeEach(() => {
  scene = createScene()
})
afterEach(() => scene.remove())

/** The scene's own folder is outside of /var/lib, and so has a user. */
async function unitOf(...options: string[]): Promise<string[]> {
  const { out, err, status } = await scene.run('systemd', '--user', 'tollgate', ...options)
  if (status !== 0) throw new Error(err)
  return out.split('\n')
}

const catalogue = (server: string) =>
  writeFileSync(scene.path('tollgate.toml'), catalogueOf({ upstream_url: 'simulator', server }))

describe('the unit', () => {
  test('runs the program on the folder, as the user, who writes nothing else', async () => {
    const unit = await unitOf('--binary', '/opt/tollgate')
    expect(unit).toContain(`ExecStart=/opt/tollgate serve --data ${scene.dir}`)
    expect(unit).toContain('User=tollgate')
    expect(unit).toContain(`ReadWritePaths=${scene.dir}`)
    expect(unit).toContain('ProtectSystem=strict')
    expect(unit).not.toContain('DynamicUser=yes')
  })

  test('leaves memory that is written and run to the runtime, and says why', async () => {
    const unit = await unitOf()
    expect(unit).toContain('MemoryDenyWriteExecute=no')
    expect(unit[unit.indexOf('MemoryDenyWriteExecute=no') - 1]).toContain('compiles JavaScript')
  })

  test.each([
    ['', 60],
    ['shutdown_timeout_ms = 0', 30],
    ['shutdown_timeout_ms = 90_500', 121],
  ])('waits longer for a stop than the gateway does: %s', async (server, seconds) => {
    catalogue(server)
    expect(await unitOf()).toContain(`TimeoutStopSec=${seconds}`)
  })

  test.each([
    ['127.0.0.1:8080', ['CapabilityBoundingSet=', 'PrivateUsers=yes']],
    [
      '0.0.0.0:443',
      ['AmbientCapabilities=CAP_NET_BIND_SERVICE', 'CapabilityBoundingSet=CAP_NET_BIND_SERVICE'],
    ],
    ['[::]:1023', ['AmbientCapabilities=CAP_NET_BIND_SERVICE', 'CapabilityBoundingSet=CAP_NET_BIND_SERVICE']],
    ['[::]:1024', ['CapabilityBoundingSet=', 'PrivateUsers=yes']],
  ])('gives a right for a low port only: %s', async (listen, lines) => {
    catalogue(`listen = "${listen}"`)
    const unit = await unitOf()
    expect(unit.filter((line) => /^(Ambient|Capability|PrivateUsers)/.test(line))).toEqual(lines)
  })
})

describe('the folder of backups', () => {
  const backupsIn = (folder: string) =>
    writeFileSync(
      scene.path('tollgate.toml'),
      `${catalogueOf({ upstream_url: 'simulator' })}\n[backup]\nevery = "24h"\nfolder = "${folder}"\n`,
    )

  test.each([
    ['/mnt/backups', ['ReadWritePaths=-/mnt/backups']],
    ['../elsewhere', ['ReadWritePaths=-SCENE/elsewhere']],
    ['backups', []],
    ['.', []],
  ])('%s: what is outside of the data folder can be written', async (folder, lines) => {
    backupsIn(folder)
    const unit = await unitOf()
    const above = join(scene.dir, '..')
    expect(unit.filter((line) => line.startsWith('ReadWritePaths=-'))).toEqual(
      lines.map((line) => line.replace('SCENE', above)),
    )
  })

  test('cannot have a name that systemd would read as more', async () => {
    backupsIn('/mnt/my backups')
    await expect(unitOf()).rejects.toThrow('would read /mnt/my backups as something else')
  })
})

test.each([
  ['has a mistake', () => writeFileSync(scene.path('tollgate.toml'), '[srever]\nlisten = "0.0.0.0:443"\n')],
  ['cannot be read', () => mkdirSync(scene.path('tollgate.toml'))],
])('a catalogue that %s is warned of: the unit may lack what it asks for', async (_case, spoil) => {
  rmSync(scene.path('tollgate.toml'), { force: true })
  spoil()
  const { out, err, status } = await scene.run('systemd', '--user', 'tollgate')
  expect(status).toBe(0)
  expect(out).toContain('TimeoutStopSec=60')
  expect(err).toContain('The unit goes by the defaults')
  expect(err).toContain(scene.path('tollgate.toml'))
})

test('where there is no catalogue yet nothing is said', async () => {
  rmSync(scene.path('tollgate.toml'), { force: true })
  const { err } = await scene.run('systemd', '--user', 'tollgate')
  expect(err).not.toContain('goes by the defaults')
})

describe('what is refused', () => {
  test.each([
    ['a folder elsewhere without its user', [], 1, 'Name who owns it: --user NAME'],
    ['a user that is no name', ['--user', 'a b'], 2, 'Write the name of a user'],
    ['a user that would add a line', ['--user', 'a\nExecStart=/bin/sh'], 2, 'Write the name of a user'],
    ['a program by a relative path', ['--user', 'a', '--binary', 'dist/tollgate'], 2, 'Write a whole path'],
    [
      'a program that systemd would read as more',
      ['--user', 'a', '--binary', '/opt/%n $x'],
      2,
      'Write a whole path',
    ],
  ] as const)('%s', async (_case, options, status, says) => {
    const ran = await scene.run('systemd', ...options)
    expect(ran.status).toBe(status)
    expect(ran.err).toContain(says)
    expect(ran.out).toBe('')
  })

  test('a folder whose name systemd would read as more', async () => {
    const folder = join(scene.dir, 'a %n')
    const ran = await createScene('nothing', folder).run('systemd', '--user', 'a')
    expect(ran.status).toBe(1)
    expect(ran.err).toContain('Name a folder without spaces or signs')
  })
})

test('the folder in which systemd keeps those of its own users: it is named as it is seen', async () => {
  const { err, status } = await createScene('nothing', '/var/lib/private/tollgate').run('systemd')
  expect(status).toBe(1)
  expect(err).toContain('Name it as it is seen: /var/lib/tollgate.')
})

test('the program in a home is warned of: the service sees none', async () => {
  const { err } = await scene.run('systemd', '--user', 'a', '--binary', '/home/me/tollgate')
  expect(err).toContain('/home/me/tollgate is hidden from the service')
})

test('so are a certificate and its key there', async () => {
  catalogue('tls_certificate = "/root/.acme.sh/a/fullchain.cer"\ntls_key = "/root/.acme.sh/a/a.key"')
  const { err } = await scene.run('systemd', '--user', 'a')
  expect(err).toContain('/root/.acme.sh/a/fullchain.cer is hidden from the service')
  expect(err).toContain('/root/.acme.sh/a/a.key is hidden from the service')
})

describe.if(Bun.which('systemd-analyze') !== null)("systemd's own tools", () => {
  test('find no mistake, and judge its exposure below 2 of 10', async () => {
    using folder = temporary()
    const unit = folder.at('tollgate-tried.service')
    writeFileSync(unit, (await unitOf('--binary', process.execPath)).join('\n'))
    const verify = Bun.spawnSync(['systemd-analyze', 'verify', unit])
    expect(verify.stderr.toString() + verify.stdout.toString()).toBe('')
    expect(verify.exitCode).toBe(0)
    const judged = Bun.spawnSync(['systemd-analyze', 'security', '--offline=yes', unit]).stdout.toString()
    const [, exposure] = /exposure level for \S+: (\d+\.\d+)/.exec(judged) ?? []
    expect(Number(exposure)).toBeLessThan(2)
  })
})
