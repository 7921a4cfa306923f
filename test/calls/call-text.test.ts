// The texts of a request that hooks search: rather too much than too little, for every protocol.
import { describe, expect, test } from 'bun:test'
import { MAX_TEXT_CHARS, readCallText } from '../../src/calls/hooks/call-text.ts'
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import { NO_NAMES } from '../../src/protocols/wire/json-names.ts'
import { walkJson } from '../../src/protocols/wire/json-walk.ts'

const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAA'

test.each<[what: string, body: JsonObject, texts: string[]]>([
  [
    'native: parts, the system, tools and their arguments; no role, no bytes',
    {
      systemInstruction: { parts: [{ text: 'Be kind.' }] },
      contents: [
        {
          role: 'user',
          parts: [{ text: 'Why tides?' }, { inlineData: { mimeType: 'image/png', data: PICTURE } }],
        },
        { role: 'model', parts: [{ functionCall: { name: 'look', args: { at: 'the Moon' } } }] },
      ],
    },
    ['Be kind.', 'Why tides?', 'image/png', 'look', 'the Moon'],
  ],
  [
    'messages: blocks, and a document of plain text in `data`; no images, no signatures',
    {
      model: 'm',
      system: 'Be kind.',
      messages: [
        { role: 'user', content: [{ type: 'document', source: { type: 'text', data: 'Tides' } }] },
        { role: 'user', content: [{ type: 'image', source: { type: 'base64', data: PICTURE } }] },
        { role: 'assistant', content: [{ type: 'thinking', thinking: 'The Moon', signature: PICTURE }] },
      ],
    },
    ['Be kind.', 'Tides', 'The Moon'],
  ],
  [
    'chat: texts and addresses; no data URIs, no audio',
    {
      messages: [
        { role: 'user', content: 'Why tides?' },
        {
          role: 'user',
          content: [
            { type: 'image_url', image_url: { url: `data:image/png;base64,${PICTURE}` } },
            { type: 'image_url', image_url: { url: 'https://example.com/sea.png' } },
            { type: 'input_audio', input_audio: { data: PICTURE, format: 'wav' } },
          ],
        },
      ],
    },
    ['Why tides?', 'https://example.com/sea.png', 'wav'],
  ],
  [
    'a text that hides as a type, a role or bytes',
    { type: 'A secret', role: 'a secret', data: 'a "secret"' },
    ['A secret', 'a secret', 'a "secret"'],
  ],
  [
    'a text that hides as a data URI',
    { input: 'data: a secret', query: 'data:text/plain,secret' },
    ['data: a secret', 'data:text/plain,secret'],
  ],
  [
    'lists of lists, and values other than texts',
    {
      input: [
        ['a', 1],
        [null, true, ['b']],
      ],
    },
    ['a', 'b'],
  ],
  ['the name of the model inside, not at the top', { model: 'top', tools: [{ model: 'inner' }] }, ['inner']],
  ['nothing', {}, []],
])('%s', (_what, body, texts) => {
  expect(readCallText(body)).toMatchObject({ text: texts.join('\n'), is_cut: false })
})

describe('the limit of the text', () => {
  test('a million characters are kept whole', () => {
    const { text, is_cut } = readCallText({ input: 'x'.repeat(MAX_TEXT_CHARS) })
    expect({ chars: text.length, is_cut }).toEqual({ chars: MAX_TEXT_CHARS, is_cut: false })
  })

  test.each<[what: string, body: JsonObject]>([
    ['one text', { input: 'x'.repeat(MAX_TEXT_CHARS + 1) }],
    ['the last of several', { input: ['x'.repeat(MAX_TEXT_CHARS), 'y'] }],
  ])('one character more, in %s, is cut, and the result says so', (_what, body) => {
    const { text, is_cut } = readCallText(body)
    expect({ chars: text.length, is_cut }).toEqual({ chars: MAX_TEXT_CHARS, is_cut: true })
  })
})

test('the whole body is frozen', () => {
  const body: JsonObject = { model: { id: 'm' }, messages: [{ content: ['x'] }] }
  readCallText(body)
  const frozen = (value: unknown): boolean =>
    typeof value !== 'object' ||
    value === null ||
    (Object.isFrozen(value) && Object.values(value).every(frozen))
  expect(frozen(body)).toBe(true)
})

test.each([
  '{}',
  '{"model":"m"}',
  '{"model":"m","input":"x"}',
  '{"input":"x","model":{"a":1,"b":[]}}',
  '{"a":[],"b":{},"c":[[1,2],{"x":{},"y":[null]}],"__proto__":{"z":1}}',
  '{"text":"a,b[c]{d}\\","}',
])('%s: has as many values as the walk over its bytes counts', (text) => {
  const walk = walkJson(Buffer.from(text), 500, NO_NAMES)
  expect(readCallText(JSON.parse(text)).values).toBe(walk?.values ?? -1)
})

test.each(['{"a":1,"a":2}', '{"x":[{"text":"one","b":1,"text":"two"}]}', '{"model":"m","model":"n"}'])(
  '%s: has fewer values, because a name occurs twice',
  (text) => {
    const walk = walkJson(Buffer.from(text), 500, NO_NAMES)
    expect(readCallText(JSON.parse(text)).values).toBeLessThan(walk?.values ?? 0)
  },
)
