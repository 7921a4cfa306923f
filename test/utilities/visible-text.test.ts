// Visible text: the characters escaped in lines and in cells, and those refused in a note.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { checkNote } from '../../src/domain/notes.ts'
import { unseenIn, visible, visibleLine } from '../../src/utilities/visible-text.ts'

const UNSEEN: readonly (readonly [title: string, text: string, escaped: string])[] = [
  ['a colour', '\u001b[31mpaid', '\\u001b[31mpaid'],
  ['the same in eight bits', '\u009b31mpaid', '\\u009b31mpaid'],
  ['a title of the window', '\u001b]0;x\u0007', '\\u001b]0;x\\u0007'],
  ['a backspace', 'paid\b\b\b\b', 'paid\\u0008\\u0008\\u0008\\u0008'],
  ['a carriage return', 'unpaid\rpaid', 'unpaid\\u000dpaid'],
  ['nothing', 'a\0b', 'a\\u0000b'],
  ['DEL', 'a\u007f', 'a\\u007f'],
  ['a direction that is overridden', 'invoice \u202e71', 'invoice \\u202e71'],
  ['a direction that is isolated', '\u2066x\u2069', '\\u2066x\\u2069'],
  ['a line separator', 'a\u2028b', 'a\\u2028b'],
]
const BREAKS: readonly (readonly [title: string, text: string, escaped: string])[] = [
  ['a line feed', 'a\nb', 'a\\u000ab'],
  ['a carriage return and a line feed', 'a\r\nb', 'a\\u000d\\u000ab'],
  ['a carriage return at the end, which a line feed follows', 'a,b\r', 'a,b\\u000d'],
  ['a tab', 'a\tb', 'a\\u0009b'],
]
const SEEN = ['', 'invoice 7', 'Überweisung 7 €', '請求書 7', 'حساب 7', '👩‍🚀 paid', 'a\\u001b', '–\u00a0–']

describe('the text', () => {
  test.each(UNSEEN)('with %s is escaped', (_, text, escaped) => {
    expect([visible(text), visibleLine(text)]).toEqual([escaped, escaped])
  })

  test.each(BREAKS)('with %s is escaped in a line alone', (_, text, escaped) => {
    expect([visible(text), visibleLine(text)]).toEqual([text, escaped])
  })

  test.each(SEEN)('%p stays unchanged', (text) => {
    expect([visible(text), visibleLine(text), unseenIn(text)]).toEqual([text, text, undefined])
  })

  test('of JSON keeps its value', () => {
    fc.assert(
      fc.property(fc.json(), fc.string({ unit: 'binary' }), (json, text) => {
        expect(JSON.parse(visible(json))).toEqual(JSON.parse(json))
        expect(JSON.parse(visible(JSON.stringify({ text }, null, 2)))).toEqual({ text })
      }),
    )
  })
})

describe('a note', () => {
  test.each([...UNSEEN, ...BREAKS])('is refused with %s', (_, text) => {
    expect(() => checkNote(text)).toThrow(
      expect.objectContaining({
        kind: 'invalid_request',
        param: 'note',
        message: expect.stringMatching(
          /^note: contains the control character \\u[0-9a-f]{4}\. Write a single line/,
        ),
      }),
    )
  })

  test.each([...SEEN, 'x'.repeat(500)])('may be %p', (text) => {
    expect(() => checkNote(text)).not.toThrow()
  })

  test('is refused beyond 500 characters', () => {
    expect(() => checkNote('x'.repeat(501))).toThrow('at most 500')
  })
})
