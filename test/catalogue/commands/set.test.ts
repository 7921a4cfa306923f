// `config set`: settings by their names, all or none; the file keeps its comments and keys.
import { describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { sceneOfEachTest } from '../../app/commands/scene.ts'
import { acmeText } from '../catalogues.ts'

const TEXT = acmeText('secret-of-acme-1')
const scene = sceneOfEachTest((scene) => {
  writeFileSync(scene.path('tollgate.toml'), TEXT)
  return Promise.resolve()
})
const file = () => readFileSync(scene.path('tollgate.toml'), 'utf8')
const set = (...settings: string[]) => scene.run('config', 'set', ...settings)

describe('config set', () => {
  test.each([
    ['server.log_level=warn', '[server]\nlog_level = "warn"'],
    ['server.trusted_proxies=10.0.0.0/8, ::1', 'trusted_proxies = ["10.0.0.0/8", "::1"]'],
    ['limits.images_per_minute=7', '[limits]\nimages_per_minute = 7'],
    ['limits.accounts.alice.requests_per_minute=60', 'alice = { requests_per_minute = 60 }'],
    ['limits.keys."sk-...aB3d".concurrent_calls=2', '"sk-...aB3d" = { concurrent_calls = 2 }'],
    ['responses.store=false', 'store = false'],
    ['alerts.account_daily_usd=12.5', 'account_daily_usd = 12.5'],
    ['metrics.token=env:ANY_VARIABLE', 'token = "env:ANY_VARIABLE"'],
    ['backup.at=03:00', '[backup]\nat = "03:00"'],
  ])('%s', async (setting, lines) => {
    const { status, out } = await set(setting)
    expect([status, out]).toEqual([0, expect.stringContaining('A running gateway picks it up.')])
    expect(file()).toContain(lines)
    expect(file()).toStartWith(TEXT.trimEnd())
  })

  test('several at once, and one taken out', async () => {
    await set('server.log_level=warn', 'limits.reads_per_minute=5')
    const { status } = await set('server.log_level=', 'limits.reads_per_minute=6')
    expect(status).toBe(0)
    expect(file()).not.toContain('log_level')
    expect(file()).toContain('reads_per_minute = 6')
  })

  test('an identity provider is added by its name, changed by it or its place, and taken out', async () => {
    const URL = 'server.public_url=https://ai.example.com'
    const KC = ['sign_in.oidc.kc.issuer=https://id.example.com', 'sign_in.oidc.kc.client_id=1234']
    expect((await set(URL, ...KC)).status).toBe(0)
    expect(
      (await set('sign_in.oidc.hub.preset=google', 'sign_in.oidc.hub.client_id=b', 'sign_in.oidc.0.title=KC'))
        .status,
    ).toBe(0)
    expect((await set('sign_in.oidc.hub.email_domains=a.example,b.example')).status).toBe(0)
    expect(Bun.TOML.parse(file())).toMatchObject({
      sign_in: {
        oidc: [
          { name: 'kc', client_id: '1234', title: 'KC' },
          { name: 'hub', preset: 'google', email_domains: ['a.example', 'b.example'] },
        ],
      },
    })
    expect((await set('sign_in.oidc.kc=')).status).toBe(0)
    expect(Bun.TOML.parse(file())).toMatchObject({ sign_in: { oidc: [{ name: 'hub' }] } })
  })

  test.each([
    [['server.log_level=loud'], /Must be/],
    [
      ['sign_in.oidc.kc.issuer=https://id.example.com', 'sign_in.oidc.kc.client_id=x'],
      /needs public_url in \[server\]/,
    ],
    [
      ['server.public_url=https://ai.example.com', 'sign_in.oidc.kc.client_id=x'],
      /is missing: write the address/,
    ],
    [['sign_in.oidc.0.client_id=x'], /sign_in\.oidc "0" not found\. There are: none\. Add one by a name/],
    [['sign_in.oidc.kc='], /sign_in\.oidc "kc" not found/],
    [['sign_in.oidc.kc=x'], /sign_in\.oidc "kc" not found/],
    [['sign_in.oidc=x'], /must be a list/i],
    [['limits.images_per_minute=7', 'server.shutdown_timeout_ms=soon'], /whole number/],
    [['server.nothing=1'], /./],
    [['backup.folder=/tmp'], /in the file on the server/],
    [['storage.database=postgres://h/d'], /tollgate migrate/],
    [['models.0.id=x'], /Model "0" not found/],
    [['models.gpt.price='], /./],
    [['providers.nobody.base_url=https://a.example'], /Provider "nobody" not found/],
    [['models.x=1'], /must be NAME=VALUE of a section/],
    [['server.log_level'], /must be NAME=VALUE of a section/],
    [['server=1'], /must be NAME=VALUE of a section/],
    [['=1'], /must be NAME=VALUE of a section/],
  ])('%p is refused, and nothing is written', async (settings, words) => {
    const { status, err } = await set(...settings)
    expect(status).not.toBe(0)
    expect(err).toMatch(words)
    expect(file()).toBe(TEXT)
  })

  test('a file with mistakes is refused with them', async () => {
    writeFileSync(scene.path('tollgate.toml'), `${TEXT}\n[server]\nlisten = 1\n`)
    const { status, err } = await set('server.log_level=warn')
    expect([status, err]).toEqual([expect.any(Number), expect.stringContaining('server.listen')])
    expect(status).not.toBe(0)
    expect(file()).not.toContain('warn')
  })
})
