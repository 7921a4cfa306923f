// A hostile provider: it reveals its address and its key wherever it can, and answers in every wrong way.
import { gzipSync } from 'node:zlib'
import type { Random } from '../money/ledger/random.ts'
import {
  type Answer,
  RESET,
  refusal,
  type Step,
  stream,
  type UpstreamRequest,
  whole,
} from '../support/upstream.ts'

const GOOD = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5 },
}

const WRONG_JSON = [
  'null',
  '[]',
  '"text"',
  '12',
  '{}',
  '',
  '{"candidates":5}',
  '{"candidates":[null,[],{"content":7}]}',
  '{"candidates":[{"content":{"parts":{"text":"x"}}}]}',
  '{"usageMetadata":"many"}',
  '{"candidates":[',
  '\u0000',
] as const
const WRONG_COUNTS = [-1, 0.5, 1e308, 9_007_199_254_740_991, '12', '-3', null, true, [], {}] as const
const STATUSES = [
  301, 302, 307, 400, 401, 403, 404, 408, 409, 413, 418, 429, 451, 500, 502, 503, 529, 599,
] as const

type Way = (secrets: string, random: Random, seen: UpstreamRequest) => Answer

/** Its kinds of answers; `secrets` is a sentence with its address, its host and its key. */
const WAYS: readonly [Way, ...Way[]] = [
  (secrets, random) =>
    refusal(
      random.pick(STATUSES),
      {
        error: {
          code: 400,
          message: secrets,
          status: 'INVALID_ARGUMENT',
          details: [{ reason: secrets, retryDelay: secrets }],
        },
      },
      {
        'retry-after': random.pick(['5', '-1', 'x', '99999999', secrets]),
        location: `${secrets.split(' ')[0]}/elsewhere`,
      },
    ),
  (secrets, random) =>
    refusal(random.pick(STATUSES), `<html><body>${secrets}</body></html>`, { 'content-type': 'text/html' }),
  (secrets, random) => refusal(random.pick(STATUSES), [{ error: { message: secrets } }]),
  (secrets) => ({
    headers: { 'content-type': 'text/html' },
    steps: [{ send: `<html>\n\n${secrets}\n\n</html>` }],
  }),
  (secrets) => whole({ error: { code: 500, message: secrets } }),
  (_, random) => whole(random.pick(WRONG_JSON)),
  (_, random) => {
    const count = () => random.pick(WRONG_COUNTS)
    return whole({
      ...GOOD,
      usageMetadata: {
        promptTokenCount: count(),
        candidatesTokenCount: count(),
        thoughtsTokenCount: count(),
        cachedContentTokenCount: count(),
      },
    })
  },
  () => ({
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    steps: [{ send: gzipSync(JSON.stringify(GOOD)) }],
  }),
  () => ({
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    steps: [{ send: 'this is no gzip' }],
  }),
  (secrets) =>
    whole(GOOD, { 'x-served-by': secrets, 'x-large': 'y'.repeat(30_000), 'set-cookie': `key=${secrets}` }),
  () => ({
    headers: { 'content-type': 'application/json', 'content-length': '100000' },
    steps: [{ send: '{"candidates":[' }, 'reset'],
  }),
  () => RESET,
  (secrets) => stream({ event: GOOD }, { event: { error: { message: secrets } } }),
  (secrets) => stream({ event: { error: { message: secrets } } }),
  (secrets) => stream({ send: `: ${secrets}\n\nevent: error\ndata: {"error":{"message":"${secrets}"}}\n\n` }),
  (_, random) =>
    stream(...Array.from({ length: 3 }, (): Step => ({ event: random.pick(WRONG_JSON) })), { event: GOOD }),
  () => stream(),
  () => stream({ event: GOOD }),
  () => whole(GOOD),
]

export function hostileAnswer(random: Random, seen: UpstreamRequest): Answer {
  const host = seen.headers.host ?? ''
  const secrets = `http://${host}${seen.path} ${host} refuses ${seen.headers['x-goog-api-key']}`
  return random.pick(WAYS)(secrets, random, seen)
}
