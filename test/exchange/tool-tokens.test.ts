// The tokens of tools that came before: those that the tools have as they are, whatever came before them.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { toolTokens } from '../../src/exchange/text/tool-tokens.ts'
import { jsonTokens } from '../../src/protocols/token-sums.ts'
import { parseJsonBody } from '../../src/protocols/wire/json-body.ts'

const bodyOf = (text: string) => parseJsonBody(Buffer.from(text))
const long = 'a description '.repeat(100)

const CASES: readonly (readonly [string, string])[] = [
  ['none', '{"messages":[]}'],
  ['null', '{"tools":null}'],
  ['short ones', '{"tools":[{"name":"a"}]}'],
  ['long ones', `{"tools":[{"name":"a","description":"${long}"}]}`],
  ['the same, but for one letter', `{"tools":[{"name":"b","description":"${long}"}]}`],
  ['the same, written with spaces', `{"tools": [ {"name" : "b","description":"${long}"}\n] }`],
  ['a key twice', `{"tools":[{"name":"a","name":"${long}","name":"b","description":"${long}"}]}`],
  ['numbers that are written anew', `{"tools":[{"maximum":1.0000000000000000,"description":"${long}"}]}`],
  ['escapes that need not be', `{"tools":[{"name":"\\u0061\\/","description":"${long}"}]}`],
  ['beyond ASCII', `{"tools":[{"name":"ä—🦋","description":"${long}"}]}`],
  [
    'tools twice: the later ones',
    `{"tools":"${long}${long}","x":1,"tools":[{"description":"${long}"}],"y":2}`,
  ],
  ['under an escaped name', `{"t\\u006fols":[{"description":"${long}, too"}]}`],
  ['after a byte order mark', `\ufeff{"tools":[{"name":"mark","description":"${long}"}]}`],
  ['more than are kept', `{"tools":[{"description":"${'a'.repeat(300_000)}"}]}`],
]

describe('as the tools have them', () => {
  test.each(CASES)('%s', (_, text) => {
    const body = bodyOf(text)
    const expected = jsonTokens(body.json.tools)
    expect([toolTokens(body), toolTokens(body), toolTokens(bodyOf(text))]).toEqual([
      expected,
      expected,
      expected,
    ])
  })

  test('property: of any tools, in any order of coming, and when many others were known in between', () => {
    const text = fc.array(fc.string({ unit: 'binary', minLength: 300, maxLength: 60_000 }), { maxLength: 4 })
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 40 }), (all) => {
        const bodies = all.map((tools) => bodyOf(JSON.stringify({ model: 'm', tools, stream: true })))
        for (const body of [...bodies, ...bodies]) expect(toolTokens(body)).toBe(jsonTokens(body.json.tools))
      }),
      { numRuns: 50 },
    )
  })
})
