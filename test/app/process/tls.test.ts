// HTTPS by certificate files: a start refuses wrong files, and a renewed pair takes effect without ending a stream.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { chmodSync, cpSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { makeOperatorsLink } from '../../../src/access/sign-in-links.ts'
import { refusePortInUse } from '../../../src/app/process/listening.ts'
import { type TlsPair, watchTls } from '../../../src/app/process/tls-files.ts'
import { catalogueOf } from '../../support/catalogue.ts'
import { PROBES } from '../../support/console-session.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { answering, ask, streamPath, wholePath } from '../../support/native.ts'
import { temporary } from '../../support/temporary.ts'
import { startUpstream, stream } from '../../support/upstream.ts'

setDefaultTimeout(30_000)

const FIXTURES = join(import.meta.dir, '../../fixtures/tls')
const folder = temporary()
afterAll(() => folder[Symbol.dispose]())

const path = folder.at
const SERVER = `tls_certificate = "${path('server.pem')}"\ntls_key = "${path('server.key')}"`
const put = (certificate: string, key = certificate) => {
  cpSync(join(FIXTURES, `${certificate}.pem`), path('server.pem'))
  cpSync(join(FIXTURES, `${key}.key`), path('server.key'))
}

const ANY_CERTIFICATE = { tls: { rejectUnauthorized: false } }

/** The name in the certificate that a new connection gets, by a new handshake. */
const certificateName = ({ url }: Pick<TestGateway, 'url'>): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port: Number(url.port), host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN))
      socket.end()
    })
    socket.on('error', reject)
  })

const post = ({ url }: Pick<TestGateway, 'url'>, to: string, key: string) =>
  fetch(new URL(to, url), {
    ...ANY_CERTIFICATE,
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(ask()),
  })

type Refused = [name: string, server: string, says: string, prepare?: () => void]

describe('a start is refused with advice for', () => {
  test.each([
    ['a certificate without its key', `tls_certificate = "${path('server.pem')}"`, 'write tls_key, too'],
    ['a key without its certificate', `tls_key = "${path('server.key')}"`, 'write tls_certificate, too'],
    [
      'a missing file',
      `tls_certificate = "${path('none.pem')}"\ntls_key = "${path('server.key')}"`,
      'none.pem (tls_certificate) cannot be read',
    ],
    [
      'a missing file by a path relative to the data folder',
      `tls_certificate = "none.pem"\ntls_key = "${path('server.key')}"`,
      '/none.pem (tls_certificate) cannot be read',
    ],
    [
      'the key of another certificate',
      SERVER,
      'is not the key of the certificate',
      () => put('right', 'expired'),
    ],
    [
      'a key in place of a certificate',
      SERVER,
      'holds no certificate in PEM',
      () => cpSync(join(FIXTURES, 'right.key'), path('server.pem')),
    ],
    [
      'a certificate in place of a key',
      SERVER,
      'holds no private key in PEM',
      () => {
        put('right')
        cpSync(join(FIXTURES, 'right.pem'), path('server.key'))
      },
    ],
  ] as readonly Refused[])('%s', async (_case, server, says, prepare = () => put('right')) => {
    prepare()
    const catalogue = catalogueOf({ upstream_url: 'simulator', server })
    await expect(startTestGateway({ catalogue })).rejects.toThrow(says)
  })

  test('the port of another gateway with a certificate', async () => {
    put('right')
    await using first = await startTestGateway({
      catalogue: catalogueOf({ upstream_url: 'simulator', server: SERVER }),
    })
    expect(() => refusePortInUse({ hostname: '127.0.0.1', port: Number(first.url.port) })).toThrow(
      'Failed to listen',
    )
  })
})

describe('a gateway with a certificate', () => {
  let gateway: TestGateway
  let key: string
  const upstream = startUpstream(answering)
  beforeAll(async () => {
    put('right')
    const { url } = await upstream
    gateway = await startTestGateway({
      catalogue: catalogueOf({ upstream_url: url, server: SERVER }),
      upstream: { url },
    })
    key = await gateway.caller('1000')
  })
  afterAll(async () => {
    await gateway.stop()
    await (await upstream)[Symbol.asyncDispose]()
  })

  test('serves calls by HTTPS, and has an https address', async () => {
    expect(gateway.url.protocol).toBe('https:')
    expect(await certificateName(gateway)).toBe('right')
    const answer = await post(gateway, wholePath(), key)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('strict-transport-security')).toBeNull()
  })

  test.each([
    ['localhost', 200],
    ['gateway.example.com', 200],
    ['abc', 200],
    ['ab', 400],
    ['a', 400],
  ])('finds the path for any host: %s is %d', async (host, status) => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json', host }
    const body = JSON.stringify(ask())
    const request = { ...ANY_CERTIFICATE, method: 'POST', headers, body }
    expect((await fetch(new URL(wholePath(), gateway.url), request)).status).toBe(status)
  })

  test('sets the session of the console as a cookie for HTTPS only, without public_url', async () => {
    const { token } = await makeOperatorsLink(gateway.store, { randomBytes, now_ms: Date.now() })
    const answer = await fetch(new URL('/console/api/links/accept', gateway.url), {
      ...ANY_CERTIFICATE,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        host: 'gateway.example.com',
        origin: 'https://gateway.example.com',
        cookie: PROBES,
      },
      body: JSON.stringify({ token, password: 'correct horse battery staple' }),
    })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('set-cookie')).toMatch(/^__Host-tollgate=.*; Secure$/)
  })

  test('answers nothing over plain HTTP', async () => {
    await expect(fetch(`http://127.0.0.1:${gateway.url.port}/healthz`)).rejects.toThrow()
  })

  test('checks the address of the caller, as over plain HTTP', async () => {
    const here = await gateway.caller('1', { addresses: ['127.0.0.1'] })
    const elsewhere = await gateway.caller('1', { addresses: ['203.0.113.0/24'] })
    expect((await post(gateway, wholePath(), here)).status).toBe(200)
    expect((await post(gateway, wholePath(), elsewhere)).status).toBe(403)
  })

  describe('is renewed', () => {
    test('new connections get the new certificate, and an open stream ends whole', async () => {
      const rest = Promise.withResolvers<void>()
      const part = (text: string) => ({
        candidates: [{ content: { role: 'model', parts: [{ text }] } }],
        usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5 },
      })
      const end = {
        ...part(' there.'),
        candidates: [{ content: { role: 'model', parts: [{ text: ' there.' }] }, finishReason: 'STOP' }],
      }
      ;(await upstream).answer(stream({ event: part('Hello') }, { wait: rest.promise }, { event: end }))
      const open = await post(gateway, streamPath(), key)
      put('another-name')
      await gateway.log.waitForLine(
        ({ message, names }) =>
          message === 'a renewed certificate is in use' && String(names).includes('other.example.com'),
      )
      for (let connection = 0; connection < 20; connection += 1)
        expect(await certificateName(gateway)).toBe('another-name')
      const late = post(gateway, wholePath(), key)
      rest.resolve()
      const text = await open.text()
      expect(text).toContain('Hello')
      expect(text).toContain(' there.')
      expect(text).toContain('STOP')
      await late
      ;(await upstream).answer(answering)
      await gateway.rest()
    })

    test.each([
      ['that do not fit', () => put('another-name', 'expired'), 'is not the key of the certificate'],
      [
        'cut in the middle',
        () => writeFileSync(path('server.pem'), '-----BEGIN CERTIFICATE-----\nMIIB'),
        'no certificate',
      ],
      ['that are missing', () => rmSync(path('server.key')), 'cannot be read'],
    ])('files %s change nothing, and are logged', async (_case, spoil, says) => {
      put('right')
      await gateway.started.reload()
      expect(await certificateName(gateway)).toBe('right')
      const before = gateway.log.lines().length
      spoil()
      await gateway.started.reload()
      const errors = gateway.log
        .lines()
        .slice(before)
        .filter(({ level }) => level === 'error')
      expect(JSON.stringify(errors)).toContain(says)
      expect(await certificateName(gateway)).toBe('right')
      expect((await fetch(new URL('/healthz', gateway.url), ANY_CERTIFICATE)).status).toBe(200)
    })

    test('reloads leave no listeners for the end of the process behind', async () => {
      const before = process.listenerCount('beforeExit')
      for (const name of ['another-name', 'right', 'another-name']) {
        put(name)
        await gateway.started.reload()
      }
      expect(process.listenerCount('beforeExit')).toBe(before)
    })
  })
})

test('unreadable files are read again once their mode or owner changes', async () => {
  put('right')
  chmodSync(path('server.key'), 0o600)
  const seen = Promise.withResolvers<TlsPair>()
  const files = { certificate: path('server.pem'), key: path('server.key') }
  const watch = await watchTls(files, { onPair: seen.resolve, onTrouble: seen.reject }, 20)
  chmodSync(path('server.key'), 0o400)
  expect((await seen.promise).names).toContain('images.example.com')
  watch.stop()
  chmodSync(path('server.key'), 0o600)
})

test('a stop lets streams under the old and the renewed certificate end whole', async () => {
  put('right')
  const rest = Promise.withResolvers<void>()
  const part = (text: string, more: object = {}) => ({
    candidates: [{ content: { role: 'model', parts: [{ text }] }, ...more }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5 },
  })
  await using upstream = await startUpstream(
    stream({ event: part('Hello') }, { wait: rest.promise }, { event: part('.', { finishReason: 'STOP' }) }),
  )
  const catalogue = catalogueOf({ upstream_url: upstream.url, server: SERVER })
  await using gateway = await startTestGateway({ catalogue, upstream })
  const key = await gateway.caller('1000')
  const open = () => Promise.all(Array.from({ length: 5 }, () => post(gateway, streamPath(), key)))
  const before = await open()
  put('another-name')
  await gateway.started.reload()
  const after = await open()
  expect(await certificateName(gateway)).toBe('another-name')

  const stopped = gateway.started.stop()
  rest.resolve()
  for (const answer of [...before, ...after]) expect(await answer.text()).toContain('STOP')
  await stopped
  expect(gateway.rows().calls.map(({ outcome }) => outcome)).toEqual(Array(10).fill('completed'))
  await expect(fetch(new URL('/healthz', gateway.url), ANY_CERTIFICATE)).rejects.toThrow()
})
