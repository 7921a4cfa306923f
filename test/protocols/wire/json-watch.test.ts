// Names that decide a request: the refused spellings, the places where they count, and everything that is accepted.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { namesFrom, reduce } from '../../../src/protocols/wire/json-names.ts'
import { walkJson } from '../../../src/protocols/wire/json-walk.ts'
import { IS_LONG } from '../../support/long.ts'
import { objectSource, textOf } from './json-source.ts'

const PART = namesFrom({ text: 'value' }, { harmless: ['type'], inside: ['parts'] })
const NAMES = namesFrom(
  {
    model: 'value',
    stream: 'value',
    max_tokens: 'count',
    config: namesFrom({ outputLimit: 'count' }, { snake_too: true }),
    list: PART,
  },
  { harmless: ['Model_Name'], aliases: { n_predict: 'max_tokens' } },
)

const walk = (text: string | Uint8Array) => walkJson(Buffer.from(text), 500, NAMES)
const TWICE = 'is given twice; send it once.'
const isReadAs = (name: string) =>
  `is read as ${name} by some servers, and ignored by others; send ${name}, or leave it out.`

describe('a deciding name is refused', () => {
  test.each([
    ['in another case', '{"Model":1}', 'Model', isReadAs('model')],
    ['with the Kelvin sign', '{"max_to\u212aens":1}', 'max_to\u212aens', isReadAs('max_tokens')],
    ['with the long s, escaped', '{"\\u017ftream":1}', '\u017ftream', isReadAs('stream')],
    ['without its underscore', '{"maxtokens":1}', 'maxtokens', isReadAs('max_tokens')],
    ['with hyphens', '{"max--tokens":1}', 'max--tokens', isReadAs('max_tokens')],
    ['that ends in a NUL', '{"model\\u0000x":1}', 'model\0x', isReadAs('model')],
    ['with half a character', '{"mo\\ud800del":1}', 'mo\ud800del', isReadAs('model')],
    ['under another server’s name', '{"n_predict":1}', 'n_predict', isReadAs('max_tokens')],
    [
      'with escapes',
      '{"mod\\u0065l":1}',
      'model',
      'must be written without escapes: not every server reads them in names.',
    ],
    ['twice', '{"model":1,"x":{"model":1},"model":1}', 'model', TWICE],
    ['twice further in', '{"config":{"outputLimit":1,"outputLimit":1}}', 'config.outputLimit', TWICE],
    ['in both spellings', '{"config":{"outputLimit":1,"output_limit":1}}', 'config.output_limit', TWICE],
    ['in an object of a list', '{"list":[{"text":1},{"text":1,"text":2}]}', 'list[1].text', TWICE],
    [
      'after values of every kind',
      '{"list":[[],"x",{"a":[{}]},3,{"TEXT":1}]}',
      'list[2].TEXT',
      isReadAs('text'),
    ],
    [
      'deep down',
      '{"list":[{"parts":[{"parts":{"Text":1}}]}]}',
      'list[0].parts[0].parts.Text',
      isReadAs('text'),
    ],
    ['in the object that a list may be', '{"list":{"Text":1}}', 'list.Text', isReadAs('text')],
  ])('%s: %s', (_, text, path, problem) => {
    expect(walk(text)?.ambiguity).toEqual({ path, problem })
  })
})

describe('accepted are', () => {
  test.each([
    ['names that only contain a deciding one', '{"models":1,"my_model":1,"stream_x":1}'],
    ['listed harmless names', '{"Model_Name":1,"Model_Name":2}'],
    ['unknown names, twice', '{"x":1,"x":2,"É":1,"É":2}'],
    ['values', '{"x":"Model","model":"Model"}'],
    ['objects under other names', '{"x":{"Model":1,"model":1,"model":2,"config":{"OutputLimit":1}}}'],
    ['names within the value of a deciding name', '{"model":{"Model":1},"stream":[{"Stream":1}]}'],
    ['objects of the other kind', '{"config":{"model":1,"Model":1},"list":[{"Model":1,"x":{"Text":1}}]}'],
    ['equal names in several objects', '{"list":[{"text":1},{"text":1},{"parts":[{"text":1}],"text":1}]}'],
    ['both spellings of one name', '{"config":{"output_limit":1}}'],
  ])('%s: %s', (_, text) => {
    expect(walk(text)?.ambiguity).toBeUndefined()
  })
})

test.each([
  ['{"max_tokens":1}', []],
  ['{"max_tokens":-1}', []],
  ['{"max_tokens": 123456789012345678901234}', []],
  ['{"max_tokens":null,"config":{"outputLimit":"1.0"}}', []],
  ['{"max_tokens":1.0}', ['max_tokens']],
  ['{"max_tokens" : 1E2,"config":{"outputLimit":3}}', ['max_tokens']],
  ['{"max_tokens":-0,"config":{"output_limit":3e0}}', ['max_tokens', 'config']],
  ['{"model":1.0,"x":1.0}', []],
])('counts that are rewritten: %s', (text, respelled) => {
  expect([...(walk(text)?.respelled ?? [])]).toEqual(respelled)
})

test.each([
  ['a thousand names outside ASCII', '"é":1,'.repeat(1_000), undefined],
  ['one more', '"é":1,'.repeat(1_001), 'é'],
  ['many in ASCII', '"abc":1,'.repeat(10_000), undefined],
  ['a long name outside ASCII', `"${'é'.repeat(200)}":1,`, 'é'.repeat(64)],
  ['a long name in ASCII', `"${'e'.repeat(10_000)}":1,`, undefined],
  ['a deciding name made long', `"${'m_'}${'_'.repeat(200)}odel":1,`, `m${'_'.repeat(63)}`],
])('the cost of a close look is bounded: %s', (_, fields, path) => {
  expect(walk(`{${fields}"x":1}`)?.ambiguity?.path).toBe(path)
})

test.each([
  ['MODEL', 'model'],
  ['\uff2dodel', 'model'],
  ['\u{1d426}odel', 'model'],
  ['max_to\u212aens', 'maxtokens'],
  ['\u0130nput', 'input'],
  ['\u0131nput', 'input'],
  ['input\0\0', 'input'],
  ['entrée', 'entre'],
])('%p is reduced to %p', (name, reduced) => {
  expect(reduce(name)).toBe(reduced)
})

test('the walk of any text ends without an error, whether JSON or not (property)', () => {
  const pieces = fc.array(
    fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      '\\',
      ':',
      ',',
      '"model"',
      '"list"',
      '"parts"',
      '"text"',
      '"é"',
      '1.0',
      ' ',
      '-',
      'x',
    ),
    { maxLength: 40 },
  )
  fc.assert(
    fc.property(pieces, (parts) => {
      expect(walk(parts.join(''))).toBeDefined()
    }),
    { numRuns: IS_LONG ? 20_000 : 200 },
  )
})

test('an object with only unknown names is never refused (property)', () => {
  const none = namesFrom({ decides: 'count' })
  fc.assert(
    fc.property(objectSource, (source) => {
      expect(walkJson(Buffer.from(textOf(source)), 500, none)?.ambiguity).toBeUndefined()
    }),
    { numRuns: IS_LONG ? 20_000 : 200 },
  )
})
