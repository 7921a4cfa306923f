// The fingerprint of a catalogue: what makes two of them different, and what does not.
import { expect, test } from 'bun:test'
import { fingerprintOf } from '../../src/catalogue/fingerprint.ts'

const BASE = `[server]
listen = "127.0.0.1:8080"
log_level = "info"

[[providers]]
name = "main"
api_keys = ["env:KEY"]

[[models]]
id = "m"
price = { input = 1.0, output = 2.0 }
`

const EQUAL: readonly (readonly [what: string, text: string])[] = [
  ['a comment', `# ours\n${BASE}`],
  ['spaces', BASE.replaceAll(' = ', '   =  ')],
  [
    'the order of settings',
    BASE.replace(
      'listen = "127.0.0.1:8080"\nlog_level = "info"',
      'log_level = "info"\nlisten = "127.0.0.1:8080"',
    ),
  ],
  [
    'the order of sections',
    `${BASE.slice(BASE.indexOf('[[providers'))}\n${BASE.slice(0, BASE.indexOf('[[providers'))}`,
  ],
  ['where a machine listens', BASE.replace('127.0.0.1:8080', '0.0.0.0:9090')],
  ['its certificate', BASE.replace('[server]', '[server]\ntls_certificate = "a.pem"\ntls_key = "b.pem"')],
  ['where its metrics are', `${BASE}\n[metrics]\nlisten = "127.0.0.1:9464"\n`],
  ['its folder of backups', `${BASE}\n[backup]\nfolder = "/mnt/a"\n`],
  ['its storage', `${BASE}\n[storage]\ndatabase = "env:DATABASE_URL"\n`],
]

const OTHER: readonly (readonly [what: string, text: string])[] = [
  ['a price', BASE.replace('2.0', '2.5')],
  ['a setting of the server', BASE.replace('"info"', '"debug"')],
  ['the name of a variable', BASE.replace('env:KEY', 'env:OTHER')],
  ['a written key', BASE.replace('env:KEY', 'sk-1')],
  ['a further model', `${BASE}\n[[models]]\nid = "n"\n`],
  ['the order of models', `[[models]]\nid = "n"\n\n${BASE}`],
  ['a token of the metrics', `${BASE}\n[metrics]\ntoken = "t"\n`],
  ['what is no TOML', '[server'],
]

test.each(EQUAL)('%s makes no difference', (_, text) => {
  expect(fingerprintOf(text)).toBe(fingerprintOf(BASE))
})

test.each(OTHER)('%s makes a difference', (_, text) => {
  expect(fingerprintOf(text)).not.toBe(fingerprintOf(BASE))
})
