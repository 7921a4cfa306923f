// The size of the output in an unparsed event: each text by the meaning of its field, also after JSON that the model wrote.
import { expect, test } from 'bun:test'
import {
  addOutput,
  fields,
  JSON_TEXT,
  NO_OUTPUT,
  sumFor,
  TEXT,
  zeroSums,
} from '../../src/protocols/output-size.ts'

const CALL = fields({ id: NO_OUTPUT, name: TEXT, input: JSON_TEXT })
const ANSWER = fields({
  id: NO_OUTPUT,
  text: TEXT,
  calls: CALL,
  parts: fields({ note: TEXT, hidden: NO_OUTPUT }),
})

const textBytes = (answer: object): number => {
  const sums = zeroSums()
  addOutput(JSON.stringify(answer), 0, ANSWER, sums)
  return sumFor(sums, TEXT)
}

test.each<[form: string, input: object, bytes: number]>([
  ['flat', { a: 1 }, 7],
  ['nested once', { a: { b: 1 } }, 13],
  ['nested three times', { a: { b: { c: [1] } } }, 21],
  ['empty', {}, 0],
])('an input that is %s counts as a whole, and the fields after it as without it', (_, input, bytes) => {
  const call = { id: 'call_1', name: 'look', input }
  const rest = { parts: [{ hidden: 'not written', note: 'a note' }], text: 'the answer', id: 'msg_1' }
  const without = textBytes(rest)
  expect(without).toBe('a note'.length + 'the answer'.length)
  expect(textBytes({ calls: [call], ...rest })).toBe(without + 'look'.length + bytes)
  expect(textBytes({ parts: [rest.parts[0]], calls: [call, call], text: rest.text })).toBe(
    without + 2 * ('look'.length + bytes),
  )
})
