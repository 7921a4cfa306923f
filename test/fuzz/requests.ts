// The requests of the fuzz: bytes as they go over a socket, with distorted heads and bodies.
import type { Random } from '../money/ledger/random.ts'
import { MODEL, PICTURE, RETIRED } from '../support/catalogue.ts'
import { fuzzBody } from './bodies.ts'

/** Picks the value of a correct client with this probability, else one of the others. */
function mostly<T>(random: Random, probability: number, good: T, others: readonly [T, ...T[]]): T {
  return random.chance(probability) ? good : random.pick(others)
}

const METHODS = [
  'GET',
  'PUT',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'PATCH',
  'TRACE',
  'CONNECT',
  'post',
  'BREW',
  '',
] as const
const ACTIONS = ['generateContent', 'streamGenerateContent?alt=sse', 'streamGenerateContent'] as const
const TARGETS = [
  '/v1beta/models',
  '/v1beta/models/',
  `/v1beta/models/${MODEL}`,
  `/v1beta/models/${MODEL}:`,
  `/v1beta/models/${MODEL}:countTokens`,
  `/v1beta/models/${MODEL}:toString`,
  `/v1beta/models/${MODEL}:__proto__`,
  `/v1beta/models/${RETIRED}:generateContent`,
  `/v1beta/models/${PICTURE}:generateContent`,
  '/v1beta/models/:generateContent',
  '/v1beta/models/constructor:generateContent',
  `/v1beta/models/..%2f..%2f${MODEL}:generateContent`,
  `/v1beta/models/${MODEL}%3AgenerateContent`,
  '/v1beta/models/%00:generateContent',
  '/v1beta/models/%E0%A4%A:generateContent',
  '/v1beta/models/%ff:generateContent',
  '/v1beta/models/%:generateContent',
  `/v1beta/models/../models/${MODEL}:generateContent`,
  `//v1beta/models/${MODEL}:generateContent`,
  `/v1beta//models/${MODEL}:generateContent`,
  `/v1beta/models/${MODEL}:generateContent#fragment`,
  `/v1beta/models/${MODEL}:generateContent?key=`,
  `/v1beta/models/${MODEL}:generateContent?key=%ff&key=%00&alt=%`,
  `/v1beta/models/${'a'.repeat(5_000)}:generateContent`,
  `http://gateway.test/v1beta/models/${MODEL}:generateContent`,
  'http://[',
  '/v1beta/files/..%2f..%2fetc%2fpasswd',
  '/upload/v1beta/files?upload_id=1',
  '/v1beta/cachedContents/%2e%2e',
  '/readyz',
  '/nothing',
  '*',
  'nonsense',
] as const

const HOSTS = [
  '',
  'a',
  'ab',
  'abc',
  'a:1',
  'gateway.test:99999',
  '[::1',
  '[::1]:x',
  '%00',
  'a b',
  'a/b',
  'a@b',
  '\u00fc',
  '..',
  ':',
  '127.1',
  'http://x',
] as const

/** Headers with which clients, proxies and attackers surprise a server. Texts are latin1: one byte a character. */
const ODD_HEADERS = [
  'x-note: caf\u00e9',
  'x-note: \u0080\u00ff\u00fe',
  'x-note: a\u0000b',
  'x-note: a\r\n continued',
  `x-note: ${'x'.repeat(20_000)}`,
  'x-forwarded-for: \u00fc, 127.0.0.1',
  'authorization: Basic dTpw',
  'authorization: Bearer',
  'authorization: Bearer \u00fc\u00fc\u00fc',
  'x-goog-api-key: \u00ff\u00ff',
  'x-api-key:',
  'cookie: a=%; =; ;;\u00fc',
  'content-encoding: gzip',
  'expect: 100-continue',
  'expect: nonsense',
  'connection: upgrade\r\nupgrade: websocket',
  'content-type: text/html',
  'idempotency-key: \u00fc',
  `idempotency-key: ${'k'.repeat(300)}`,
  ': empty name',
  'no colon at all',
  'bad name: x',
  'transfer-encoding: gzip',
  'x-goog-api-client: gl-node/22',
] as const

/** Wrong and unusual ways to frame a body. */
const FRAMINGS: readonly [(bytes: Buffer) => [string, Buffer], ...((bytes: Buffer) => [string, Buffer])[]] = [
  (bytes) => ['content-length: -1', bytes],
  (bytes) => ['content-length: abc', bytes],
  (bytes) => ['content-length: 1e3', bytes],
  (bytes) => ['content-length: 99999999999999999999', bytes],
  (bytes) => [`content-length: ${40 * 1024 * 1024}`, bytes],
  (bytes) => [`content-length: ${bytes.length + 10}`, bytes],
  (bytes) => [`content-length: ${bytes.length >> 1}`, bytes],
  (bytes) => [`content-length: ${bytes.length}\r\ncontent-length: ${bytes.length + 1}`, bytes],
  (bytes) => [`content-length: ${bytes.length}\r\ntransfer-encoding: chunked`, chunked(bytes)],
  (bytes) => ['transfer-encoding: chunked', bytes],
  (bytes) => ['transfer-encoding: chunked', chunked(bytes)],
  () => ['transfer-encoding: chunked', Buffer.from('zz\r\nbody\r\n0\r\n\r\n')],
  (bytes) => ['transfer-encoding: chunked', Buffer.concat([Buffer.from('ffffffffffffffff\r\n'), bytes])],
  (bytes) => ['transfer-encoding: chunked, identity', chunked(bytes)],
  (bytes) => ['x-no-length: 1', bytes],
]

const chunked = (bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n0\r\n\r\n')])

const credentialHeader = (random: Random, key: string): string =>
  mostly(random, 0.85, `x-goog-api-key: ${key}`, [
    `authorization: Bearer ${key}`,
    `authorization: bearer   ${key} `,
    `x-api-key: ${key}\r\nx-api-key: ${key}`,
    `x-goog-api-key: ${key}x`,
    `cookie: key=${key}`,
    'x-none: 1',
  ])

export interface FuzzRequest {
  bytes: Buffer
  /** The head states the exact length of the body, so a server knows that it is complete. */
  complete: boolean
}

export function fuzzRequest(random: Random, key: string): FuzzRequest {
  const { bytes, content_type } = fuzzBody(random)
  const target = mostly(random, 0.85, `/v1beta/models/${MODEL}:${random.pick(ACTIONS)}`, TARGETS)
  const complete = random.chance(0.88)
  const [framing, body] = complete ? [`content-length: ${bytes.length}`, bytes] : random.pick(FRAMINGS)(bytes)
  const lines = [
    `${mostly(random, 0.94, 'POST', METHODS)} ${target} ${mostly(random, 0.97, 'HTTP/1.1', ['HTTP/1.0', 'HTTP/2.0', 'HTTP/9', ''])}`,
    ...(random.chance(0.97) ? [`host: ${mostly(random, 0.93, 'gateway.test', HOSTS)}`] : []),
    'connection: close',
    ...(content_type === '' ? [] : [`content-type: ${content_type}`]),
    credentialHeader(random, key),
    ...(random.chance(0.2) ? [random.pick(ODD_HEADERS)] : []),
    framing,
  ]
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  return { bytes: Buffer.concat([head, body]), complete }
}
