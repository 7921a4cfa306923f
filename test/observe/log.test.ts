// The log: JSON lines with levels, and never a secret in them.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { eventually } from '../support/eventually.ts'
import { memoryLog } from '../support/memory-log.ts'

describe('a line', () => {
  test('is one JSON object: level, time, fields, message', () => {
    const { log, text } = memoryLog({ now: () => 1_795_233_161_620 })
    log.info({ request_id: 'req_1', status: 200, streamed: false }, 'call')
    expect(text()).toBe(
      '{"level":"info","time":"2026-11-21T03:52:41.620Z","request_id":"req_1","status":200,"streamed":false,"message":"call"}\n',
    )
  })

  test('without fields has no extra comma, and an undefined field is omitted', () => {
    const { log, text } = memoryLog({ now: () => 0 })
    log.info({}, 'stopped')
    log.info({ model: undefined }, 'said "x"')
    const head = '{"level":"info","time":"1970-01-01T00:00:00.000Z"'
    expect(text()).toBe(`${head},"message":"stopped"}\n${head},"message":"said \\"x\\""}\n`)
  })

  test('below the level is dropped, and the level can change at run time', () => {
    const { log, lines } = memoryLog({ level: 'warn' })
    log.info({}, 'dropped')
    log.warn({}, 'kept')
    log.setLevel('debug')
    log.debug({}, 'kept too')
    log.setLevel('error')
    log.warn({}, 'dropped again')
    log.error({}, 'kept as well')
    expect(lines().map(({ level, message }) => `${level}: ${message}`)).toEqual([
      'warn: kept',
      'debug: kept too',
      'error: kept as well',
    ])
  })
})

describe('gathered lines', () => {
  const GATHER_MS = 60_000

  test('are written in one piece and in order; only a line with a secret is rewritten', () => {
    const { log, text, written } = memoryLog({
      secrets: ['provider-key'],
      now: () => 0,
      gather_ms: GATHER_MS,
    })
    log.info({ n: 1 }, 'first')
    log.info({ key: 'provider-key' }, 'second')
    log.info({ n: 3 }, 'third')
    expect(text()).toBe('')
    log.flush()
    const head = '{"level":"info","time":"1970-01-01T00:00:00.000Z"'
    expect(written()).toEqual([
      `${head},"n":1,"message":"first"}\n${head},"key":"[hidden]","message":"second"}\n${head},"n":3,"message":"third"}\n`,
    ])
  })

  test.each(['warn', 'error'] as const)(
    'are written before a line of level %s, which does not wait',
    (level) => {
      const { log, lines } = memoryLog({ gather_ms: GATHER_MS })
      log.info({}, 'first')
      log[level]({}, 'at once')
      expect(lines().map(({ message }) => message)).toEqual(['first', 'at once'])
    },
  )

  test.each([
    ['a bigint', { amount: 1n }],
    [
      'a list that contains itself',
      {
        list: (() => {
          const list: unknown[] = []
          list.push(list)
          return list
        })(),
      },
    ],
    [
      'a value that throws when it is read',
      {
        value: {
          get x() {
            throw new Error('no')
          },
        },
      },
    ],
  ])('survive a line with %s, which keeps its readable fields', (_name, fields) => {
    const { log, lines } = memoryLog({ gather_ms: GATHER_MS })
    log.info({}, 'first')
    log.info({ ...fields, plugin: 'mine' }, 'odd')
    log.warn({}, 'last')
    expect(lines().map(({ message }) => message)).toEqual(['first', 'odd', 'last'])
    expect(lines()[1]).toMatchObject({ plugin: 'mine', unreadable: expect.any(String) })
  })

  test('are at most 256', () => {
    const { log, lines } = memoryLog({ gather_ms: GATHER_MS })
    for (let n = 1; n < 256; n++) log.info({ n }, 'waits')
    expect(lines()).toEqual([])
    log.info({ n: 256 }, 'one too many')
    expect(lines()).toHaveLength(256)
  })

  test('are written after a while even if nothing else is logged', async () => {
    const { log, lines } = memoryLog({ gather_ms: 1 })
    log.info({}, 'alone')
    await eventually('the line is written', () => lines().length === 1)
  })

  test('none: a flush writes nothing', () => {
    const { log, written } = memoryLog({ gather_ms: GATHER_MS })
    log.flush()
    expect(written()).toEqual([])
  })
})

describe('an error in `cause`', () => {
  test('is logged with its code and its own causes, scrubbed at every depth', () => {
    const { log, lines } = memoryLog({ secrets: ['provider-key'] })
    const inner = Object.assign(new Error('connect 10.0.0.7:443 refused'), { code: 'ECONNREFUSED' })
    log.error(
      { cause: new Error('POST https://api.provider.example/?k=provider-key', { cause: inner }) },
      'failed',
    )
    expect(lines()[0]?.cause).toMatchObject({
      name: 'Error',
      message: 'POST [address]',
      cause: { message: 'connect [address] refused', code: 'ECONNREFUSED' },
    })
  })

  test.each([
    ['a string', 'see https://api.provider.example', 'see [address]'],
    ['an object', { url: 'https://api.provider.example', status: 500 }, { url: '[address]', status: 500 }],
    ['nothing', null, null],
    ['a number', 42, 42],
    ['an object with a bigint', { amount: 12n }, { amount: '12' }],
  ])('that is not an Error but %s is scrubbed too', (_, cause, logged) => {
    const { log, lines } = memoryLog()
    log.warn({ cause }, 'odd')
    expect(lines()[0]?.cause).toEqual(logged)
  })

  test('that cannot be read leaves the rest of its line', () => {
    const { log, lines } = memoryLog()
    const hostile = Object.defineProperty(new Error('x'), 'stack', {
      get() {
        throw new Error('no stack')
      },
    })
    log.error({ request_id: 'r', cause: new Error('outer', { cause: hostile }) }, 'odd')
    expect(lines()[0]).toMatchObject({
      request_id: 'r',
      cause: { message: 'outer', cause: 'the thrown value cannot be read' },
    })
  })

  test('that refers to itself is cut off', () => {
    const { log, lines } = memoryLog()
    const error = new Error('round')
    error.cause = error
    const list: unknown[] = []
    list.push(list)
    log.error({ cause: error }, 'round')
    log.error({ cause: list }, 'round')
    expect(lines()).toHaveLength(2)
  })
})

describe('a secret is hidden', () => {
  test('in the message, in fields at any depth, and in their names', () => {
    const { log, text, lines } = memoryLog({ secrets: ['provider-"key"'] })
    const secret = 'provider-"key"'
    log.info({ a: secret, b: { c: [secret] }, [secret]: 1, url: '/x?key=abc' }, `said ${secret}`)
    expect(text()).not.toContain('provider-')
    expect(lines()[0]).toMatchObject({
      a: '[hidden]',
      b: { c: ['[hidden]'] },
      '[hidden]': 1,
      url: '/x?key=[hidden]',
      message: 'said [hidden]',
    })
  })

  test('once a changed catalogue names it', () => {
    const { log, text } = memoryLog({ secrets: ['the-old-key'] })
    log.setSecrets(['the-new-key'])
    log.info({}, 'the-new-key')
    expect(text()).not.toContain('the-new-key')
  })

  test('without breaking the line where it looks like the JSON around it', () => {
    const { log, lines } = memoryLog({ secrets: ['","message":"', '12345678', '"level":"info"'] })
    log.info({ a: '","message":"', count: 12_345_678 }, 'x')
    expect(lines()[0]).toMatchObject({ level: 'info', a: '[hidden]', count: 12_345_678, message: 'x' })
  })

  test('for any secret, in every field (property)', () => {
    const secret = fc
      .string({ unit: 'binary', minLength: 8, maxLength: 30 })
      .filter((text) => text.isWellFormed())
    const surroundings = fc.tuple(fc.string(), fc.string())
    fc.assert(
      fc.property(secret, surroundings, fc.jsonValue({ maxDepth: 3 }), (hidden, [before, after], rest) => {
        const { log, lines } = memoryLog({ secrets: [hidden] })
        const value = `${before}${hidden}${after}`
        log.info({ value, nested: { value: [value], rest }, cause: new Error(value) }, value)
        const [line] = lines()
        const texts = [line?.value, line?.message, JSON.stringify(line?.nested), JSON.stringify(line?.cause)]
        for (const text of texts) expect(String(text)).toContain('[hidden]')
        for (const text of [line?.value, line?.message]) {
          if (!`${before}[hidden]${after}`.includes(hidden)) expect(String(text)).not.toContain(hidden)
        }
      }),
    )
  })
})
