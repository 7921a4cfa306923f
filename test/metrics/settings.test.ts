// The sections [metrics] and [telemetry]: valid settings, mistakes, hidden secrets, and variables that are not set.
import { describe, expect, test } from 'bun:test'
import { metrics_section, telemetry_section } from '../../plugins/metrics/settings.ts'
import { hideSecrets, restoreSecrets } from '../../src/catalogue/hidden-text.ts'
import { createRedactor, secretsOf } from '../../src/observe/redact.ts'
import { CATALOGUE, catalogueOf, mistakesOf, read } from '../catalogue/catalogues.ts'

const TOKEN = 'the-token-of-the-metrics'
const HEADER = 'the-header-of-the-collector'
const metrics = (lines: string) => `[metrics]\n${lines}\n${CATALOGUE}`
const telemetry = (lines: string) => `[telemetry]\n${lines}\n${CATALOGUE}`

test('both are off by default', () => {
  const catalogue = catalogueOf(CATALOGUE)
  const [metrics, telemetry] = [metrics_section.of(catalogue), telemetry_section.of(catalogue)]
  expect([metrics.token, metrics.listen, telemetry.endpoint]).toEqual([undefined, undefined, undefined])
  expect(telemetry).toMatchObject({ headers: {}, sample: 1, service_name: 'tollgate' })
})

test.each(['127.0.0.1:9464', '127.9.9.9:1', 'localhost:9464', '[::1]:9464'])(
  'metrics may listen on %s',
  (listen) => {
    expect(metrics_section.of(catalogueOf(metrics(`listen = "${listen}"`))).listen).toBe(listen)
  },
)

test.each([
  '0.0.0.0:9464',
  '[::]:9464',
  '192.168.1.7:9464',
  '128.0.0.1:9464',
  '127.example.com:9464',
  'localhost.example:9464',
  '[::ffff:7f00:1]:9464',
])('metrics may not listen on %s: the message says what to do', (listen) => {
  const [mistake = ''] = mistakesOf(metrics(`listen = "${listen}"`))
  expect(mistake).toStartWith(
    '2 metrics.listen: must be an address of this machine, such as "127.0.0.1:9464"',
  )
  expect(mistake).toContain('set metrics.token')
})

test.each([
  ['127.0.0.1:8080', '127.0.0.1:8080', true],
  ['0.0.0.0:8080', '127.0.0.1:8080', true],
  ['[::]:8080', '[::1]:8080', true],
  ['0.0.0.0:8080', '127.0.0.1:18080', false],
  ['127.0.0.1:8080', '127.0.0.1:9464', false],
  ['127.0.0.1:0', '127.0.0.1:0', false],
])('with the gateway at %s metrics at %s are a mistake: %s', (server, listen, is_mistake) => {
  const text = `[server]\nlisten = "${server}"\n${metrics(`listen = "${listen}"`)}`
  const mistakes = is_mistake ? [expect.stringContaining('must be another address than server.listen')] : []
  expect(mistakesOf(text)).toEqual(mistakes)
})

test.each([
  ['listen = "9464"', 'metrics.listen: must be address:port on this machine'],
  ['token = ""', 'metrics.token: must not be empty'],
  ['token = "the token of the metrics"', 'metrics.token: must be of letters, digits and signs of ASCII'],
  ['token = "the-tökens-of-the-metrics"', 'metrics.token: must be of letters, digits and signs of ASCII'],
  ['token = "short"', 'metrics.token: must have at least 16 characters'],
  ['token = "$TOKEN"', 'metrics.token: would be the secret itself: write "env:TOKEN"'],
  ['tokn = "x"', 'metrics.tokn: unknown field; did you mean "token"?'],
])('%s is a mistake', (line, message) => {
  expect(mistakesOf(metrics(line))[0]).toContain(message)
})

test.each([
  ['http://127.0.0.1:4318', 'http://127.0.0.1:4318/v1/traces'],
  ['http://127.0.0.1:4318/', 'http://127.0.0.1:4318/v1/traces'],
  ['https://otlp.example/prefix', 'https://otlp.example/prefix/v1/traces'],
  ['https://otlp.example/v1/traces', 'https://otlp.example/v1/traces'],
  ['https://otlp.example/a/v1/traces/', 'https://otlp.example/a/v1/traces'],
])('spans for %s go to %s', (endpoint, url) => {
  expect(telemetry_section.of(catalogueOf(telemetry(`endpoint = "${endpoint}"`))).endpoint).toBe(url)
})

test.each([
  ['endpoint = "127.0.0.1:4318"', 'telemetry.endpoint: must be a URL, such as "http://127.0.0.1:4318"'],
  ['endpoint = "http://["', 'telemetry.endpoint: must be a complete address'],
  ['endpoint = "https://me:secret@otlp.example"', 'put secrets in telemetry.headers'],
  ['endpoint = "https://otlp.example?key=secret"', 'put secrets in telemetry.headers'],
  ['sample = 1.5', 'telemetry.sample: must be'],
  ['sample = -1', 'telemetry.sample: must be'],
  ['service_name = ""', 'telemetry.service_name: must'],
  ['headers = { "a b" = "c" }', 'must be a name and a value that HTTP allows'],
  ['headers = { a = "" }', 'must not be empty'],
])('%s is a mistake', (line, message) => {
  const [mistake = ''] = mistakesOf(telemetry(line))
  expect(mistake).toContain(message)
  expect(mistake).not.toContain('me:secret')
})

describe('a variable that is not set', () => {
  test.each([
    [metrics('token = "env:TOKEN"'), 'TOKEN', 'there is no /metrics'],
    [telemetry('endpoint = "http://a"\nheaders = { h = "env:HEADER" }'), 'HEADER', 'no spans are sent'],
  ])('turns its feature off, with a warning', (text, variable, so) => {
    const reading = read(text)
    if (!reading.ok) throw new Error('the text has mistakes')
    const { catalogue } = reading
    expect([metrics_section.of(catalogue).token, telemetry_section.of(catalogue).endpoint]).toEqual([
      undefined,
      undefined,
    ])
    expect(reading.warnings.map(({ message }) => message)).toEqual([
      `needs the environment variable ${variable}, which is not set: ${so}. Set it, and start again`,
    ])
  })

  test('is read once it is set', () => {
    const catalogue = catalogueOf(metrics('token = "env:TOKEN"'), { TOKEN: ` ${TOKEN}\n` })
    expect(metrics_section.of(catalogue).token).toBe(TOKEN)
  })
})

describe('the secrets', () => {
  const text = `[metrics]\ntoken = "${TOKEN}"\n[telemetry]\nendpoint = "https://otlp.example"\nheaders = { authorization = "${HEADER}" }\n${CATALOGUE}`
  const hidden = hideSecrets(text, createRedactor([]))
  if (!hidden) throw new Error('the text is not TOML')

  test('are known to the redactor of the log', () => {
    expect(secretsOf(catalogueOf(text))[0]).toEqual(expect.arrayContaining([TOKEN, HEADER]))
  })

  test('are hidden, and come back', () => {
    for (const secret of [TOKEN, HEADER]) expect(hidden.text).not.toContain(secret)
    expect(restoreSecrets(hidden.text, hidden)).toMatchObject({ text, mistakes: [] })
  })

  test.each([
    ['the collector', (text: string) => text.replace('otlp.example', 'evil.example'), [1, 0]],
    [
      'a provider',
      (text: string) => text.replace(/api_keys = .*/, `api_keys = [${/"hidden:[^"]+"/.exec(text)?.[0]}]`),
      [1, 1],
    ],
    [
      'a readable field',
      (text: string) =>
        text.replace('endpoint = "https://otlp.example"', `endpoint = ${/"hidden:[^"]+"/.exec(text)?.[0]}`),
      [1, 0],
    ],
  ])('are not sent to another address by a change of %s', (_, change, counts) => {
    const { mistakes, text: restored } = restoreSecrets(change(hidden.text), hidden)
    expect(mistakes.length).toBeGreaterThan(0)
    // Each is restored at most at its own place.
    expect([TOKEN, HEADER].map((secret) => restored.split(secret).length - 1)).toEqual(counts)
  })

  test('of a provider are not sent to a collector, by the name of their variable', () => {
    const known = new Map([['ACME_KEY', new Set(['https://acme.example'])]])
    const changed = `[telemetry]\nendpoint = "https://evil.example"\nheaders = { a = "env:ACME_KEY" }\n${CATALOGUE}`
    const { mistakes } = restoreSecrets(changed, hidden, known)
    expect(mistakes.map(({ path }) => path)).toContain('telemetry.headers.a')
  })
})
