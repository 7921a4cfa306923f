// Settings of one machine in a catalogue: recognized, taken out of a text, and put in.
import { describe, expect, test } from 'bun:test'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { readCatalogue } from '../../src/catalogue/load.ts'
import { withMachine, withoutMachine } from '../../src/catalogue/machine-text.ts'
import {
  isOfTheMachine,
  machinePathsIn,
  mergeMachine,
  sharedFieldsIn,
} from '../../src/catalogue/of-the-machine.ts'
import { readToml, type TomlDocument } from '../../src/catalogue/toml.ts'
import { BUILT_IN_REGISTRY } from '../../src/protocols/registry.ts'
import { CATALOGUE } from './catalogues.ts'

const MACHINE = `[server]
listen = "0.0.0.0:9000"
tls_certificate = "a.pem"
tls_key = "b.pem"
log_level = "debug"

[metrics]
listen = "127.0.0.1:9464"
token = "env:TOKEN"

[backup]
folder = "/mnt/a"
keep = 3

[storage]
database = "env:DATABASE_URL"
`

function documentOf(text: string): TomlDocument {
  const reading = readToml(text)
  if (!reading.ok) throw new Error(reading.message)
  return reading
}

describe('settings', () => {
  test.each([
    ['server.listen', true],
    ['server.tls_key', true],
    ['storage', true],
    ['storage.database', true],
    ['backup.folder', true],
    ['metrics.listen', true],
    ['server', false],
    ['server.log_level', false],
    ['backup.bucket', false],
    ['models[0].listen', false],
    ['constructor.name', false],
    ['', false],
  ])('%s belongs to one machine: %p', (path, is) => {
    expect(isOfTheMachine(path)).toBe(is)
  })

  test('of a file are listed by name', () => {
    const { value } = documentOf(MACHINE + CATALOGUE)
    expect(machinePathsIn(value).map((path) => path.join('.'))).toEqual([
      'server.listen',
      'server.tls_certificate',
      'server.tls_key',
      'metrics.listen',
      'backup.folder',
      'storage',
    ])
    expect(sharedFieldsIn(value)).toEqual([
      'server.log_level',
      'metrics.token',
      'backup.keep',
      'providers',
      'models',
    ])
  })

  test('a file with settings of the machine alone has no shared ones', () => {
    expect(
      sharedFieldsIn(documentOf('[server]\nlisten = "[::1]:1"\n[storage]\nfiles = "s3://abc"\n').value),
    ).toEqual([])
  })
})

describe('a text', () => {
  test.each([
    ['has no such settings', CATALOGUE],
    ['is empty', ''],
    ['is not TOML', 'a = '],
  ])('that %s stays unchanged', (_, text) => {
    expect(withoutMachine(text)).toEqual({ text, left_out: [] })
  })

  test('without the settings of a machine keeps all else, comments too', () => {
    const { text, left_out } = withoutMachine(`# ours\n${MACHINE}${CATALOGUE}`)
    expect(left_out).toEqual([
      'server.listen',
      'server.tls_certificate',
      'server.tls_key',
      'metrics.listen',
      'backup.folder',
      'storage',
    ])
    expect(machinePathsIn(documentOf(text).value)).toEqual([])
    expect(text).toContain('# ours')
    expect(text).toContain('log_level = "debug"')
    expect(text).toContain(CATALOGUE.trim())
    expect(withoutMachine(text).text).toBe(text)
  })

  test.each([
    ['in tables', CATALOGUE],
    ['with another place to listen', `[server]\nlisten = "1.1.1.1:1"\n${CATALOGUE}`],
    ['with dotted keys', `server.listen = "1.1.1.1:1"\nserver.log_level = "warn"\n${CATALOGUE}`],
    ['in one line', `server = { listen = "1.1.1.1:1", log_level = "warn" }\n${CATALOGUE}`],
    ['as the first start writes it', FIRST_CATALOGUE],
  ])('%s merges with the settings of a machine', (_, text) => {
    const whole = withMachine(text, documentOf(MACHINE).value)
    const { value } = documentOf(whole)
    expect(value).toEqual(mergeMachine(documentOf(text), documentOf(MACHINE)).value)
    expect(value).toMatchObject({
      server: { listen: '0.0.0.0:9000', tls_key: 'b.pem' },
      metrics: { listen: '127.0.0.1:9464' },
      backup: { folder: '/mnt/a' },
      storage: { database: 'env:DATABASE_URL' },
    })
  })
})

describe('the catalogue in force on a machine', () => {
  const read = (text: string, machine: string) =>
    readCatalogue(text, { env: { KEY: 'k' }, protocols: BUILT_IN_REGISTRY, machine: documentOf(machine) })

  test('is the text, with the settings of the machine over those of the text', () => {
    const reading = read(
      `[server]\nlisten = "1.1.1.1:1"\nlog_level = "warn"\n${CATALOGUE}`,
      '[server]\nlisten = "127.0.0.1:7000"\nlog_level = "debug"\n',
    )
    expect(reading).toMatchObject({
      ok: true,
      catalogue: { server: { listen: '127.0.0.1:7000', log_level: 'warn' } },
    })
  })

  test('has the default of a setting that the machine does not set', () => {
    expect(read(`[server]\nlisten = "1.1.1.1:1"\n${CATALOGUE}`, '')).toMatchObject({
      ok: true,
      catalogue: { server: { listen: '127.0.0.1:8080' }, storage: { database: undefined } },
    })
  })

  test.each([
    ['of the text has its line', `\n\n[limits]\nreads = 1\n${CATALOGUE}`, '', 'limits.reads', 4],
    ['of the machine has its own line', CATALOGUE, '\n\n[server]\nlisten = "x"\n', 'server.listen', 4],
    [
      'of both has that of the machine',
      `[backup]\nbucket = "abc"\nrecipient = "age1abcdefghijklmnopqrst"\naccess_key_id = "env:KEY"\nsecret_access_key = "env:KEY"\n${CATALOGUE}`,
      '\n[backup]\nfolder = "/mnt"\n',
      'backup.folder',
      3,
    ],
  ])('a mistake %s', (_, text, machine, path, line) => {
    const reading = read(text, machine)
    expect(reading.ok ? [] : reading.mistakes.map(({ path, line }) => [path, line])).toEqual([[path, line]])
  })
})
