// Owns a vendor at its worst: it names its address and its key wherever it can, and answers in every wrong way.
import { gzipSync } from 'node:zlib'
import type { Random } from '../ledger/random.ts'
import { type Answer, RESET, refusal, type Seen, type Step, stream, whole } from '../support/upstream.ts'

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

type Way = (told: string, random: Random, seen: Seen) => Answer

/** What it does; `told` is its address, its host and its key in one sentence. */
const WAYS: readonly [Way, ...Way[]] = [
  (told, random) =>
    refusal(
      random.pick(STATUSES),
      {
        error: {
          code: 400,
          message: told,
          status: 'INVALID_ARGUMENT',
          details: [{ reason: told, retryDelay: told }],
        },
      },
      {
        'retry-after': random.pick(['5', '-1', 'x', '99999999', told]),
        location: `${told.split(' ')[0]}/elsewhere`,
      },
    ),
  (told, random) =>
    refusal(random.pick(STATUSES), `<html><body>${told}</body></html>`, { 'content-type': 'text/html' }),
  (told, random) => refusal(random.pick(STATUSES), [{ error: { message: told } }]),
  (told) => ({ headers: { 'content-type': 'text/html' }, steps: [{ send: `<html>\n\n${told}\n\n</html>` }] }),
  (told) => whole({ error: { code: 500, message: told } }),
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
  (told) => whole(GOOD, { 'x-served-by': told, 'x-large': 'y'.repeat(30_000), 'set-cookie': `key=${told}` }),
  () => ({
    headers: { 'content-type': 'application/json', 'content-length': '100000' },
    steps: [{ send: '{"candidates":[' }, 'reset'],
  }),
  () => RESET,
  (told) => stream({ event: GOOD }, { event: { error: { message: told } } }),
  (told) => stream({ event: { error: { message: told } } }),
  (told) => stream({ send: `: ${told}\n\nevent: error\ndata: {"error":{"message":"${told}"}}\n\n` }),
  (_, random) =>
    stream(...Array.from({ length: 3 }, (): Step => ({ event: random.pick(WRONG_JSON) })), { event: GOOD }),
  () => stream(),
  () => stream({ event: GOOD }),
  () => whole(GOOD),
]

/** Its answer to one request. */
export function hostileAnswer(random: Random, seen: Seen): Answer {
  const host = seen.headers.host ?? ''
  const told = `http://${host}${seen.path} ${host} refuses ${seen.headers['x-goog-api-key']}`
  return random.pick(WAYS)(told, random, seen)
}
