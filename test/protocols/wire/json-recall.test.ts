// Bodies with values that are known from earlier ones: read as if nothing were known, valid or broken.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { GatewayError } from '../../../src/domain/errors.ts'
import { parseScanned, scanJsonBody } from '../../../src/protocols/wire/json-body.ts'
import { namesFrom } from '../../../src/protocols/wire/json-names.ts'
import { spliceFields } from '../../../src/protocols/wire/json-splice.ts'
import { KnownValues } from '../../../src/protocols/wire/known-values.ts'

const PART = namesFrom({ text: 'value', limit: 'count' }, { inside: ['parts'] })
const NAMES = namesFrom(
  { model: 'value', tools: PART, config: 'value', messages: PART },
  { harmless: ['seed'], growing: 'messages' },
)

type Reading = 'plain' | { known: KnownValues; account_id: number }

/** All results of a reading, or its refusal. */
function read(text: string | Uint8Array, as: Reading) {
  const bytes = Buffer.from(text)
  const before = Buffer.from(bytes)
  try {
    const { recall, ...scanned } = scanJsonBody(bytes, NAMES, as === 'plain' ? undefined : as)
    const body = parseScanned({ recall, ...scanned })
    const written = { ...body.json, model: 'other', added: [1] }
    return {
      scanned,
      body,
      text: JSON.stringify(body.json),
      spliced: Buffer.from(spliceFields(body, written)).toString('latin1'),
      replaced: Buffer.from(spliceFields(body, { ...body.json, tools: [], messages: 1 })).toString('latin1'),
    }
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown
    return { message: thrown.message, param: thrown.param, cause: String(thrown.cause) }
  } finally {
    expect(bytes.equals(before)).toBe(true)
  }
}

/** Whether a value of the text is the very same object in two readings. */
const shares = (text: string, known: KnownValues, pick: (json: never) => unknown): boolean => {
  const picked = () => {
    const { json } = parseScanned(scanJsonBody(Buffer.from(text), NAMES, { known, account_id: 1 }))
    return pick(json as never)
  }
  const first = picked()
  return first !== undefined && first === picked()
}

const long = 'a long description, '.repeat(20)
const message = (name: string) => ({ role: 'user', parts: [{ text: `${name} ${long}` }] })
const MESSAGES = ['a', 'b', 'c', 'd', 'e', 'f'].map(message)
const TOOLS = [{ name: 'x', description: long, schema: { type: 'object', text: { text: 1 } } }]
const BODY = JSON.stringify({ model: 'm', tools: TOOLS, messages: MESSAGES, seed: 1 })
const knowing = (...texts: string[]) => {
  const known = new KnownValues(1_000_000)
  for (const text of [...texts, ...texts]) read(text, { known, account_id: 1 })
  return known
}

describe('is the very object of the earlier body', () => {
  test.each<[string, (json: { tools: unknown; messages: unknown[] }) => unknown]>([
    ['a field', ({ tools }) => tools],
    ['the first item of the conversation', ({ messages }) => messages[0]],
    ['the last one', ({ messages }) => messages.at(-1)],
  ])('%s', (_, pick) => {
    expect(shares(BODY, knowing(BODY), pick)).toBe(true)
  })

  test('an item at another place, after text, and beside new ones', () => {
    const more = JSON.stringify({
      messages: ['[,{"', 1, message('new'), ...MESSAGES.slice(3), message('newer')],
    })
    const known = knowing(BODY)
    expect(shares(more, known, ({ messages }) => messages[3])).toBe(true)
    expect(read(more, { known, account_id: 1 })).toEqual(read(more, 'plain'))
  })
})

describe('is parsed again', () => {
  const first = ({ messages }: { messages: unknown }) => Object.values(Object(messages))[0]
  test.each<[string, string, (json: never) => unknown]>([
    ['the list of the conversation', BODY, ({ messages }) => messages],
    [
      'the value of a name that decides nothing',
      JSON.stringify({ seed: TOOLS, pad: long.repeat(6) }),
      ({ seed }) => seed,
    ],
    ['the value of an object in place of the list', JSON.stringify({ messages: { 0: MESSAGES } }), first],
    ['a body of less than 2 KB', JSON.stringify({ messages: [message('a')] }), first],
    [
      'a body with a count that is rewritten',
      `{"tools":${JSON.stringify(TOOLS)},"messages":[${JSON.stringify(MESSAGES)},{"limit":1.0}]}`,
      first,
    ],
    [
      'a body with a name beyond ASCII',
      `{"tools":${JSON.stringify(TOOLS)},"messages":[${JSON.stringify(MESSAGES)}],"ä":1}`,
      first,
    ],
  ])('%s', (_, text, pick) => {
    expect(shares(text, knowing(text), pick)).toBe(false)
  })
})

const A = JSON.stringify(MESSAGES[0])
const B = JSON.stringify(MESSAGES[1])
const T = JSON.stringify(TOOLS)
const P = `"pad":"${long.repeat(5)}"`

test.each<[string, string]>([
  ['a comma that is missing', `{${P},"messages":[${A}${B}]}`],
  ['a comma too much', `{${P},"messages":[${A},]}`],
  ['a colon too much', `{${P},"tools"::${T}}`],
  ['a value after a value', `{${P},"tools":1${T}}`],
  ['a value as a key', `{${P},"tools":${T},${T}}`],
  ['a value after all', `{${P},"tools":${T}}${T}`],
  ['a value in the place of the next field', `{${P},"messages":[${A}]${A}}`],
  ['a closing bracket of the other kind', `{${P},"messages":[${A}}}`],
  ['a closing bracket too much', `{${P},"messages":[${A}]],"tools":${T}}`],
  ['cut off after it', `{${P},"messages":[${A}`],
  ['cut off within it', `{${P},"messages":[${A.slice(0, -1)}`],
  ['its text in a string', `{${P},"model":${JSON.stringify(`"tools":${T}`)}}`],
  ['a string that does not end before it', `{${P},"model":"x,"messages":[${A}]}`],
  ['not UTF-8 before it', `{${P},"x":"\ud800","messages":[${A}]}`],
  ['an array around all', `[{${P},"messages":[${A}]}]`],
  ['an array around all, and the key in it', `[${P},"tools":${T}]`],
  ['the field twice', `{${P},"tools":${T},"tools":[]}`],
  ['the field twice, once escaped', `{${P},"tools":${T},"t\\u006fols":[]}`],
  ['the field twice, once in another case', `{${P},"messages":[${A}],"Messages":[${B}]}`],
  ['another name twice', `{${P},"x":1,"tools":${T},"x":{"tools":1}}`],
  ['a prototype', `{${P},"__proto__":${T},"tools":${T}}`],
  ['an ambiguous item beside it', `{${P},"messages":[${A},{"Text":1}]}`],
  ['an ambiguous item after many', `{${P},"messages":[1,${A},${B},{"parts":{"Text":1}}]}`],
  ['a count beside it', `{${P},"messages":[${A},{"limit":1e2}]}`],
  ['white space around it', `{${P}, "tools" :\n${T}\t, "messages" : [ ${A} , ${B} ] }`],
  ['a byte order mark', `\ufeff{${P},"messages":[${A}]}`],
  ['too deep beside it', `{${P},"messages":[${A},${'['.repeat(499)}${']'.repeat(499)}]}`],
  ['the conversation as the tools', `{${P},"tools":[${A}],"messages":${T}}`],
])('with known values, %s is read as without them', (_, text) => {
  const known = knowing(BODY)
  const expected = read(text, 'plain')
  for (let times = 0; times < 3; times++) expect(read(text, { known, account_id: 1 })).toEqual(expected)
})

describe('property', () => {
  const VALUES = [
    ...MESSAGES.map((one) => JSON.stringify(one)),
    T,
    JSON.stringify(TOOLS, null, 1),
    `{"parts":[{"limit":7,"text":"${'ä—🦋'.repeat(60)}"}]}`,
    `{"parts":[{"limit":7.0,"text":"${long}"}]}`,
    `{"parts":[{"Text":7,"x":"${long}"}]}`,
    `{"text":"1","text":"${long}"}`,
    `{"x":1,"x":"${long}"}`,
    `{"ünknown":1,"x":"${long}"}`,
    `{"\\u0061":[1.0,12345678901234567890,"\\/${long}"]}`,
    `${'['.repeat(300)}"${long}"${']'.repeat(300)}`,
    `"${long}"`,
    '1',
    'null',
    '{}',
    '[]',
  ]
  const space = fc.constantFrom('', '', '', ' ', '\n\t')
  const value = fc.tuple(space, fc.constantFrom(...VALUES), space).map((parts) => parts.join(''))
  const list = fc.array(value, { maxLength: 8 }).map((items) => `[${items.join(',')}]`)
  const field = fc
    .tuple(
      fc.constantFrom(
        'messages',
        'messages',
        'tools',
        'config',
        'seed',
        'x',
        'm\\u006fdel',
        '__proto__',
        'ä',
      ),
      fc.oneof(list, list, value),
    )
    .map(([name, text]) => `"${name}":${text}`)
  const body = fc
    .array(field, { maxLength: 5 })
    .map((fields) => `{${[`${P},"model":"m"`, ...fields].join(',')}}`)
  /** Damage to a body's bytes: none, a cut, or some other bytes at a place. */
  const harm = fc.oneof(
    { weight: 3, arbitrary: fc.constant(undefined) },
    {
      weight: 2,
      arbitrary: fc.record({
        at: fc.double({ min: 0, max: 1, noNaN: true }),
        dropped: fc.nat(3),
        put: fc.constantFrom('', '[', ']', '{', '}', ',', ':', '"', '\\', '0', A, T, '\ud800'),
      }),
    },
  )
  const harmed = fc.tuple(body, harm).map(([text, done]) => {
    const bytes = Buffer.from(text)
    if (!done) return bytes
    const at = Math.floor(done.at * bytes.length)
    return Buffer.concat([bytes.subarray(0, at), Buffer.from(done.put), bytes.subarray(at + done.dropped)])
  })

  test('bodies are read as if nothing were known', () => {
    fc.assert(
      fc.property(fc.array(harmed, { minLength: 2, maxLength: 5 }), (bodies) => {
        const known = new KnownValues(20_000)
        for (const bytes of [...bodies, ...bodies, ...bodies])
          expect(read(bytes, { known, account_id: 1 })).toEqual(read(bytes, 'plain'))
      }),
      { numRuns: 200 },
    )
  })
})
