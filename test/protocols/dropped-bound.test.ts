// The bound of text that a parse drops: repeated names, and digits that a number does not keep. Nothing else raises the bound.
import { expect, test } from 'bun:test'
import { boundDropped } from '../../src/protocols/dropped-bound.ts'
import { openai } from '../../src/protocols/openai/index.ts'
import { parseJsonBody, parseScanned, scanJsonBody } from '../../src/protocols/wire/json-body.ts'
import { KnownValues } from '../../src/protocols/wire/known-values.ts'
import { agentBody } from '../tools/bench/agent.ts'

const boundOf = (text: string): number => boundDropped(parseJsonBody(Buffer.from(text)))

test.each([
  '{}',
  '{"a":[],"b":{},"c":[[1,2],{"x":{},"y":[null,true,false]}],"__proto__":{"z":-1.5}}',
  ' { "a" : [ 1 , "b,c[d]{e}\\"" ] } ',
  '{"a":"\\u0430\\u0431"}',
  agentBody('m', 85_000),
])('%#: nothing is dropped', (text) => {
  expect(boundOf(text)).toBe(0)
})

const TEXT = 'x'.repeat(1_000)
const DIGITS = '7'.repeat(1_000)

test.each([
  ['a repeated name at the top', `{"a":"${TEXT}","a":""}`, 250],
  ['a repeated name further in', `{"a":[{"b":["${TEXT}"],"b":[]}]}`, 250],
  ['a repeated name in escapes', `{"a":{"b":"${TEXT}","\\u0062":1}}`, 250],
  ['an integer', `{"a":${DIGITS}}`, 990],
  ['a fraction', `{"a":[0.${DIGITS}]}`, 980],
  ['a number beyond all numbers', `{"a":{"b":${DIGITS}e${DIGITS}}}`, 1_990],
])('dropped text counts: %s', (_, text, tokens) => {
  expect(boundOf(text)).toBeGreaterThanOrEqual(tokens)
})

test.each([
  ['a name twice', `"notes":"${TEXT}","notes":""`],
  ['a long number', `"notes":${DIGITS}`],
])('%s counts again in values known from earlier', (_, notes) => {
  const known = new KnownValues(1_000_000)
  const message = `{"role":"user","content":"${TEXT}",${notes}}`
  const text = `{"model":"m","messages":[${message},${message},{"role":"user","content":"${TEXT.repeat(2)}"}]}`
  const bounds = [1, 2, 3, 4].map(() => {
    const scanned = scanJsonBody(Buffer.from(text), openai.text.names, { account_id: 1, known })
    return boundDropped(parseScanned(scanned))
  })
  expect(bounds).toEqual(new Array(4).fill(boundOf(text)))
  expect(bounds[0]).toBeGreaterThan(250)
})
