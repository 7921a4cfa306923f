// Files applied as the catalogue of all gateways: keys and mistakes are reported with their lines.
import { describe, expect, test } from 'bun:test'
import { applied } from '../../src/catalogue/applied.ts'
import { FIRST_CATALOGUE } from '../../src/catalogue/first.ts'
import { BUILT_IN_REGISTRY } from '../../src/protocols/registry.ts'
import { MODEL, PROVIDER } from './catalogues.ts'

const NAMED = PROVIDER.replace('"key-1"', '"env:ACME_API_KEY"')
const GOOD = NAMED + MODEL
const MACHINE = '[storage]\ndatabase = "env:DATABASE_URL"\n'
const env = {
  ACME_API_KEY: 'secret-of-acme-1',
  DATABASE_URL: 'postgres://me:password-9@db.internal/x?sslmode=disable',
}

const apply = (file: string, { machine = MACHINE, own = env as Record<string, string> } = {}) =>
  applied(file, { env: own, protocols: BUILT_IN_REGISTRY, path: '/nowhere/tollgate.toml', machine })
const mistakesOf = (file: string) =>
  apply(file).mistakes.map(({ path, line, message }) => `${line} ${path}: ${message}`)

describe('a key', () => {
  const LITERAL = 'must name a variable, as "env:NAME": no key is written to the database.'
  const SEEMING = 'has what looks like a key: take it out, or name a variable, as "env:NAME".'
  test.each<[what: string, file: string, mistakes: string[]]>([
    ['of a provider', PROVIDER + MODEL, [`6 providers[0].api_keys[0]: ${LITERAL}`]],
    [
      'in a header',
      `${NAMED}headers = { "x-org" = "org-secret-12345" }\n${MODEL}`,
      [`7 providers[0].headers.x-org: ${LITERAL}`],
    ],
    [
      'of the webhook, below settings that are left out',
      `[server]\nlisten = "127.0.0.1:1"\n[alerts]\nwebhook_url = "https://hooks.example.com/services/T0/B0/hook-token-4"\nwebhook_secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"\n${GOOD}`,
      [`4 alerts.webhook_url: ${LITERAL}`, `5 alerts.webhook_secret: ${LITERAL}`],
    ],
    [
      'of backups',
      `[backup]\npassphrase = "a long one of six words"\n${GOOD}`,
      [`2 backup.passphrase: ${LITERAL}`],
    ],
    [
      'in a comment',
      `[storage]\nfiles = "s3://bucket-of-ours"\nendpoint = "https://s3.example.com"\naccess_key_id = "env:A"\nsecret_access_key = "env:A"\n\n# api_keys = ["an-old-key-1234"]\n${GOOD}`,
      [`7 : ${SEEMING}`],
    ],
    [
      'of the environment, repeated in a name',
      GOOD.replace('kind = "text"', 'kind = "text"\ndisplay_name = "secret-of-acme-1"'),
      [`11 : ${SEEMING}`],
    ],
    [
      'that the console or a command has hidden',
      GOOD.replace('env:ACME_API_KEY', 'hidden:AAAAAAAA'),
      [`6 providers[0].api_keys[0]: ${LITERAL}`],
    ],
  ])('%s is reported with its line', (_, file, mistakes) => {
    const found = mistakesOf(file)
    expect(found.map((each, at) => each.startsWith(mistakes[at] ?? 'none'))).toEqual(mistakes.map(() => true))
    expect(found.join()).not.toMatch(/secret-12345|hook-token|whsec|six words|old-key|secret-of-acme/)
  })

  test('of the storage is left out with its section', () => {
    const { text, left_out, mistakes } = apply(`${GOOD}\n[storage]\ndatabase = "${env.DATABASE_URL}"\n`)
    expect({ left_out, mistakes }).toEqual({ left_out: ['storage'], mistakes: [] })
    expect(text).not.toContain('password-9')
  })
})

describe('other mistakes', () => {
  test.each<[string, file: string, line: string]>([
    ['text that is not TOML', `${GOOD}\nx = `, '14 : is not TOML'],
    ['no providers', MODEL, '1 providers: is missing'],
    [
      'of a model, below a section that is left out',
      `${MACHINE}${NAMED}${MODEL.replace('input =', 'inputs =')}`,
      '14 models[0].price.input: is missing',
    ],
  ])('%s', (_, file, line) => {
    expect(mistakesOf(file)[0]).toStartWith(line)
  })

  test('of the file of this machine are reported by its lines', () => {
    const { mistakes } = apply(GOOD, { machine: `${MACHINE}[server]\nlisten = "nowhere"\n` })
    expect(mistakes).toMatchObject([{ path: 'server.listen', line: 4 }])
  })
})

test('the first catalogue has no mistakes', () => {
  expect(apply(FIRST_CATALOGUE)).toMatchObject({ left_out: ['server.listen'], mistakes: [] })
})

test('a variable that is not set here is a warning', () => {
  const { mistakes, warnings } = apply(GOOD, { own: { DATABASE_URL: env.DATABASE_URL } })
  expect(mistakes).toEqual([])
  expect(warnings.map(({ message }) => message).join()).toContain('ACME_API_KEY')
})

test('a byte order mark is removed', () => {
  expect(apply(`\uFEFF${GOOD}`)).toEqual({ text: GOOD, left_out: [], mistakes: [], warnings: [] })
})
