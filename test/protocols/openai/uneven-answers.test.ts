// Chat completions in the dialects of servers: thinking in the content, arguments as objects, interleaved calls.
import { describe, expect, test } from 'bun:test'
import type { StreamEvent } from '../../../src/protocols/canonical/answer.ts'
import { openai } from '../../../src/protocols/openai/index.ts'
import type { JsonObject } from '../../../src/protocols/wire/json.ts'

const whole = (message: JsonObject, finish_reason = 'stop') =>
  openai.text.decodeAnswer({ choices: [{ index: 0, message, finish_reason }] }, 'id').candidates[0]

function streamed(deltas: readonly JsonObject[], finish_reason = 'stop'): StreamEvent[] {
  const decoder = openai.text.createStreamDecoder('id')
  const chunks = [
    ...deltas.map((delta) => ({ choices: [{ index: 0, delta }] })),
    { choices: [{ index: 0, delta: {}, finish_reason }] },
  ]
  return [...chunks.flatMap((chunk) => decoder.decode(JSON.stringify(chunk))), ...decoder.decode('[DONE]')]
}

const thinking = (text: string) => ({ type: 'thinking', thinking: [{ type: 'text', text }] })

// https://docs.mistral.ai/capabilities/reasoning; @mistralai/mistralai models/components/thinkchunk.d.ts
describe("Mistral's lists of thinking and text", () => {
  const PARTS: readonly (readonly [string, JsonObject['content'], readonly unknown[]])[] = [
    ['one text', 'Hi', [{ kind: 'text', text: 'Hi' }]],
    [
      'thinking, then text',
      [thinking('Hm.'), { type: 'text', text: 'Hi' }],
      [
        { kind: 'thinking', text: 'Hm.' },
        { kind: 'text', text: 'Hi' },
      ],
    ],
    ['thinking alone', [thinking('Hm.')], [{ kind: 'thinking', text: 'Hm.' }]],
    ['thinking as one text', [{ type: 'thinking', thinking: 'Hm.' }], [{ kind: 'thinking', text: 'Hm.' }]],
    ['an empty list', [], []],
    ['parts of other kinds', [{ type: 'reference', reference_ids: [1] }, 7, null], []],
  ]
  test.each(PARTS)('%s', (_name, content = null, parts) => {
    expect(
      whole({ content })?.parts.map(({ kind, ...part }) => ({
        kind,
        ...('text' in part ? { text: part.text } : {}),
      })),
    ).toEqual([...parts] as never)
  })

  test('streamed, thinking in lists and text as text', () => {
    const deltas = [{ content: [thinking('Hm')] }, { content: [thinking('.')] }, { content: 'Hi' }]
    expect(streamed(deltas).flatMap((event) => ('text' in event ? [[event.type, event.text]] : []))).toEqual([
      ['thinking_delta', 'Hm'],
      ['thinking_delta', '.'],
      ['text_delta', 'Hi'],
    ])
  })

  test('sent back by a caller', () => {
    const { turns } = openai.text.decodeRequest(
      {
        messages: [
          { role: 'user', content: 'Hi' },
          { role: 'assistant', content: [thinking('Hm.'), { type: 'text', text: 'Hi' }] },
        ],
      },
      false,
    )
    expect(turns[1]?.parts).toMatchObject([
      { kind: 'thinking', text: 'Hm.' },
      { kind: 'text', text: 'Hi' },
    ])
  })
})

const call = (index: number, fields: JsonObject) => ({ index, ...fields })
const named = (index: number, name: string, args: unknown = '') =>
  call(index, { id: `id_${index}`, type: 'function', function: { name, arguments: args as string } })
const more = (index: number, args: string) => call(index, { function: { arguments: args } })

describe('arguments of tool calls', () => {
  const ARGUMENTS: readonly (readonly [string, unknown, JsonObject | undefined])[] = [
    ['as text', '{"a":1}', { a: 1 }],
    ['as an object', { a: 1 }, { a: 1 }],
    ['empty', '', {}],
    ['null', null, {}],
    ['cut off', '{"a":', undefined],
    ['a list', '[1]', undefined],
    ['a number', '7', undefined],
  ]
  test.each(ARGUMENTS)('%s, whole', (_name, args, expected) => {
    const candidate = whole({ content: null, tool_calls: [named(0, 'f', args)] }, 'tool_calls')
    expect(candidate?.parts).toMatchObject(expected ? [{ kind: 'tool_call', arguments: expected }] : [])
    expect(candidate?.stop_reason).toBe(expected ? 'tool_use' : 'malformed')
  })

  test('as an object, streamed', () => {
    expect(callsOf(streamed([{ tool_calls: [named(0, 'f', { a: 1 })] }]))).toEqual([['f', '{"a":1}']])
  })

  const SENT: readonly (readonly [string, unknown, JsonObject | undefined])[] = [
    ['as text', '{"a":1}', { a: 1 }],
    ['as an object', { a: 1 }, { a: 1 }],
    ['missing', undefined, undefined],
    ['a list', [1], undefined],
  ]
  test.each(SENT)('sent back by a caller %s', (_name, args, expected) => {
    const calls = { role: 'assistant', content: null, tool_calls: [named(0, 'f', args)] }
    if (args === undefined) Object.assign(calls, { tool_calls: [{ id: 'id_0', function: { name: 'f' } }] })
    const read = () => openai.text.decodeRequest({ messages: [calls] } as JsonObject, false).turns[0]?.parts
    if (expected) expect(read()).toMatchObject([{ arguments: expected }])
    else expect(read).toThrow('messages[0].tool_calls[0].function.arguments')
  })

  test('sent back by a caller as text that is not JSON, from a call that was cut off', () => {
    const calls = { role: 'assistant', content: null, tool_calls: [named(0, 'f', 'a=1')] }
    const partsOf = (messages: JsonObject[]) =>
      openai.text.decodeRequest({ messages } as JsonObject, false).turns[0]?.parts
    const result = { role: 'tool', tool_call_id: 'id_0', content: 'failed' }
    expect(partsOf([calls, result])).toMatchObject([
      { kind: 'tool_call', cut: 'a=1', arguments: { arguments: 'a=1' } },
    ])
    expect(partsOf([calls])).toEqual([{ kind: 'text', text: 'Incomplete call of f: a=1' }])
  })
})

/** Name and arguments of each call, in their order. */
function callsOf(events: readonly StreamEvent[]): [string, string][] {
  const calls: [string, string][] = []
  for (const event of events) {
    if (event.type === 'part_start' && event.part.kind === 'tool_call') calls.push([event.part.name, ''])
    const last = calls.at(-1)
    if (event.type === 'arguments_delta' && last) last[1] += event.json
  }
  return calls
}

describe('parallel calls in a stream', () => {
  const F: [string, string] = ['f', '{"a":1}']
  const G: [string, string] = ['g', '{"b":2}']
  const H: [string, string] = ['h', '{"c":3}']
  const ORDERS: readonly (readonly [
    string,
    readonly (readonly JsonObject[])[],
    readonly [string, string][],
  ])[] = [
    [
      'one after the other',
      [[named(0, 'f')], [more(0, '{"a":1}')], [named(1, 'g')], [more(1, '{"b":2}')]],
      [F, G],
    ],
    ['side by side', [[named(0, 'f'), named(1, 'g')], [more(0, '{"a":1}')], [more(1, '{"b":2}')]], [F, G]],
    [
      'piece by piece in turn',
      [[named(0, 'f', '{"a"')], [named(1, 'g', '{"b"')], [more(0, ':1}')], [more(1, ':2}')]],
      [F, G],
    ],
    [
      'the second complete first',
      [[named(0, 'f'), named(1, 'g')], [more(1, '{"b":2}')], [more(0, '{"a":1}')]],
      [F, G],
    ],
    [
      'three at once',
      [
        [named(0, 'f'), named(1, 'g'), named(2, 'h')],
        [more(2, '{"c":3}')],
        [more(0, '{"a":1}'), more(1, '{"b":2}')],
      ],
      [F, G, H],
    ],
    ['without arguments before one with some', [[named(0, 'f'), named(1, 'g', '{"b":2}')]], [['f', ''], G]],
    [
      'cut off before one that is whole',
      [[named(0, 'f', '{"a"')], [named(1, 'g', '{"b":2}')]],
      [['f', '{"a"'], G],
    ],
  ]
  test.each(ORDERS)('%s', (_name, pieces, expected) => {
    const events = streamed(
      pieces.map((tool_calls) => ({ tool_calls: [...tool_calls] })),
      'tool_calls',
    )
    expect(callsOf(events)).toEqual([...expected])
    expect(events.at(-1)).toMatchObject({ type: 'end' })
  })

  test.each([
    ['text', { content: 'Hi' }],
    ['thinking', { reasoning_content: 'Hm' }],
  ])('a piece of a call that %s has ended fails the stream', (_name, delta) => {
    const events = streamed([{ tool_calls: [named(0, 'f', '{')] }, delta, { tool_calls: [more(0, '}')] }])
    expect(events.at(-1)).toMatchObject({ type: 'error' })
  })
})
