// A machine's life with the Debian package: installed, started, upgraded during a call, refused, removed and purged by dpkg itself.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../support/eventually.ts'
import { freePort } from '../support/free-port.ts'
import { temporary } from '../support/temporary.ts'
import { gatewayFile } from './gateway-file.ts'
import { mayHaveOwnRoot, type OwnRoot, ownRoot } from './own-root.ts'

setDefaultTimeout(180_000)

const isDebian = ['dpkg', 'debconf-set-selections', 'systemd-sysusers'].every(
  (name) => Bun.which(name) !== null,
)
const PACKAGE_PROCESS = join(import.meta.dir, 'package-process.ts')
const CATALOGUE = '/var/lib/tollgate/tollgate.toml'
/** Starts the executable from another place, and names the data folder, which the executable knows only in its own place. */
const SCRIPT = '#!/bin/sh\nTOLLGATE_DATA=/var/lib/tollgate exec /opt/tollgate-executable "$@"\n'
/** The time that a demo model takes to answer. */
const SLOW_MS = 3000
const SLOW = `
[[models]]
id = "sim-slow"
kind = "text"
price = { input = "1", output = "1" }
routes = [{ provider = "simulator", model = "flash-slow-${SLOW_MS}" }]
`

describe.skipIf(!mayHaveOwnRoot || !isDebian)('a machine', () => {
  const folder = temporary()
  const address = `127.0.0.1:${freePort()}`
  let machine: OwnRoot
  let key = ''

  beforeAll(async () => {
    const executable = await gatewayFile(folder.at('tollgate'))
    // No package has the 160 MB of the executable, for which dpkg needs seconds of CPU: a long run of release.test.ts packs them.
    const small = folder.at('small')
    writeFileSync(small, SCRIPT, { mode: 0o755 })
    const words = [PACKAGE_PROCESS, folder.path, small, '0.9.0', '1.0.0', '1.1.0', '1.2.0', '1.3.0']
    expect(Bun.spawnSync([process.execPath, ...words]).stderr.toString()).toBe('')
    // This machine's files, with all changes in memory. A server lacks the policy by which containers forbid services to start.
    machine = await ownRoot(
      folder.at('disk/root'),
      `
      mkdir ${folder.at('disk')}
      cd ${folder.at('disk')}
      mount -t tmpfs tollgate-test .
      cd $PWD
      mkdir upper work root
      mount -t overlay overlay -o lowerdir=/,upperdir=upper,workdir=work root
      mount --bind /dev root/dev
      mount -t proc proc root/proc
      mount --bind ${folder.path} root/mnt
      touch root/opt/tollgate-executable
      mount --bind ${executable} root/opt/tollgate-executable
      mkdir -p root/run/systemd/system
      rm -f root/usr/sbin/policy-rc.d
      install -m 755 ${join(import.meta.dir, 'systemctl.sh')} root/usr/bin/systemctl
      echo ${address} > root/etc/listen`,
    )
  })
  afterAll(async () => {
    await machine?.[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  })

  const run = (command: string, uid = 0) =>
    machine.run(['bash', '-euo', 'pipefail', '-c', command], {
      env: { DEBIAN_FRONTEND: 'noninteractive' },
      uid,
    })
  const text = async (command: string) => {
    const { status, out, errors } = await run(command)
    expect({ command, status, errors }).toMatchObject({ status: 0 })
    return out.trim()
  }
  const dpkg = (words: string) => run(`dpkg --no-triggers --force-unsafe-io ${words}`)
  const install = (version: string) => dpkg(`--install --force-downgrade /mnt/tollgate_${version}_*.deb`)
  /** The calls of systemctl since the last look, without those that change nothing. */
  const systemctlCalls = async () => {
    const log = await text('cat /var/log/systemctl 2>/dev/null || true; rm -f /var/log/systemctl')
    return log.split('\n').filter((line) => !/is-active|is-enabled|^$/.test(line))
  }
  const statusOf = (path: string) => fetch(`http://${address}${path}`).then(({ status }) => status)
  const call = (model: string) =>
    fetch(`http://${address}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
    })

  test('gets a user, a folder and no running gateway, and prints how to begin', async () => {
    const { status, out, errors } = await install('1.0.0')
    expect({ status, out: out.includes('Setting up tollgate (1.0.0)') }).toEqual({ status: 0, out: true })
    expect(errors).toContain('installed, not running. To begin:')
    expect(await systemctlCalls()).toEqual(['--system daemon-reload'])
    expect(await text('stat -c "%U:%G %a" /var/lib/tollgate')).toBe('tollgate:tollgate 700')
    expect(await text('getent passwd tollgate')).toEndWith(':/var/lib/tollgate:/usr/sbin/nologin')
    expect(await text('stat -c "%U %a" /etc/tollgate.env')).toBe('root 600')
    expect(await text('cd / && md5sum --quiet -c /var/lib/dpkg/info/tollgate.md5sums')).toBe('')
    // The executable itself, in its own place, as in a package of a release.
    await text('cp /opt/tollgate-executable /usr/bin/tollgate')
  })

  test("has commands that work on the service's data, and refuse other users", async () => {
    const { status, errors } = await run('tollgate account list')
    expect({ status, errors }).toEqual({
      status: 1,
      errors: expect.stringContaining('No database found at /var/lib/tollgate/tollgate.db'),
    })
    const other = await run('tollgate account list', 65_534)
    expect(other.status).toBe(1)
    expect(other.errors).toContain('/var/lib/tollgate')
  })

  test('starts the gateway by the two lines that the package printed', async () => {
    const { errors } = await dpkg('--configure --force-all tollgate || dpkg-reconfigure tollgate')
    const printed = [...errors.matchAll(/^ {2}sudo ([^#\n]+)/gm)].map(([, line = '']) => line.trim())
    expect(printed).toEqual(['systemctl enable --now tollgate', 'tollgate console link'])
    const [begin = '', link = ''] = printed
    await text(begin)
    expect(await text(link)).toContain(`http://${address}/console/`)
    expect(await statusOf('/readyz')).toBe(200)
    await text('tollgate account create alice && tollgate credit alice 5')
    key = await text('tollgate key create alice')
    expect((await call('sim-flash')).status).toBe(200)
    expect(await text('find /var/lib/tollgate ! -user tollgate')).toBe('')
    expect(await text('cat /proc/$(cat /run/tollgate.pid)/status')).toMatch(/^Uid:\s+(\d+)\s+\1\s+\1/m)
  })

  test('is upgraded during a call, which is answered and paid, and keeps its settings', async () => {
    await text(`cat >> ${CATALOGUE} <<'END'\n${SLOW}END\n tollgate config check`)
    await text('systemctl stop tollgate && systemctl start tollgate')
    await text("echo 'GEMINI_API_KEY=theirs' >> /etc/tollgate.env")
    await systemctlCalls()
    const running = call('sim-slow')
    const account = async () => {
      const response = await fetch(`http://${address}/api/v1/account`, {
        headers: { authorization: `Bearer ${key}` },
      })
      return (await response.json()) as { held_usd: string }
    }
    await eventually('the call is held', async () => Number((await account()).held_usd) > 0)
    const { status, errors } = await install('1.1.0')
    expect({ status, errors }).toMatchObject({ status: 0 })
    expect(errors).toContain('restarting. Running calls finish first')
    expect((await running).status).toBe(200)
    expect(await systemctlCalls()).toEqual([
      '--system daemon-reload',
      '--quiet --system restart tollgate.service',
    ])
    expect(await statusOf('/readyz')).toBe(200)
    expect(await text('tollgate usage --account alice --json')).toContain('"sim-slow"')
    expect(await text('tollgate audit')).toContain('Clean: every invariant holds.')
    expect(await text('grep theirs /etc/tollgate.env; stat -c %a /etc/tollgate.env')).toBe(
      'GEMINI_API_KEY=theirs\n600',
    )
  })

  test('serves on with the previous program if the new one refuses its catalogue, until that is corrected', async () => {
    const before = await text('cat /run/tollgate.pid')
    await text(`cp -p ${CATALOGUE} /root/correct && sed -i 's/^listen = .*/listen = 8080/' ${CATALOGUE}`)
    await systemctlCalls()
    const { status, errors } = await install('0.9.0')
    expect(status).toBe(1)
    expect(errors).toContain('server.listen')
    expect(errors).toContain('the version before still runs')
    expect(await systemctlCalls()).toEqual(['--system daemon-reload'])
    expect(await text('cat /run/tollgate.pid')).toBe(before)
    expect(await statusOf('/readyz')).toBe(200)
    await text(`cp -p /root/correct ${CATALOGUE}`)
    // Without the settings, which its owner may delete.
    await text('mv /etc/tollgate.env /root')
    expect(await dpkg('--configure tollgate')).toMatchObject({ status: 0 })
    await text('mv /root/tollgate.env /etc')
    expect(await text('cat /run/tollgate.pid')).not.toBe(before)
    expect(await statusOf('/readyz')).toBe(200)
  })

  test('stops its gateway before the package is removed, and keeps data and settings', async () => {
    await systemctlCalls()
    expect((await dpkg('--remove tollgate')).status).toBe(0)
    expect(await systemctlCalls()).toEqual(['stop tollgate.service', '--system daemon-reload'])
    expect(await text('grep -c stopped /var/log/tollgate')).toBe('1')
    expect(await text('ls /usr/bin/tollgate /etc/tollgate.env 2>/dev/null || true')).toBe('/etc/tollgate.env')
    expect(await text('ls /var/lib/tollgate')).toContain('tollgate.db')
  })

  test('starts nothing when the package is installed again, nor at an upgrade of a stopped gateway', async () => {
    for (const version of ['1.2.0', '1.3.0']) {
      const { status, errors } = await install(version)
      expect(status).toBe(0)
      expect(errors).toContain('installed, not running. To start it, now and at each boot:')
      expect(errors).not.toContain('console link')
      expect(await systemctlCalls()).toEqual(['--system daemon-reload'])
    }
    expect((await dpkg('--remove tollgate')).status).toBe(0)
  })

  test('loses its settings by a purge, but its ledger only after a yes', async () => {
    const { status, errors } = await dpkg('--purge tollgate')
    expect(status).toBe(0)
    expect(errors).toContain('kept the data in /var/lib/tollgate')
    expect(await text('ls /var/lib/tollgate')).toContain('tollgate.db')
    expect(await text('find /etc /var/cache -name "*tollgate*" ! -path "*/apt/*"')).toBe('')

    expect((await install('1.3.0')).status).toBe(0)
    expect(await text('ls /var/lib/tollgate')).toContain('tollgate.db')
    await text("echo 'tollgate tollgate/remove_data boolean true' | debconf-set-selections")
    expect((await dpkg('--purge tollgate')).status).toBe(0)
    expect(await text('ls -d /var/lib/tollgate 2>/dev/null || true')).toBe('')
    expect(await text('debconf-show tollgate')).toBe('')
  })
})
