// The commands of data/deployment.md, run word by word in an empty folder; and the health check of containers.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { audit } from '../../../src/money/ledger/audit.ts'
import { openDatabase } from '../../../src/store/engines/sqlite/open.ts'
import { dbOver } from '../../../src/store/engines/sqlite/sqlite.ts'
import { freePort } from '../../support/free-port.ts'
import { commandOf } from '../../support/programs.ts'
import { temporary } from '../../support/temporary.ts'

setDefaultTimeout(120_000)

const ROOT = join(import.meta.dir, '../../..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

/** The shell commands of a section, in order. */
function commandsOf(title: string): string[] {
  const [, after = ''] = read('data/deployment.md').split(`\n## ${title}\n`)
  const [section = ''] = after.split('\n## ')
  return [...section.matchAll(/```sh\n(.*?)```/gs)].map(([, commands = '']) => commands)
}

describe.skipIf(Bun.which('curl') === null)('with systemd', () => {
  const folder = temporary()
  const path = folder.at
  const port = freePort()
  const shim = (name: string, text: string) => {
    writeFileSync(path(`shims/${name}`), `#!/bin/bash\nset -euo pipefail\n${text}`)
    chmodSync(path(`shims/${name}`), 0o755)
  }

  beforeAll(() => {
    for (const each of ['shims', 'checkout/data', 'etc/systemd/system', 'var/lib', 'root'])
      mkdirSync(path(each), { recursive: true })
    writeFileSync(path('checkout/data/tollgate.service'), placed(read('data/tollgate.service')))
    const program = commandOf('gateway')
      .map((word) => `'${word}'`)
      .join(' ')
    shim('sudo', 'exec "$@"')
    // The checkout is up to date.
    shim('git', '[ "$*" = pull ]')
    // Another test covers the build (test/binary): here the program of the tests replaces it.
    shim(
      'npx',
      `[ "$*" = '--yes bun@1.4.5 run build' ]\nmkdir -p dist\nprintf '#!/bin/bash\\nexec ${program.replaceAll("'", '"')} "$@"\\n' > dist/tollgate`,
    )
    shim(
      'systemd-run',
      `
      while [ "\${1#-}" != "$1" ]; do
        if [ "$1" = -p ]; then file=\${2#EnvironmentFile=}; shift; fi
        shift
      done
      set -a; . "$file"; set +a
      exec "$@"`,
    )
    // Runs the unit as systemd does, without its sandbox, which needs a system of its own.
    shim(
      'systemctl',
      `
      unit='${path('etc/systemd/system/tollgate.service')}'
      setting() { sed -n "s/^$1=-\\?//p" "$unit" | sed 's# /var/lib/# ${path('var/lib')}/#'; }
      [ "$1" = daemon-reload ] && exec grep -q '^ExecStart=' "$unit"
      [ "$1" = enable ] && kill -0 "$(cat '${path('pid')}' 2> /dev/null)" 2> /dev/null && exit
      if [ "$1" = restart ]; then
        kill "-$(setting KillSignal | sed s/SIG//)" "$(cat '${path('pid')}')"
        while kill -0 "$(cat '${path('pid')}')" 2> /dev/null; do sleep 0.05; done
      fi
      set -a; . '${path('etc/tollgate.env')}'; set +a
      $(setting ExecStart) --listen 127.0.0.1:${port} >> '${path('log')}' 2>&1 &
      echo $! > '${path('pid')}'
      $(setting ExecStartPost)`,
    )
  })
  afterAll(() => {
    if (existsSync(path('pid'))) process.kill(Number(readFileSync(path('pid'), 'utf8')), 'SIGKILL')
    folder[Symbol.dispose]()
  })

  /** Replaces only the port and the folders that need root. Another test covers the upgrade from an archive of a release (test/upgrade). */
  const placed = (commands: string): string =>
    commands
      .replaceAll(/^sudo tollgate upgrade --from .*\n/gm, '')
      .replaceAll('/usr/local/bin/', `${path('usr/local/bin')}/`)
      .replaceAll('/etc/', `${path('etc')}/`)
      .replaceAll('/var/lib/', `${path('var/lib')}/`)
      .replaceAll('/root/', `${path('root')}/`)
      .replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`)

  async function follow(commands: readonly string[]) {
    const child = Bun.spawn(['bash', '-euo', 'pipefail', '-c', placed(commands.join('\n'))], {
      cwd: path('checkout'),
      env: { ...process.env, PATH: `${path('shims')}:${path('usr/local/bin')}:${process.env.PATH}` },
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()])
    return { status: await child.exited, out, err }
  }

  test('every command of the section succeeds, and the call is completed and paid', async () => {
    const commands = commandsOf('With systemd')
    expect(commands.length).toBeGreaterThanOrEqual(4)
    const { status, out, err } = await follow(commands)
    expect({ status, err }).toMatchObject({ status: 0 })
    expect(out).toContain('"object":"chat.completion"')
    expect(out).toContain('failed: 0.')
    expect(statSync(path('etc/tollgate.env')).mode & 0o777).toBe(0o600)
    expect(statSync(path('var/lib/tollgate')).mode & 0o777).toBe(0o700)
    expect(existsSync(path('usr/local/bin/tollgate.before'))).toBe(true)

    const again = await fetch(`http://127.0.0.1:${port}/readyz`)
    expect(again.status).toBe(200)
    const db = openDatabase(path('var/lib/tollgate/tollgate.db'), { readonly: true })
    expect((await audit(dbOver(db))).findings).toEqual([])
    expect(db.query('SELECT outcome FROM calls').all()).toEqual([{ outcome: 'completed' }])
    db.close()
    const restarts = commands.join('').match(/systemctl restart tollgate/g)?.length
    expect(readFileSync(path('log'), 'utf8').match(/"message":"stopped"/g)).toHaveLength(restarts ?? 0)
  })

  test('an upgrade succeeds if [backup] reads its passphrase from the file of keys, which stays unchanged', async () => {
    const keys = path('etc/tollgate.env')
    appendFileSync(keys, "GEMINI_API_KEY_2=another-key\nBACKUP_PASSPHRASE='four words or more'\n")
    appendFileSync(
      path('var/lib/tollgate/tollgate.toml'),
      '\n[backup]\npassphrase = "env:BACKUP_PASSPHRASE"\n',
    )
    const before = readFileSync(keys, 'utf8')
    const [, unit = '', , upgrade = ''] = commandsOf('With systemd')
    expect(upgrade).toContain('tollgate backup')
    // A shell would run code in the file's values.
    expect(upgrade).not.toMatch(/(^|[;' ])\. \S*tollgate\.env/m)
    const { status, out, err } = await follow([unit, upgrade])
    expect({ status, err }).toMatchObject({ status: 0 })
    expect(out).toContain('Encrypted.')
    expect(readFileSync(keys, 'utf8')).toBe(before)
    expect(statSync(keys).mode & 0o777).toBe(0o600)
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200)
  })
})

describe('the health check of containers', () => {
  test('fails if no gateway runs', async () => {
    const [, check = '[]'] = /^HEALTHCHECK .* CMD (\[.*\])$/m.exec(read('data/Dockerfile')) ?? []
    const [program, ...words] = JSON.parse(check) as string[]
    expect(program).toBe('tollgate')
    using folder = temporary()
    const child = Bun.spawn([...commandOf('gateway'), ...words], {
      env: { ...process.env, TOLLGATE_DATA: folder.path },
      stdout: 'pipe',
    })
    expect(await child.stdout.text()).toContain('no gateway serves')
    expect(await child.exited).toBe(1)
  })
})
