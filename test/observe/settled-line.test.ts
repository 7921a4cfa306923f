// The log line of a settled call: its template writes the same bytes as its fields would.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { logSettled } from '../../src/calls/settling/settled-line.ts'
import { formatUsd } from '../../src/domain/money.ts'
import { IS_LONG } from '../support/long.ts'
import { memoryLog } from '../support/memory-log.ts'

const SECRETS = ['provider-key-1', 'a "quoted" secret', 'geheim-ß-ключ', '12345678']
const CREDENTIAL = `tg_${'a'.repeat(24)}`

/** Texts with JSON escapes, terminal controls, lone surrogates, and secrets. */
const name = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 8 }),
      fc.constantFrom(
        ...SECRETS,
        CREDENTIAL,
        '"',
        '\\',
        '\n',
        '\u001b[2J',
        '\u2028',
        '\ud800',
        '\udc00',
        '😀',
        '\0',
      ),
    ),
    { maxLength: 4 },
  )
  .map((parts) => parts.join(' '))
const number = fc.oneof(fc.nat(), fc.constantFrom(0, 1e21, Number.MAX_SAFE_INTEGER, 0.1))

const settled = fc.record({
  account: name,
  key: name,
  model: name,
  provider: name,
  surface: fc.constantFrom('chat', 'messages', 'native'),
  outcome: fc.constantFrom('completed' as const, 'cancelled' as const, 'broken' as const, 'failed' as const),
  op: fc.constantFrom('post', 'void'),
  status: number,
  duration_ms: number,
  cost_nanos: fc.oneof(fc.nat(), fc.constantFrom(0, 1, Number.MAX_SAFE_INTEGER)),
  is_covered: fc.constantFrom(undefined, true),
  estimated: fc.constantFrom(0, 1),
  late: fc.constantFrom(undefined, true),
})

test('the template writes the line of the fields, for any names', () => {
  fc.assert(
    fc.property(fc.array(settled, { minLength: 1, maxLength: 3 }), fc.boolean(), (calls, gathers) => {
      const options = { secrets: SECRETS, now: () => 1_795_233_161_620, gather_ms: gathers ? 60_000 : 0 }
      const [written, expected] = [memoryLog(options), memoryLog(options)]
      for (const { account, key, late, op, cost_nanos, is_covered, ...call } of calls) {
        const request_id = 'req_AZrPqk3_fVeB-1nJ4mRrUw'
        const operation = { op, cost_nanos, is_covered, call }
        logSettled(
          written.log,
          { caller: { account: { name: account }, key: { prefix: key } }, origin: { request_id } } as never,
          operation as never,
          late,
        )
        expected.log.info(
          {
            request_id,
            account,
            key,
            surface: call.surface,
            model: call.model,
            provider: call.provider,
            outcome: call.outcome,
            status: call.status,
            duration_ms: call.duration_ms,
            cost_usd: formatUsd(op === 'post' && !is_covered ? cost_nanos : 0),
            paid_by: is_covered ? 'plan' : undefined,
            estimated: call.estimated ? true : undefined,
            late,
          },
          'call',
        )
        // A line between two calls keeps its place.
        for (const { log } of [written, expected]) log.info({ account }, 'another')
      }
      written.log.flush()
      expected.log.flush()
      expect(written.text()).toBe(expected.text())
    }),
    { numRuns: IS_LONG ? 20_000 : 300 },
  )
})

test('a name that later becomes a secret is hidden', () => {
  const { log, text } = memoryLog()
  const name = 'sold-under-its-key'
  expect(log.quoted(name)).toBe(`"${name}"`)
  log.setSecrets([name])
  expect(log.quoted(name)).toBe('"[hidden]"')
  log.setLevel('warn')
  log.infoText('"n":1', 'below the level')
  expect(text()).toBe('')
})
