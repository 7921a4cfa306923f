// The doctor: each trouble is found, at its level, with advice; healthy parts are ok.
import { Database } from 'bun:sqlite'
import { beforeEach, describe, expect, test } from 'bun:test'
import { chmodSync, chownSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createDoctor } from '../../plugins/doctor/check-up.ts'
import { checkFiles } from '../../plugins/doctor/checks/open-files.ts'
import { DoctorReport } from '../../plugins/doctor/report.ts'
import { checkReady } from '../../src/app/checks/ready.ts'
import { fits } from '../../src/domain/validation.ts'
import { createScene, NOW, sceneOfEachTest } from '../app/commands/scene.ts'
import { type CatalogueParts, catalogueOf } from '../support/catalogue.ts'
import { eventually } from '../support/eventually.ts'
import { accountFile } from '../support/google.ts'
import { commandOf } from '../support/programs.ts'

const IS_ROOT = process.geteuid?.() === 0
/** The user "nobody", who owns nothing here. */
const SERVICE = 65_534

const scene = sceneOfEachTest((scene) => {
  chmodSync(scene.dir, 0o700)
  chmodSync(scene.path('tollgate.toml'), 0o600)
})

async function runDoctor(): Promise<DoctorReport> {
  const { out } = await scene.run('doctor', '--json')
  const report: unknown = JSON.parse(out)
  if (!fits(DoctorReport, report)) throw new Error(`no report: ${out}`)
  return report
}

/** The findings of a check, as `level: found`. */
async function found(check: string): Promise<string[]> {
  const { findings } = await runDoctor()
  return findings
    .filter((finding) => finding.check.startsWith(check))
    .map((finding) => `${finding.level}: ${finding.found}`)
}

const catalogue = (text: string) => writeFileSync(scene.path('tollgate.toml'), text, { mode: 0o600 })
/** A catalogue of the simulator, with these parts. */
const simulated = (parts: Partial<CatalogueParts> = {}) =>
  catalogueOf({ upstream_url: 'simulator', ...parts })
const damage = (begins: string) => writeFileSync(scene.path('tollgate.db'), begins.padEnd(8_192, 'x'))

function setVersion(version: number): void {
  const db = new Database(scene.path('tollgate.db'))
  db.run(`PRAGMA user_version = ${version}`)
  db.close()
}

type Trouble = [what: string, check: string, says: string, spoil: () => void]

describe('a healthy folder', () => {
  test('has no failure, and the exit status is 0', async () => {
    const { status, out } = await scene.run('doctor')
    expect(out).not.toContain('fail  ')
    expect(status).toBe(0)
  })

  test('is reported in 80 columns', async () => {
    const { out } = await scene.run('doctor')
    expect(out.split('\n').filter((line) => line.length > 80)).toEqual([])
    expect(out).toMatch(/\n\nok: \d+, warnings: \d+, failed: 0\.$/)
  })

  test('is not changed', async () => {
    const before = readFileSync(scene.path('tollgate.db'))
    await scene.run('doctor')
    expect(readFileSync(scene.path('tollgate.db')).equals(before)).toBe(true)
  })
})

test.each([
  ['a cost above the price', 'cost = { input = 9, output = 9 }', '`tollgate prices list`'],
  ['a variable that is not set', '', 'Set the variable in the gateway'],
])('%s: the advice fits the warning', async (_case, cost, advice) => {
  const text = simulated()
  catalogue(
    cost === ''
      ? text.replace(/api_keys = .*/, 'api_keys = ["env:TOLLGATE_NOT_SET"]')
      : text.replace(/^routes = \[\{(.*?) \}/m, `routes = [{$1, ${cost} }`),
  )
  const { findings } = await runDoctor()
  const warnings = findings.filter(({ check, level }) => check === 'catalogue' && level === 'warn')
  expect(warnings.length).toBeGreaterThan(0)
  for (const warning of warnings) expect(warning.advice).toContain(advice)
})

describe('a trouble is found, and fails', () => {
  test.each([
    ['no catalogue', 'catalogue', 'fail: not found', () => rmSync(scene.path('tollgate.toml'))],
    [
      'a mistake in the catalogue',
      'catalogue',
      'fail: tollgate.toml:1: srever: unknown field',
      () => catalogue(`[srever]\n${simulated()}`),
    ],
    ['a folder that others may write', 'folder mode', 'fail: others', () => chmodSync(scene.dir, 0o777)],
    ['a damaged database', 'database', 'fail: it ', () => damage('SQLite format 3\0')],
    ['a database of a newer program', 'schema', 'fail: version 99', () => setVersion(99)],
    [
      'a missing certificate',
      'certificate',
      'fail: ',
      () => catalogue(simulated({ server: 'tls_certificate = "a.pem"\ntls_key = "a.key"' })),
    ],
    [
      'an expired certificate',
      'certificate',
      'fail: for DNS:images.example.com, valid until 2021-01-01: it has expired',
      () => certificate('expired'),
    ],
    ['a key of TLS that all may read', 'key of TLS', 'fail: every', () => certificate('right', 0o644)],
    [
      'an unreachable provider',
      'provider provider-one#1',
      'fail: it cannot be reached: ECONNREFUSED',
      () => catalogue(catalogueOf({ upstream_url: 'http://127.0.0.1:9' })),
    ],
  ] as readonly Trouble[])('%s', async (_case, check, says, spoil) => {
    spoil()
    expect((await found(check)).join('\n')).toContain(says)
    const { status, out } = await scene.run('doctor')
    expect(status).toBe(1)
    expect(out).toContain('To do:')
  })
})

function certificate(name: string, mode = 0o600): void {
  const fixtures = join(import.meta.dir, '../fixtures/tls')
  cpSync(join(fixtures, `${name}.pem`), scene.path('server.pem'))
  cpSync(join(fixtures, `${name}.key`), scene.path('server.key'))
  chmodSync(scene.path('server.key'), mode)
  const server = 'tls_certificate = "server.pem"\ntls_key = "server.key"'
  catalogue(simulated({ server }))
}

test.skipIf(!IS_ROOT)(
  'a key of TLS fails that the owner of the folder cannot read, although root can',
  async () => {
    certificate('right')
    chownSync(scene.dir, SERVICE, SERVICE)
    expect(await found('key of TLS')).toEqual([expect.stringContaining(`fail: user ${SERVICE}, who owns `)])
    chownSync(scene.path('server.key'), SERVICE, SERVICE)
    expect(await found('key of TLS')).toEqual([])
  },
)

describe('the advice to restore a backup is only for a damaged database', () => {
  const database = async (out: string) => {
    const { findings }: DoctorReport = JSON.parse(out)
    return findings.find(({ check }) => check === 'database')
  }

  test('a damaged database', async () => {
    damage('no database')
    const { out } = await scene.run('doctor', '--json')
    expect((await database(out))?.advice).toContain('restore the last backup')
  })

  test.skipIf(!IS_ROOT).each([
    ['a folder that cannot be looked into', 0o700],
    ['a folder that cannot be written', 0o755],
  ])('%s: the advice is to run as another user, and nothing is reported missing', async (_case, mode) => {
    chmodSync(scene.dir, mode)
    for (const name of ['tollgate.db', 'tollgate.toml']) chmodSync(scene.path(name), 0o644)
    const command = [...commandOf('as-user'), String(SERVICE), 'doctor', '--json', '--data', scene.dir]
    const ran = Bun.spawn(command, { env: { PATH: '', HOME: '/' }, stdout: 'pipe', stderr: 'pipe' })
    const out = await ran.stdout.text()
    expect(await database(out)).toMatchObject({
      level: 'fail',
      advice: expect.stringContaining('Run this as'),
    })
    expect(out).not.toContain('not found')
    expect(out).not.toContain('restore')
  })
})

test('a missing folder fails, and its catalogue, but nothing else', async () => {
  const out = (await createScene('nothing', join(scene.dir, 'none')).run('doctor', '--json')).out
  const { findings }: DoctorReport = JSON.parse(out)
  const failed = findings.filter(({ level }) => level === 'fail')
  expect(failed.map(({ check }) => check)).toEqual(['catalogue', 'data folder'])
})

describe('a possible trouble is a warning, and the exit status stays 0', () => {
  test.each([
    [
      'an emptied database',
      'schema',
      'warn: it has no tables',
      () => writeFileSync(scene.path('tollgate.db'), ''),
    ],
    [
      'a catalogue that others may read',
      'file mode',
      'warn: others may read tollgate.toml (mode 0644)',
      () => chmodSync(scene.path('tollgate.toml'), 0o644),
    ],
    ['an older database', 'schema', 'warn: version 3', () => setVersion(3)],
    [
      'a key of a provider that is not in the environment',
      'catalogue',
      'warn: tollgate.toml',
      () => catalogue(catalogueOf({ upstream_url: 'http://127.0.0.1:9', api_keys: ['env:NOT_THERE'] })),
    ],
    [
      'callers by plain HTTP',
      'certificate',
      'warn: plain HTTP at 0.0.0.0:8080',
      () => catalogue(simulated({ server: 'listen = "0.0.0.0:8080"' })),
    ],
    [
      'a certificate that ends soon',
      'certificate',
      'days',
      () => {
        scene.now_ms = Date.parse('2119-12-25T12:00:00Z')
        certificate('right')
      },
    ],
    [
      'no gateway runs',
      'address',
      'warn: no gateway runs here',
      () => catalogue(simulated({ server: 'listen = "127.0.0.1:0"' })),
    ],
  ] as readonly Trouble[])('%s', async (_case, check, says, spoil) => {
    spoil()
    expect((await found(check)).join('\n')).toContain(says)
    expect((await scene.run('doctor')).status).toBe(0)
  })
})

describe('backups', () => {
  const backup = (section: string) => catalogue(`${simulated()}\n[backup]\n${section}\n`)
  const makeBackup = async (age_ms: number) => {
    await scene.json('backup')
    scene.now_ms += age_ms
  }
  const HOUR_MS = 3_600_000
  const elsewhere = (port: number) =>
    `bucket = "home"\nendpoint = "http://127.0.0.1:${port}"\naccess_key_id = "k"\nsecret_access_key = "env:BACKUP_SECRET"\npassphrase = "long enough"`

  test.each([
    ['none, and no schedule', '', undefined, 'warn: none in '],
    ['none yet', 'at = "03:00"', undefined, 'warn: none yet in '],
    ['by hand, of today', '', HOUR_MS, 'ok: tollgate-'],
    ['by hand, of long ago', '', 9 * 24 * HOUR_MS, '9 days old, is the newest'],
    ['of the day before', 'at = "03:00"', 25 * HOUR_MS, 'ok: tollgate-'],
    ['one was not made', 'at = "03:00"', 27 * HOUR_MS, 'fail: tollgate-'],
    ['one of an hour was not made', 'every = "1h"', 4 * HOUR_MS, 'fail: tollgate-'],
    ['an unset variable', elsewhere(9), undefined, 'warn: not checked: the environment variable'],
  ] as const)('%s', async (_case, section, age_ms, says) => {
    backup(section)
    if (age_ms !== undefined) await makeBackup(age_ms)
    expect((await found('backups')).join()).toContain(says)
  })

  test('an unreachable bucket', async () => {
    backup(elsewhere(9).replace('env:BACKUP_SECRET', 'secret'))
    expect((await found('backups')).join()).toMatch(/^fail: The bucket home at .* failed/)
  })

  test('on the disk of the data folder', async () => {
    backup('')
    await makeBackup(0)
    expect((await found('backup place')).join()).toStartWith('warn: ')
  })

  test('older states are counted', async () => {
    expect(await found('older states')).toEqual([])
    mkdirSync(scene.path('before-restore-x/images'), { recursive: true })
    writeFileSync(scene.path('before-restore-x/images/a'), 'x'.repeat(1_500))
    writeFileSync(scene.path('tollgate.db.before-0008'), 'x'.repeat(500))
    expect((await found('older states')).join()).toStartWith(
      'ok: 2.0 kB of older states: before-restore-x, tollgate.db.before-0008',
    )
  })
})

describe('custom plugins', () => {
  test('none', async () => expect(await found('plugins')).toEqual(['ok: none']))

  test('are named, and not run', async () => {
    mkdirSync(scene.path('plugins'))
    writeFileSync(scene.path('plugins/a.ts'), 'throw new Error("run")')
    writeFileSync(scene.path('plugins/b.js'), '')
    expect(await found('plugins')).toEqual([expect.stringContaining('ok: a.ts;'), 'warn: not loaded: b.js'])
  })

  test('a file in place of the folder', async () => {
    writeFileSync(scene.path('plugins'), '')
    expect((await found('plugins')).join()).toMatch(/^fail: .* is a file/)
  })
})

describe('the limit of open files', () => {
  const limits = (soft: string) =>
    `Limit    Soft Limit   Hard Limit   Units\nMax open files            ${soft}         524288        files\n`
  test.each([
    ['1024', 'warn'],
    ['4095', 'warn'],
    ['4096', 'ok'],
    ['65536', 'ok'],
    ['unlimited', 'ok'],
  ])('%s is %s', (soft, level) => {
    expect(checkFiles(limits(soft)).map((finding) => finding.level)).toEqual([level as 'ok'])
  })

  test('is not checked on another system', () => expect(checkFiles('')).toEqual([]))
})

describe('the check of a provider requests its list of models, which costs nothing', () => {
  let answer: { status: number; date: number } = { status: 200, date: NOW }
  const requests: { method: string; path: string; key: string | null }[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const { headers, method, url } = request
      requests.push({ method, path: new URL(url).pathname, key: headers.get('x-goog-api-key') })
      return new Response('provider-secret-one', {
        status: answer.status,
        headers: { date: new Date(answer.date).toUTCString() },
      })
    },
  })
  beforeEach(() => {
    requests.length = 0
    catalogue(catalogueOf({ upstream_url: `http://127.0.0.1:${server.port}` }))
  })

  test.each([
    [200, 'ok: status 200: it lists its models'],
    [401, 'fail: status 401: it refuses the key'],
    [403, 'fail: status 403: it refuses the key'],
    [404, 'ok: status 404: it has no list'],
    [429, 'warn: status 429'],
    [302, 'warn: status 302: it answers, but not as an API'],
    [503, 'warn: status 503'],
  ])('status %d', async (status, says) => {
    answer = { status, date: NOW }
    expect(await found('provider provider-one#1')).toEqual([expect.stringContaining(says)])
    expect(requests).toEqual([{ method: 'GET', path: '/v1beta/models', key: 'provider-secret-one' }])
  })

  test.each([
    [0, 'ok: 0 s'],
    [20_000, 'ok: 20 s behind'],
    [-20_000, 'ok: 20 s ahead of'],
    [60_000, 'warn: 60 s behind'],
    [-60_000, 'warn: 60 s ahead of'],
    [-600_000, 'fail: 600 s ahead of'],
  ])('a provider whose clock is %d ms ahead', async (ahead_ms, says) => {
    answer = { status: 200, date: NOW + ahead_ms }
    expect((await found('clock'))[0]).toMatch(
      new RegExp(`^${says.replace(/\d+/, (seconds) => `(${seconds}|${Number(seconds) + 1})`)}`),
    )
  })

  test('the report has no key', async () => {
    answer = { status: 401, date: NOW }
    expect(JSON.stringify(await runDoctor())).not.toContain('provider-secret')
  })
})

test('the check requests the gateway directly, in spite of a proxy in the environment', async () => {
  using gateway = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('ready') })
  process.env.HTTP_PROXY = 'http://127.0.0.1:9'
  try {
    await expect(fetch(gateway.url)).rejects.toThrow()
    expect(await checkReady(gateway.url.origin)).toMatchObject({ level: 'ok' })
  } finally {
    delete process.env.HTTP_PROXY
  }
})

test.each([
  ['before its head', () => new Promise<Response>(() => {})],
  ['within its body', () => new Response(new ReadableStream({ start: (body) => body.enqueue('{') }))],
])('a gateway that stops answering %s is not reported as one that does not run', async (_case, hang) => {
  using gateway = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: hang })
  expect(await checkReady(gateway.url.origin, 200)).toMatchObject({
    level: 'fail',
    found: expect.stringContaining('has not answered within'),
  })
  await gateway.stop(true)
})

test('a check-up on request, in a process of its own, of a folder with a space in its name', async () => {
  const dir = join(scene.dir, 'a folder')
  mkdirSync(dir)
  const doctor = createDoctor(dir, Date.now)
  doctor.begin()
  await eventually('the check-up ended', () => doctor.running_since_ms === undefined)
  expect(doctor.failure).toBeUndefined()
  expect(doctor.last?.report.healthy).toBe(false)
  expect(doctor.last?.report.findings[0]).toMatchObject({ check: 'catalogue', level: 'fail' })
})

describe('the file of a service account', () => {
  const named = (file: string, more = '') =>
    catalogue(
      `[[providers]]\nname = "vertex"\nserver = "vertex"\napi_keys = ["file:${file}"]\n${more}\n[[models]]\nid = "m"\nkind = "text"\nroutes = [{ provider = "vertex", model = "x" }]\nprice = { input = 1, output = 1 }\n`,
    )
  const put = (mode: number) =>
    writeFileSync(scene.path('v.json'), accountFile('http://127.0.0.1:1'), { mode })

  test('that is missing', async () => {
    named('v.json')
    expect(await found('catalogue')).toContainEqual(
      expect.stringMatching(/^warn: .* needs the file v\.json, which cannot be read \(not found\)/),
    )
  })

  test('that every user can read fails, and so does a token server without an answer', async () => {
    put(0o644)
    named('v.json')
    expect(await found('key file')).toEqual([
      `fail: every user of this machine can read ${scene.path('v.json')}`,
    ])
    expect(await found('provider vertex#1')).toEqual([
      expect.stringMatching(/^fail: no access token for the service account: /),
    ])
  })

  test.if(IS_ROOT)('that the user of the gateway cannot read', async () => {
    put(0o600)
    named('v.json')
    chownSync(scene.dir, SERVICE, SERVICE)
    expect(await found('key file')).toEqual([expect.stringContaining(`cannot read ${scene.path('v.json')}`)])
  })

  test('that only its owner can read', async () => {
    put(0o600)
    named('v.json')
    expect(await found('key file')).toEqual([])
  })
})

describe('models that end', () => {
  const model = (more: string, route = '') => `
[[models]]
id = "ending"
kind = "text"
price = { input = 1, output = 4 }
routes = [{ provider = "provider-one", model = "m"${route} }, { provider = "provider-one", model = "n" }]
${more}
`
  /** A day, counted from the day of the check. */
  const day = (days: number) => new Date(NOW + days * 86_400_000).toISOString().slice(0, 10)

  const NONE = 'ok: no model ends within 30 days, by the dates in the catalogue'
  const ends = (days: number) => `shutdown_date = "${day(days)}"`
  test.each<[about: string, more: string, says: string]>([
    ['none has a date', model(''), NONE],
    ['one in a month', model(ends(31)), NONE],
    ['one in 30 days', model(ends(30)), `warn: ending ends on ${day(30)}, in 30 days`],
    ['one tomorrow', model(ends(1)), `warn: ending ends on ${day(1)}, in 1 day`],
    ['one today', model(ends(0)), `warn: ending ends on ${day(0)}, today`],
    ['one yesterday', model(ends(-1)), `warn: ending ended on ${day(-1)}`],
    [
      'a route of two',
      model('', `, ${ends(2)}`),
      `warn: ending: its route provider-one:m ends on ${day(2)}, in 2 days`,
    ],
    ['a retired one', model(`retired = true\n${ends(-1)}`), NONE],
  ])('%s', async (_, more, says) => {
    catalogue(simulated({ more }))
    expect(await found('models')).toEqual([says])
  })
})
