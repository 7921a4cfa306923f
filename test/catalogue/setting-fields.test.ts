// The settings of the catalogue as fields of a form: one for each setting of its schemas, and no other.
import { expect, test } from 'bun:test'
import { settingSections } from '../../plugins/catalogue/setting-fields.ts'
import { sectionSchemas } from '../../src/catalogue/sections.ts'

const field = (dotted: string) =>
  settingSections()
    .flatMap(({ name, fields }) => fields.map((field) => ({ ...field, path: [name, ...field.path] })))
    .find(({ path }) => path.join('.') === dotted)

test('each section has its fields in the order of its schema', () => {
  // [plugins] has tables alone, by the names of custom plugins.
  const names = Object.keys(sectionSchemas()).filter((name) => name !== 'plugins')
  expect(settingSections().map(({ name }) => name)).toEqual(names)
})

test.each([
  ['server.listen', 'text', '127.0.0.1:8080'],
  ['server.public_url', 'text', null],
  ['server.trusted_proxies', 'list', null],
  ['server.env_names', 'list', '*_API_KEY, AWS_BEARER_TOKEN_BEDROCK'],
  ['server.log_level', 'choice', 'info'],
  ['server.shutdown_timeout_ms', 'number', 30_000],
  ['console.insecure_http', 'switch', false],
  ['limits.account.requests_per_minute', 'number', null],
  ['limits.key.concurrent_calls', 'number', null],
  ['limits.reads_per_minute', 'number', 600],
  ['limits.images_per_minute', 'number', 30],
] as const)('%s is a %s, %p by default', (path, kind, fallback) => {
  expect(field(path)).toMatchObject({ kind, fallback })
})

test('a choice has its options', () => {
  expect(field('server.log_level')?.options).toEqual(['debug', 'info', 'warn', 'error'])
})

test('each field has a description', () => {
  const fields = settingSections().flatMap((section) => section.fields)
  expect(fields.filter(({ description }) => description === '')).toEqual([])
})

test.each(['limits.accounts', 'limits.keys', 'server.nothing'])('%s has no field', (path) => {
  expect(field(path)).toBeUndefined()
})
